/** Gives each distinct text of a code column a number, without creating a string for each row. */
import { decodeText } from "./file-head.ts";

/** A column with more distinct codes is not a code column. */
const MOST_CODES = 60_000;

export class CodeTable {
  readonly values: string[] = [];
  /** For each cell of one byte, 1 + the number of its text; 0 if the text has not occurred yet. */
  private readonly ofByte = new Uint16Array(256);
  private readonly ofText = new Map<string, number>();
  /** The number of the empty text; -1 if it has not occurred yet. */
  private ofEmpty = -1;

  /** Returns the number of the text in `bytes[from, to)`. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 1) {
      const byte = bytes[from] ?? 0;
      const known = this.ofByte[byte] ?? 0;
      if (known > 0) return known - 1;
      const number = this.add(String.fromCharCode(byte));
      this.ofByte[byte] = number + 1;
      return number;
    }
    if (from < to) return this.add(decodeText(bytes.subarray(from, to)));
    if (this.ofEmpty < 0) this.ofEmpty = this.add("");
    return this.ofEmpty;
  }

  private add(text: string): number {
    let number = this.ofText.get(text);
    if (number === undefined) {
      number = this.values.length;
      if (number >= MOST_CODES) throw new Error(`a column has more than ${MOST_CODES} different codes`);
      this.values.push(text);
      this.ofText.set(text, number);
    }
    return number;
  }
}
