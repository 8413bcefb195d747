/**
 * Texts as bytes in one buffer, each from a whole step on, so that they are copied step by step instead of byte
 * by byte: a page of JSON is made of 90,000 short texts.
 */

/** Bytes of a step. */
const STEP = 8;

/** A copied text spoils up to this many bytes behind its end. */
export const SPILL_BYTES = STEP - 1;

/** Texts of an arena, by number. */
export interface Texts {
  starts: Uint32Array;
  lengths: Uint32Array;
}

export class TextArena {
  /** The buffer; another one after a `take` that needed more room. */
  view = new DataView(new ArrayBuffer(1 << 18));
  private end = 0;

  /** Forgets all texts. The memory stays: fresh memory costs more than the texts. */
  clear(): void {
    this.end = 0;
  }

  /** The place of `sizeBytes` bytes that nobody else gets until `clear`. */
  take(sizeBytes: number): number {
    const start = this.end;
    this.end += (sizeBytes + STEP - 1) & -STEP;
    if (this.end > this.view.byteLength) {
      const larger = new Uint8Array(2 * this.end);
      larger.set(new Uint8Array(this.view.buffer));
      this.view = new DataView(larger.buffer);
    }
    return start;
  }

  /** Writes `bytes` at `start`, a place that was taken. */
  set(start: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.view.setUint8(start + at, bytes[at] ?? 0);
  }

  /** Takes room for `bytes` and writes them there; returns their place. */
  add(bytes: Uint8Array): number {
    const start = this.take(bytes.length);
    this.set(start, bytes);
    return start;
  }

  /** Copies the first `count` of `texts` to `out` from `from` on, without gaps; returns the place behind them. */
  copy({ starts, lengths }: Texts, count: number, out: DataView, from: number): number {
    const { view } = this;
    let at = from;
    for (let text = 0; text < count; text++) {
      const start = starts[text] ?? 0;
      const length = lengths[text] ?? 0;
      for (let step = 0; step < length; step += STEP) {
        out.setBigUint64(at + step, view.getBigUint64(start + step, true), true);
      }
      at += length;
    }
    return at;
  }
}
