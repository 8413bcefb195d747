/** Splits a line into cells without copying. */

const LF = 10;
const CR = 13;
const QUOTE = 34;

/** A line with more cells cannot be a row; a row of the vendor's quotes has 67. */
const MOST_CELLS = 128;

export class LineCells {
  readonly from = new Int32Array(MOST_CELLS + 1);
  readonly to = new Int32Array(MOST_CELLS + 1);
  count = 0;
  /** The bounds of the line without its line end. */
  lineFrom = 0;
  lineTo = 0;
  /** False for a last line without a line end. */
  ended = false;
  /** Whether a cell was in quotation marks. */
  quoted = false;
  /** Number of NUL bytes in the line. */
  nuls = 0;

  /** Splits the line that begins at `start` and returns the start of the next one. Blanks stay in the cells. */
  split(bytes: Uint8Array, start: number, delimiter: number): number {
    const { from, to } = this;
    const length = bytes.length;
    let count = 0;
    let at = start;
    from[0] = start;
    this.quoted = false;
    this.nuls = 0;
    for (; at < length; at++) {
      const byte = bytes[at] ?? 0;
      // Digits, letters and points are greater than every byte that ends a cell.
      if (byte > 44) continue;
      if (byte === delimiter) {
        to[count] = at;
        if (count < MOST_CELLS) count += 1;
        from[count] = at + 1;
      } else if (byte === LF) {
        break;
      } else if (byte === QUOTE) {
        return this.splitQuoted(bytes, start, delimiter);
      } else if (byte === 0) {
        this.nuls += 1;
      }
    }
    this.finish(bytes, start, at, count);
    return at + 1;
  }

  private finish(bytes: Uint8Array, start: number, end: number, count: number): void {
    this.lineFrom = start;
    this.ended = end < bytes.length;
    this.lineTo = end > start && bytes[end - 1] === CR ? end - 1 : end;
    this.to[count] = this.lineTo;
    this.count = count + 1;
  }

  /** Splits a line with quotation marks, inside which a delimiter is text. Cells lose their quotation marks. */
  private splitQuoted(bytes: Uint8Array, start: number, delimiter: number): number {
    const { from, to } = this;
    let count = 0;
    let inside = false;
    let at = start;
    from[0] = start;
    this.quoted = true;
    this.nuls = 0;
    for (; at < bytes.length && bytes[at] !== LF; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) inside = !inside;
      if (byte === 0) this.nuls += 1;
      if (byte !== delimiter || inside) continue;
      to[count] = at;
      if (count < MOST_CELLS) count += 1;
      from[count] = at + 1;
    }
    this.finish(bytes, start, at, count);
    for (let cell = 0; cell < this.count; cell++) {
      const first = from[cell] ?? 0;
      const last = (to[cell] ?? 0) - 1;
      if (last <= first || bytes[first] !== QUOTE || bytes[last] !== QUOTE) continue;
      from[cell] = first + 1;
      to[cell] = last;
    }
    return at + 1;
  }
}
