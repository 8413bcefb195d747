/** Cuts data files into chunks of lines for the workers and collects the workers' reports by file. */
import { createHash } from "node:crypto";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DefectBook } from "./defect-book.ts";
import type { DatasetFile } from "./delivery/dataset-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import { type Heading, headingOf } from "./layouts/registry.ts";
import { type CellPlan, planCells } from "./parse/cell-plan.ts";
import { chunksOf } from "./parse/chunks.ts";
import { DEFECT, LEFT_OUT_KINDS } from "./parse/defects.ts";
import { type FileHead, readHead } from "./parse/file-head.ts";
import { openText, type TextForm } from "./parse/text-source.ts";
import type { Quarantine } from "./quarantine.ts";
import type { ChunkOfLines, ChunkReport, SectionRepeats } from "./work.ts";

/** Collects the results of all files. The chunks of a file must be reported in order. */
export class Intake {
  sourceBytes = 0;
  /** The number of rows read, and the number of rows left out for each reason. */
  readonly accounted = { read: 0, leftOut: {} as Record<string, number> };
  /**
   * The size and SHA-256 of each delivered file, by its path on disk. Files that were unpacked or converted before they
   * were read are absent.
   */
  readonly sums = new Map<string, { sizeBytes: number; sha256: string }>();
  readonly layouts: Record<string, number> = {};
  private readonly defects: DefectBook;
  private readonly quarantine: Quarantine;
  private readonly chunkBytes: number;
  private readonly linesOf = new Map<DatasetFile, number>();
  /** The reason why a file could not be read, by file. */
  private readonly refused = new Map<DatasetFile, string>();

  /** Creates an intake that cuts files into chunks of about `chunkBytes`. */
  constructor(defects: DefectBook, quarantine: Quarantine, chunkBytes: number) {
    this.defects = defects;
    this.quarantine = quarantine;
    this.chunkBytes = chunkBytes;
  }

  /**
   * Yields the chunks of `file`, or none when it cannot be read and is quarantined as a whole. Throws `DeliveryError`
   * when reading fails after some rows were read.
   */
  async *chunks(file: DatasetFile, tradedate: BeijingDate): AsyncGenerator<ChunkOfLines> {
    let isBegun = false;
    try {
      if (file.problem !== undefined) throw new DeliveryError(file.problem);
      for await (const chunk of this.linesIn(file, tradedate)) {
        isBegun = true;
        yield chunk;
      }
    } catch (error) {
      if (isBegun || !(error instanceof DeliveryError)) throw error;
      this.refused.set(file, error.message);
    }
  }

  /** Returns whether `file` is quarantined as a whole. */
  isRefused(file: DatasetFile): boolean {
    return this.refused.has(file);
  }

  /**
   * Quarantines the unreadable files in the order of `files`. Throws `DeliveryError` when there are such files and no
   * row was read.
   */
  async quarantineFiles(files: readonly DatasetFile[]): Promise<void> {
    for (const file of files) {
      const problem = this.refused.get(file);
      const { path } = file.file;
      if (problem === undefined) continue;
      await this.quarantine.addFile(
        path,
        problem.startsWith(path) ? problem.slice(path.length).replace(/^[: ]+/, "") : problem,
      );
    }
    const [problem] = this.refused.values();
    if (problem !== undefined && this.accounted.read === 0) throw new DeliveryError(problem);
  }

  /** Adds a worker's report on the next chunk of `file`. */
  async report(file: DatasetFile, report: ChunkReport): Promise<void> {
    const { path } = file.file;
    const before = this.linesOf.get(file) ?? 0;
    this.accounted.read += report.read;
    for (const kind of LEFT_OUT_KINDS) this.leaveOut(kind, report.defects.counts[DEFECT[kind]] ?? 0);
    this.defects.addTally(report.defects, path, before);
    await this.quarantine.add(path, before, report.broken);
    this.linesOf.set(file, before + report.lines);
    const nothing = report.rows === 0 && report.broken.length === 0;
    // Before the first chunk, only the header line has been counted.
    if (nothing && before === 1 && file.layout.withoutHeader === undefined) {
      this.defects.add("header_only", 1, { file: path, line: 1 });
    }
  }

  /**
   * Records the repeated rows of `file` that were left out of the section of `security`. Quarantines rows that have the
   * same sequence number as an earlier row, but different content.
   */
  async repeats(file: DatasetFile, security: string, { repeated, identical, conflicts }: SectionRepeats) {
    const { path } = file.file;
    this.leaveOut("repeated_row", repeated);
    if (repeated > 0) this.defects.add("repeated_row", repeated, { file: path, line: 0 });
    if (identical > 0) this.defects.add("identical_row", identical, { file: path, line: 0 });
    const reason = `${security}: has the same sequence number as another row, but different content`;
    await this.quarantine.add(
      path,
      0,
      conflicts.map((text) => ({ line: 0, reason, text })),
    );
  }

  /** Records a security whose rows are in several files. */
  noteParts(file: DatasetFile | undefined): void {
    this.defects.add("several_files", 1, { file: file?.file.path ?? "", line: 0 });
  }

  private leaveOut(kind: (typeof LEFT_OUT_KINDS)[number], count: number): void {
    if (count > 0) this.accounted.leftOut[kind] = (this.accounted.leftOut[kind] ?? 0) + count;
  }

  /** Yields the file's chunks of lines. Throws `DeliveryError` when the header fits no layout. */
  private async *linesIn(file: DatasetFile, tradedate: BeijingDate): AsyncGenerator<ChunkOfLines> {
    const { place, delivered } = file.file;
    const hash = place === delivered.place ? createHash("sha256") : null;
    let sizeBytes = 0;
    const text = await openText(file.file, (bytes) => {
      this.sourceBytes += bytes.length;
      sizeBytes += bytes.length;
      hash?.update(bytes);
    });
    try {
      let plan: CellPlan | undefined;
      let isContinued = false;
      for await (const bytes of chunksOf(text, this.chunkBytes)) {
        let from = 0;
        if (plan === undefined) {
          if (bytes.length === 0) {
            this.noteLayout(file.layout.name);
            this.defects.add("empty_file", 1, { file: file.file.path, line: 0 });
            return;
          }
          const head = readHead(bytes, file.layout.delimiter);
          const heading = this.begin(file, head, text.form);
          plan = planCells(heading.layout, heading.columns, { tradedate, expected: file.security });
          isContinued = heading.lines > 0;
          from = isContinued ? head.bodyFrom : head.headerFrom;
        }
        yield { bytes, from, isContinued, plan };
        isContinued = true;
      }
    } finally {
      await text.close();
      if (hash !== null) this.sums.set(delivered.place, { sizeBytes, sha256: hash.digest("hex") });
    }
  }

  private begin(file: DatasetFile, head: FileHead, form: TextForm): Heading {
    const heading = headingOf(file.layout, head);
    if ("problem" in heading) throw new DeliveryError(`${file.file.path}${heading.problem}`);
    const place = { file: file.file.path, line: 1 };
    const { layout, lines, isSurplus } = heading;
    this.noteLayout(layout.name);
    this.linesOf.set(file, lines);
    if (head.byteOrderMark) this.defects.add("utf8_bom", 1, place);
    if (form.encoding !== null) this.defects.add("utf16", 1, place);
    if (form.crOnly) this.defects.add("cr_line_ends", 1, place);
    else if (layout.trailingComma && head.endsWithLf) this.defects.add("lf_line_ends", 1, place);
    if (isSurplus) this.defects.add("header_line", 1, place);
    return heading;
  }

  private noteLayout(name: string): void {
    this.layouts[name] = (this.layouts[name] ?? 0) + 1;
  }
}
