/** A running hash of rows: whether rows that were handed out and forgotten are the same when read again. */
import type { Row } from "./page.ts";

/** 53 bits of two multiplicative hashes: against chance, not against an adversary. */
export class Fingerprint {
  #a = 0xdeadbeef;
  #b = 0x41c6ce57;
  #rows = 0;

  /** Rows hashed so far. */
  get rows(): number {
    return this.#rows;
  }

  add(row: Row): void {
    const text = JSON.stringify(row);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      this.#a = Math.imul(this.#a ^ unit, 2654435761);
      this.#b = Math.imul(this.#b ^ unit, 1597334677);
    }
    this.#a ^= this.#b >>> 16;
    this.#b ^= this.#a >>> 13;
    this.#rows++;
  }

  equals(other: Fingerprint): boolean {
    return this.#rows === other.#rows && this.#a === other.#a && this.#b === other.#b;
  }
}
