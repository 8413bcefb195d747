/**
 * Writes the quarantine file beside the pack: every invalid line with its file, line number and reason, and every
 * unreadable file with line 0.
 */
import { appendFile, rename, rm } from "node:fs/promises";
import type { Place } from "./defect-book.ts";
import type { BrokenLine } from "./parse/defects.ts";

export interface BrokenRow extends Place {
  reason: string;
}

export class Quarantine {
  readonly path: string;
  /** The number of quarantined lines, not counting files quarantined as a whole. */
  count = 0;
  /** The number of files quarantined as a whole. */
  files = 0;
  first: BrokenRow | null = null;
  private readonly partial: string;

  /**
   * Creates a quarantine that will be stored at `path`. The first broken line or file creates the temporary file
   * `partial`.
   */
  constructor(path: string, partial: string) {
    this.path = path;
    this.partial = partial;
  }

  /** Adds lines of one chunk of `file`; `linesBefore` is the number of lines before the chunk. */
  async add(file: string, linesBefore: number, lines: readonly BrokenLine[]): Promise<void> {
    if (lines.length === 0) return;
    this.count += lines.length;
    await this.write(
      lines.map(({ line, reason, text }) => ({ file, line: linesBefore + line, reason, text })),
    );
  }

  /** Adds `file` as a whole; `reason` is a clause that follows the file's name in messages. */
  async addFile(file: string, reason: string): Promise<void> {
    this.files += 1;
    await this.write([{ file, line: 0, reason, text: "" }]);
  }

  private async write(records: (BrokenRow & { text: string })[]): Promise<void> {
    const header = this.first === null ? "file,line,reason,text\n" : "";
    const [first] = records;
    if (first !== undefined) this.first ??= { file: first.file, line: first.line, reason: first.reason };
    const lines = records.map(
      ({ file, line, reason, text }) => `${quoted(file)},${line},${quoted(reason)},${quoted(text)}\n`,
    );
    // A build that fails does not call `finish`, so the file is not kept open.
    await appendFile(this.partial, header + lines.join(""));
  }

  /**
   * Renames the temporary file to `path`. When nothing was quarantined, removes the file that an earlier build left
   * there.
   */
  async finish(): Promise<void> {
    if (this.first === null) await rm(this.path, { force: true });
    else await rename(this.partial, this.path);
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
