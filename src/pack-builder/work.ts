/** Does the work of a worker thread, and defines the messages to and from the thread. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { codesOf, type Dataset, type Rows, storedNamed } from "../datasets/dataset.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { type Batch, batchesOf, joined, orderOf, taken } from "./batch.ts";
import type { CheckedSlice } from "./check-slice.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { CellPlan } from "./parse/cell-plan.ts";
import type { BrokenLine, DefectTally } from "./parse/defects.ts";
import { OrderParser } from "./parse/order-parser.ts";
import { QuoteParser } from "./parse/quote-parser.ts";
import { RowTable } from "./parse/row-table.ts";
import { securityOfKey } from "./parse/security-cell.ts";
import { TradeParser } from "./parse/trade-parser.ts";
import { Cells, type Repeats, repeatsOf } from "./row-repeats.ts";
import { type WrittenSection, writeSection } from "./section-writer.ts";
import { type Extent, SpillReader, SpillWriter } from "./spill.ts";
import { turnoverOf } from "./unit-check.ts";
import type { Expected } from "./verify/verify-pack.ts";

/** Lines of a file to parse. `from` is the position of the first line in `bytes`. */
export interface ChunkOfLines {
  bytes: Uint8Array<ArrayBuffer>;
  from: number;
  /** Whether the file has lines before these; its header counts as one. */
  isContinued: boolean;
  plan: CellPlan;
}

/** A job of a thread: work for a build, the verification of a pack, or the quality check of some securities. */
export type Job = { build: DatasetBuild; work: Work } | { verify: PackToVerify } | { check: CheckedSlice };

/** A pack to verify, and what it is compared with. */
interface PackToVerify {
  path: string;
  expected: Omit<Expected, "onProgress">;
}

export type Work =
  /** Parses a chunk with all rows of one security and writes its section. */
  | { kind: "section-of-chunk"; chunk: ChunkOfLines; key: number }
  /** Parses a chunk and stores its rows by security. */
  | { kind: "spill-chunk"; chunk: ChunkOfLines }
  /** Writes the section of a security from its stored rows. */
  | { kind: "section-of-spill"; key: number; extents: FileExtent[] };

/** The position of a batch and the number of its data file. */
export type FileExtent = Extent & { source: number };

/** The result of parsing a chunk. */
export interface ChunkReport {
  /** Number of lines that are not blank. */
  read: number;
  rows: number;
  lines: number;
  defects: DefectTally;
  broken: BrokenLine[];
}

export interface SectionResult {
  section: WrittenSection;
  cancels: number;
  /** The fingerprint of the source rows. Verification compares it with the fingerprint of the pack's rows. */
  fingerprint: number;
  /** In yuan, as returned by `turnoverOf`. */
  turnover: number;
  repeats: SectionRepeats;
}

/** The repeated rows of a section's source. */
export type SectionRepeats = Omit<Repeats, "isLeftOut" | "conflicts"> & {
  /** The text of each row that has the same sequence number as an earlier row but different content. */
  conflicts: string[];
};

export interface SpillResult {
  /** The `securityKey` and position of every batch. */
  extents: [number, Extent][];
}

/** The build of one dataset. */
export interface DatasetBuild {
  dataset: DatasetName;
  tradedate: BeijingDate;
  /** The folder of the spill files. No other build uses it. */
  folder: string;
}

function spillPath(folder: string, file: number): string {
  return `${folder}/spill-${file}`;
}

const PARSERS = {
  orders: OrderParser,
  trades: TradeParser,
  quotes: QuoteParser,
} as const satisfies Record<DatasetName, unknown>;

/** Runs the jobs of one thread. The builds of different datasets, a verification and the check follow each other. */
export class ThreadJobs {
  private readonly number: number;
  private bench: Workbench | undefined;

  constructor(number: number) {
    this.number = number;
  }

  /** Returns the result of a job. `onProgress` is called with the share of a verification, from 0 to 1. */
  async do(job: Job, onProgress: (share: number) => void) {
    if ("work" in job) {
      if (this.bench?.build.folder !== job.build.folder) {
        this.close();
        this.bench = new Workbench(job.build, this.number);
      }
      return this.bench.do(job.work);
    }
    // The build of a dataset has ended. Closing its workbench frees the memory of its rows.
    this.close();
    // Both modules are imported only in the threads that need them.
    if ("verify" in job) {
      const { verifyPack } = await import("./verify/verify-pack.ts");
      const { path, expected } = job.verify;
      const verified = await verifyPack(path, { ...expected, onProgress });
      return verified.ok ? null : verified.refusal;
    }
    const { checkSlice } = await import("./check-slice.ts");
    return checkSlice(job.check);
  }

  /** Closes the spill files. A worker thread's spill files are also closed when the thread ends. */
  close(): void {
    this.bench?.close();
    this.bench = undefined;
  }
}

/** Does the work of one thread for the build of one dataset. */
class Workbench {
  readonly build: DatasetBuild;
  private readonly number: number;
  private readonly dataset: Dataset;
  private readonly table: RowTable;
  private readonly spilled: SpillReader;
  private spill: SpillWriter | undefined;

  /** `number` is the number of the thread and of its spill file. */
  constructor(build: DatasetBuild, number: number) {
    this.build = build;
    this.number = number;
    this.dataset = DATASETS[build.dataset];
    this.table = new RowTable(this.dataset);
    this.spilled = new SpillReader((file) => spillPath(build.folder, file), this.dataset);
  }

  do(work: Work) {
    switch (work.kind) {
      case "section-of-chunk":
        return this.sectionOfChunk(work.chunk, work.key);
      case "spill-chunk":
        return this.spillChunk(work.chunk);
      case "section-of-spill":
        return this.sectionOfSpill(work.key, work.extents);
    }
  }

  close(): void {
    this.spill?.close();
    this.spilled.close();
  }

  private sectionOfChunk(chunk: ChunkOfLines, key: number): SectionResult & { report: ChunkReport } {
    const { batches, report } = this.parse(chunk);
    return { ...this.section(key, [...batches.values()]), report };
  }

  private spillChunk(chunk: ChunkOfLines): SpillResult & { report: ChunkReport } {
    const { batches, report } = this.parse(chunk);
    const { number } = this;
    this.spill ??= new SpillWriter(spillPath(this.build.folder, number), number, this.dataset);
    const extents: [number, Extent][] = [];
    for (const [key, batch] of batches) extents.push([key, this.spill.write(batch)]);
    return { extents, report };
  }

  private sectionOfSpill(key: number, extents: FileExtent[]): SectionResult {
    const batches = extents.map((extent) => this.spilled.read(extent));
    return this.section(key, batches, extents);
  }

  private parse({ bytes, from, isContinued, plan }: ChunkOfLines) {
    const parser = new PARSERS[this.build.dataset](plan, this.table);
    const parsed = parser.parse(bytes, from, isContinued);
    const { read, lines, defects, broken, table } = parsed;
    const report = { read, rows: table.rows, lines, defects, broken };
    return { batches: batchesOf(parsed, plan, this.dataset), report };
  }

  /** Writes the section of `batches`, the rows of one security; `extents` name the file of each batch. */
  private section(key: number, batches: Batch[], extents: FileExtent[] = []): SectionResult {
    const { dataset } = this;
    const { symbol, market } = securityOfKey(key);
    const { rows, repeats } = onceEach(joined(batches, dataset), dataset, (row) =>
      fileOf(row, batches, extents),
    );
    const section = writeSection(this.build.tradedate, { symbol, market, columns: rows }, dataset);
    const fingerprint = fingerprintOf(rows, dataset);
    const counted = { cancels: cancelsIn(rows, dataset), turnover: turnoverOf(rows, dataset) };
    return { section, ...counted, fingerprint, repeats };
  }
}

function cancelsIn(rows: Rows, dataset: Dataset): number {
  const { cancel } = dataset;
  if (cancel === null) return 0;
  const { values, index } = codesOf(rows, storedNamed(dataset, cancel.column));
  const isCancel = values.map((text) => text === cancel.code);
  let cancels = 0;
  for (const number of index) if (isCancel[number]) cancels += 1;
  return cancels;
}

/** Returns the number of the data file that contains row `row` of the joined `batches`. */
function fileOf(row: number, batches: Batch[], extents: FileExtent[]): number {
  let from = 0;
  for (const [number, { rows }] of batches.entries()) {
    from += rows.rows;
    if (row < from) return extents[number]?.source ?? 0;
  }
  return 0;
}

/** Returns the rows of `batch` in order without repeats. */
function onceEach(
  batch: Batch,
  dataset: Dataset,
  file: (row: number) => number,
): { rows: Rows; repeats: SectionRepeats } {
  const { rows } = batch;
  const order = orderOf(batch);
  const { isLeftOut, conflicts, ...counted } = repeatsOf(batch, dataset, order, file);
  const cells = new Cells(rows, dataset);
  const repeats = { ...counted, conflicts: conflicts.map((row) => cells.text(row)) };
  if (isLeftOut === null) return { rows: order === null ? rows : taken(rows, order, dataset), repeats };
  const all = order ?? Int32Array.from({ length: rows.rows }, (_, row) => row);
  const kept = all.filter((row) => isLeftOut[row] === 0);
  return { rows: taken(rows, kept, dataset), repeats };
}
