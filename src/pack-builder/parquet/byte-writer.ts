/** A growing little-endian byte buffer. `clear` keeps the memory, so that one instance serves many pages. */
export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  private view: DataView<ArrayBuffer>;

  constructor(capacity = 1 << 16) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  clear(): void {
    this.length = 0;
  }

  /**
   * Reserves space for `count` further bytes and returns their start. The call may replace `bytes`, so read it
   * afterwards. The caller advances `length`.
   */
  reserve(count: number): number {
    const needed = this.length + count;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.bytes.length * 2, needed));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    return this.length;
  }

  byte(value: number): void {
    const at = this.reserve(1);
    this.bytes[at] = value;
    this.length += 1;
  }

  uint32(value: number): void {
    const at = this.reserve(4);
    this.view.setUint32(at, value, true);
    this.length += 4;
  }

  double(value: number): void {
    const at = this.reserve(8);
    this.view.setFloat64(at, value, true);
    this.length += 8;
  }

  /** Writes a signed integer within ±2^53 as eight bytes. */
  int64(value: number): void {
    const at = this.reserve(8);
    this.view.setUint32(at, value >>> 0, true);
    this.view.setInt32(at + 4, Math.floor(value / 0x1_0000_0000), true);
    this.length += 8;
  }

  /** Writes an unsigned LEB128 integer below 2^53. Uses division, because `>>>` works only below 2^32. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  /** Writes a signed integer within ±2^52 in zigzag coding. */
  zigzag(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  append(source: Uint8Array): void {
    const at = this.reserve(source.length);
    this.bytes.set(source, at);
    this.length += source.length;
  }

  /** Returns the bytes written so far; valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Returns a copy of the bytes written so far. */
  take(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }
}
