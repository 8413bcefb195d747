/** Order files as chunks of lines ready for a worker, and what the workers' reports say about the files. */
import { createHash } from "node:crypto";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DefectBook } from "./defect-book.ts";
import type { OrderFile } from "./delivery/order-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import type { Layout } from "./layouts/layout.ts";
import { hasHeader, layoutOfHeader } from "./layouts/registry.ts";
import { type CellPlan, planCells } from "./parse/cell-plan.ts";
import { chunksOf } from "./parse/chunks.ts";
import { DEFECT, LEFT_OUT_KINDS } from "./parse/defects.ts";
import { type FileHead, readHead } from "./parse/file-head.ts";
import type { Quarantine } from "./quarantine.ts";
import type { ChunkOfLines, ChunkReport } from "./work.ts";

/** Everything read of one file adds up here; the chunks of a file report in order. */
export class Intake {
  sourceBytes = 0;
  rows = 0;
  /** Rows read, and those of them left out, by reason. */
  readonly accounted = { read: 0, leftOut: {} as Record<string, number> };
  /** Size and SHA-256 by place of the delivered files that were read as they are. */
  readonly sums = new Map<string, { sizeBytes: number; sha256: string }>();
  readonly layouts: Record<string, number> = {};
  private readonly defects: DefectBook;
  private readonly quarantine: Quarantine;
  private readonly chunkBytes: number;
  private readonly linesOf = new Map<OrderFile, number>();

  /** Files are cut into chunks of about `chunkBytes`. */
  constructor(defects: DefectBook, quarantine: Quarantine, chunkBytes: number) {
    this.defects = defects;
    this.quarantine = quarantine;
    this.chunkBytes = chunkBytes;
  }

  /** The chunks of `file`. Throws `DeliveryError` when its header is of no known layout. */
  async *chunks(file: OrderFile, tradedate: BeijingDate): AsyncGenerator<ChunkOfLines> {
    const { place, delivered } = file.file;
    const hash = place === delivered.place ? createHash("sha256") : null;
    let sizeBytes = 0;
    let plan: CellPlan | undefined;
    try {
      for await (const bytes of chunksOf(file.file, this.chunkBytes)) {
        this.sourceBytes += bytes.length;
        sizeBytes += bytes.length;
        hash?.update(bytes);
        let from = 0;
        if (plan === undefined) {
          if (bytes.length === 0) {
            this.noteLayout(file.layout);
            this.defects.add("empty_file", 1, { file: file.file.path, line: 0 });
            return;
          }
          const begun = this.begin(file, bytes, tradedate);
          plan = begun.plan;
          from = begun.from;
        }
        yield { bytes, from, plan };
      }
    } finally {
      if (hash !== null) this.sums.set(delivered.place, { sizeBytes, sha256: hash.digest("hex") });
    }
  }

  /** Takes in what a worker found in the next chunk of `file`. */
  async report(file: OrderFile, report: ChunkReport): Promise<void> {
    const { path } = file.file;
    const before = this.linesOf.get(file) ?? 0;
    this.rows += report.rows;
    this.accounted.read += report.read;
    for (const kind of LEFT_OUT_KINDS) {
      const count = report.defects.counts[DEFECT[kind]] ?? 0;
      if (count > 0) this.accounted.leftOut[kind] = (this.accounted.leftOut[kind] ?? 0) + count;
    }
    this.defects.addTally(report.defects, path, before);
    await this.quarantine.add(path, before, report.broken);
    this.linesOf.set(file, before + report.lines);
    const nothing = report.rows === 0 && report.broken.length === 0;
    // One line, the header, stands before the first chunk.
    if (nothing && before === 1 && file.layout.withoutHeader === undefined) {
      this.defects.add("header_only", 1, { file: path, line: 1 });
    }
  }

  private begin(
    file: OrderFile,
    bytes: Uint8Array,
    tradedate: BeijingDate,
  ): { plan: CellPlan; from: number } {
    const { path } = file.file;
    const head = readHead(bytes, file.layout.delimiter);
    const layout = layoutOfHead(file, head);
    this.noteLayout(layout);
    if (head.byteOrderMark) this.defects.add("utf8_bom", 1, { file: path, line: 1 });
    if (layout.trailingComma && head.lineEnd === "LF") {
      this.defects.add("lf_line_ends", 1, { file: path, line: 1 });
    }
    const hasNoHeader = layout.withoutHeader !== undefined;
    this.linesOf.set(file, hasNoHeader ? 0 : 1);
    try {
      const plan = planCells(layout, head, { tradedate, expected: file.security });
      return { plan, from: hasNoHeader ? head.headerFrom : head.bodyFrom };
    } catch (error) {
      throw new DeliveryError(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }

  private noteLayout({ name }: Layout): void {
    this.layouts[name] = (this.layouts[name] ?? 0) + 1;
  }
}

/** The layout by which a file is read: that of its name if the header agrees, else that of its header. */
function layoutOfHead({ file, layout }: OrderFile, head: FileHead): Layout {
  if (layout.withoutHeader !== undefined || hasHeader(layout, head.columns)) return layout;
  const found = layoutOfHeader(head.columns);
  if (found !== undefined && found.delimiter === layout.delimiter) return found;
  throw new DeliveryError(`${file.path} has a header of no known layout`);
}
