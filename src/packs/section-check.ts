/** Checks the bytes of a section as they pass, in pieces of any size. */
import { crc32 } from "node:zlib";
import { PackFormatError } from "./errors.ts";
import { blockEnd, type SectionEntry } from "./layout.ts";

export class SectionCheck {
  private readonly entry: SectionEntry;
  private offset = 0;
  private sectionCrc = 0;
  private block = 0;
  private blockCrc = 0;

  constructor(entry: SectionEntry) {
    this.entry = entry;
  }

  /** Takes the next bytes of the section; throws `PackFormatError` at the first block that is not right. */
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

  /** Throws `PackFormatError` unless the whole section has passed and its checksum is right. */
  finish(): void {
    if (this.offset !== this.entry.length) throw new PackFormatError("the section is cut short");
    if (this.sectionCrc !== this.entry.crc)
      throw new PackFormatError("the section does not match its checksum");
  }
}
