/**
 * The file beside the pack that keeps every line that could not be a row: file, line, reason and the line itself; and
 * the names of files that could not be read at all, with line 0.
 */
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { Place } from "./defect-book.ts";
import type { BrokenLine } from "./parse/defects.ts";

export interface BrokenRow extends Place {
  reason: string;
}

export class Quarantine {
  readonly path: string;
  /** How many lines are in it, files aside. */
  count = 0;
  /** How many files are in it as a whole. */
  files = 0;
  first: BrokenRow | null = null;
  private readonly partial: string;
  private file: FileHandle | undefined;

  /** Nothing is written before the first broken line, and then to `partial` until the end. */
  constructor(path: string, partial: string) {
    this.path = path;
    this.partial = partial;
  }

  /** Keeps lines of `file`; `linesBefore` is how many lines of the file stand before the first line they count from. */
  async add(file: string, linesBefore: number, lines: readonly BrokenLine[]): Promise<void> {
    if (lines.length === 0) return;
    this.count += lines.length;
    await this.write(
      lines.map(({ line, reason, text }) => ({ file, line: linesBefore + line, reason, text })),
    );
  }

  /** Keeps `file` as a whole; `reason` is a clause behind its name. */
  async addFile(file: string, reason: string): Promise<void> {
    this.files += 1;
    await this.write([{ file, line: 0, reason, text: "" }]);
  }

  private async write(records: (BrokenRow & { text: string })[]): Promise<void> {
    const [first] = records;
    if (first !== undefined) this.first ??= { file: first.file, line: first.line, reason: first.reason };
    if (this.file === undefined) {
      this.file = await open(this.partial, "w");
      await this.file.write("file,line,reason,text\n");
    }
    const lines = records.map(
      ({ file, line, reason, text }) => `${quoted(file)},${line},${quoted(reason)},${quoted(text)}\n`,
    );
    await this.file.write(lines.join(""));
  }

  /** Gives the file its name; a run without broken lines removes what an earlier one left. */
  async finish(): Promise<void> {
    await this.file?.close();
    if (this.file !== undefined) return rename(this.partial, this.path);
    await rm(this.path, { force: true });
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
