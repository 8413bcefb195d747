/** Checks the bytes of a section while they are streamed, in pieces of any size. */
import { crc32 } from "node:zlib";
import { PackFormatError } from "./errors.ts";
import { blockEnd, type DayIndex, type SectionEntry } from "./layout.ts";

export class SectionCheck {
  private readonly entry: SectionEntry;
  private offset = 0;
  private sectionCrc = 0;
  private block = 0;
  private blockCrc = 0;

  constructor(entry: SectionEntry) {
    this.entry = entry;
  }

  /** Checks the next bytes of the section. Throws `PackFormatError` at the first corrupt block. */
  push(piece: Uint8Array): void {
    const end = this.offset + piece.length;
    for (let block = this.entry.blocks[this.block]; block !== undefined && block.offset < end; ) {
      const until = blockEnd(this.entry, this.block);
      const from = Math.max(block.offset, this.offset);
      const part = piece.subarray(from - this.offset, Math.min(until, end) - this.offset);
      this.blockCrc = crc32(part, this.blockCrc);
      if (until > end) break;
      if (this.blockCrc !== block.crc) {
        throw new PackFormatError(`block ${this.block} does not match its checksum`);
      }
      this.blockCrc = 0;
      this.block += 1;
      block = this.entry.blocks[this.block];
    }
    this.sectionCrc = crc32(piece, this.sectionCrc);
    this.offset = end;
  }

  /** Throws `PackFormatError` unless the whole section was checked and its checksum is right. */
  finish(): void {
    if (this.offset !== this.entry.length) throw new PackFormatError("the section is truncated");
    if (this.sectionCrc !== this.entry.crc)
      throw new PackFormatError("the section does not match its checksum");
  }
}

/** Checks all sections of a pack against its index while its bytes are streamed in order, in pieces of any size. */
export class PackCheck {
  private readonly entries: SectionEntry[];
  private offset = 0;
  private number = 0;
  private section: SectionCheck | undefined;

  constructor({ entries }: DayIndex) {
    this.entries = entries.filter(({ length }) => length > 0);
  }

  /** Checks the next bytes. Throws `PackFormatError` that names the security of a corrupt section. */
  push(piece: Uint8Array): void {
    const end = this.offset + piece.length;
    for (let entry = this.entries[this.number]; entry !== undefined && entry.offset < end; ) {
      this.section ??= new SectionCheck(entry);
      const until = entry.offset + entry.length;
      const from = Math.max(entry.offset, this.offset);
      const part = piece.subarray(from - this.offset, Math.min(until, end) - this.offset);
      try {
        this.section.push(part);
        if (until <= end) this.section.finish();
      } catch (error) {
        throw error instanceof PackFormatError ? problemIn(entry, error) : error;
      }
      if (until > end) break;
      this.section = undefined;
      this.number += 1;
      entry = this.entries[this.number];
    }
    this.offset = end;
  }

  /** Throws `PackFormatError` unless every section was checked. */
  finish(): void {
    const entry = this.entries[this.number];
    if (entry !== undefined) throw problemIn(entry, new PackFormatError("the section is truncated"));
  }
}

/** Returns `error` with the security of `entry` in its message. */
function problemIn({ symbol, market }: SectionEntry, error: PackFormatError): PackFormatError {
  return new PackFormatError(`${symbol}.${market}: ${error.message}`, { cause: error });
}
