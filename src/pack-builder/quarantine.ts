/** The file beside the pack that keeps every line that could not be a row: file, line, reason and the line itself. */
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { Place } from "./defect-book.ts";
import type { BrokenLine } from "./parse/defects.ts";

export interface BrokenRow extends Place {
  reason: string;
}

export class Quarantine {
  readonly path: string;
  /** How many lines are in it. */
  count = 0;
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
    const [first] = lines;
    if (first === undefined) return;
    this.first ??= { file, line: linesBefore + first.line, reason: first.reason };
    this.count += lines.length;
    if (this.file === undefined) {
      this.file = await open(this.partial, "w");
      await this.file.write("file,line,reason,text\n");
    }
    const records = lines.map(
      ({ line, reason, text }) => `${quoted(file)},${linesBefore + line},${quoted(reason)},${quoted(text)}\n`,
    );
    await this.file.write(records.join(""));
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
