/** What a worker thread does for the build; the messages between both. Everything here passes by value. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { OrderColumns } from "../orders/record.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { batchesOf, joined, type OrderBatch, orderOf, taken } from "./order-batch.ts";
import type { CellPlan } from "./parse/cell-plan.ts";
import { ChunkParser } from "./parse/chunk-parser.ts";
import type { BrokenLine, DefectTally } from "./parse/defects.ts";
import { RowTable } from "./parse/row-table.ts";
import { securityOfKey } from "./parse/security-cell.ts";
import { repeatsOf, rowText } from "./row-repeats.ts";
import { type WrittenSection, writeSection } from "./section-writer.ts";
import { type Extent, SpillReader, SpillWriter } from "./spill.ts";

/** Lines of a file to be parsed; `from` is the first byte behind its header. */
export interface ChunkOfLines {
  bytes: Uint8Array<ArrayBuffer>;
  from: number;
  /** Lines of the file stand before these, the header included. */
  isContinued: boolean;
  plan: CellPlan;
}

export type Work =
  /** Parse a chunk that is the whole of one security, and write its section. */
  | { kind: "section-of-chunk"; chunk: ChunkOfLines; key: number }
  /** Parse a chunk and put its rows aside, each security's by itself. */
  | { kind: "spill-chunk"; chunk: ChunkOfLines }
  /** Write the section of a security whose rows were put aside. */
  | { kind: "section-of-spill"; key: number; extents: FileExtent[] };

/** Where a batch lies, and the number of the order file that it comes from. */
export type FileExtent = Extent & { source: number };

/** What parsing a chunk showed. */
export interface ChunkReport {
  /** Lines that are not blank. */
  read: number;
  rows: number;
  lines: number;
  defects: DefectTally;
  broken: BrokenLine[];
}

export interface SectionResult {
  section: WrittenSection;
  cancels: number;
  /** Of the rows that went in: verification compares it with the rows that come out. */
  fingerprint: number;
  repeats: SectionRepeats;
}

/** What a section does not hold because its source holds it more than once. */
export interface SectionRepeats {
  repeated: number;
  identical: number;
  /** The rows, as text, whose number another row with other content has. */
  conflicts: string[];
  /** Numbers of two order files with the same row. */
  twice: [number, number] | null;
}

export interface SpillResult {
  /** `securityKey` and place of every batch. */
  extents: [number, Extent][];
}

export type WorkResult =
  | SectionResult
  | (SectionResult & { report: ChunkReport })
  | (SpillResult & { report: ChunkReport });

export interface WorkerSettings {
  tradedate: BeijingDate;
  /** The folder of spill files. */
  folder: string;
  /** This worker's number, which is also its spill file's. */
  number: number;
}

export function spillPath(folder: string, file: number): string {
  return `${folder}/spill-${file}`;
}

/** Does the work of one thread. */
export class Workbench {
  private readonly settings: WorkerSettings;
  private readonly table = new RowTable();
  private readonly spilled: SpillReader;
  private spill: SpillWriter | undefined;

  constructor(settings: WorkerSettings) {
    this.settings = settings;
    this.spilled = new SpillReader((file) => spillPath(settings.folder, file));
  }

  do(work: Work): WorkResult {
    switch (work.kind) {
      case "section-of-chunk":
        return this.sectionOfChunk(work.chunk, work.key);
      case "spill-chunk":
        return this.spillChunk(work.chunk);
      case "section-of-spill":
        return this.sectionOfSpill(work.key, work.extents);
    }
  }

  /** Closes the spill files; a thread's are closed when it ends. */
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
    const { folder, number } = this.settings;
    this.spill ??= new SpillWriter(spillPath(folder, number), number);
    const extents: [number, Extent][] = [];
    for (const [key, batch] of batches) extents.push([key, this.spill.write(batch)]);
    return { extents, report };
  }

  private sectionOfSpill(key: number, extents: FileExtent[]): SectionResult {
    const batches = extents.map((extent) => this.spilled.read(extent));
    return this.section(key, batches, extents);
  }

  private parse({ bytes, from, isContinued, plan }: ChunkOfLines) {
    const parsed = new ChunkParser(plan, this.table).parse(bytes, from, isContinued);
    const { read, lines, defects, broken, table } = parsed;
    return { batches: batchesOf(parsed, plan), report: { read, rows: table.rows, lines, defects, broken } };
  }

  /** The section of `batches`, the rows of one security; `extents` say which file each comes from. */
  private section(key: number, batches: OrderBatch[], extents: FileExtent[] = []): SectionResult {
    const { symbol, market } = securityOfKey(key);
    const batch = joined(batches);
    const { columns, repeats } = onceEach(batch, (row) => fileOf(row, batches, extents));
    const section = writeSection(this.settings.tradedate, { symbol, market, columns });
    const { values, index } = columns.orderType;
    let cancels = 0;
    for (const number of index) if (values[number] === "D") cancels += 1;
    return { section, cancels, fingerprint: fingerprintOf(columns), repeats };
  }
}

/** The file that row `row` of the joined `batches` comes from. */
function fileOf(row: number, batches: OrderBatch[], extents: FileExtent[]): number {
  let from = 0;
  for (const [number, { columns }] of batches.entries()) {
    from += columns.rows;
    if (row < from) return extents[number]?.source ?? 0;
  }
  return 0;
}

/** The rows of `batch` in order, without those that it repeats. */
function onceEach(
  batch: OrderBatch,
  file: (row: number) => number,
): { columns: OrderColumns; repeats: SectionRepeats } {
  const order = orderOf(batch);
  const { isLeftOut, conflicts, ...counted } = repeatsOf(batch, order, file);
  const repeats = { ...counted, conflicts: conflicts.map((row) => rowText(batch.columns, row)) };
  if (isLeftOut === null)
    return { columns: order === null ? batch.columns : taken(batch.columns, order), repeats };
  const all = order ?? Int32Array.from({ length: batch.columns.rows }, (_, row) => row);
  return {
    columns: taken(
      batch.columns,
      all.filter((row) => isLeftOut[row] === 0),
    ),
    repeats,
  };
}
