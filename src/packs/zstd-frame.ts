/** Reads the structure of a ZSTD frame (RFC 8878, 3.1.1) without decompressing it. */

/** A frame at the start of some bytes. */
export interface ZstdFrame {
  /** Bytes of the whole frame. */
  length: number;
  /** Bytes after decompression, or null if the frame does not state them. */
  contentBytes: number | null;
}

const MAGIC = 0xfd2f_b528;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/** Returns the frame at the start of `bytes`, or null when they do not begin with a whole frame. */
export function frameOf(bytes: Uint8Array): ZstdFrame | null {
  if (uint(bytes, 0, 4) !== MAGIC) return null;
  const descriptor = bytes[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const stated = uint(bytes, at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const contentBytes = sizeBytes === 0 ? null : stated;
  at += sizeBytes;
  for (let isLast = false; !isLast; ) {
    if (at + 3 > bytes.length) return null;
    const header = uint(bytes, at, 3);
    isLast = (header & 1) === 1;
    const type = (header >> 1) & 3;
    if (type === RESERVED_BLOCK) return null;
    at += 3 + (type === RLE_BLOCK ? 1 : header >> 3);
  }
  const length = at + (hasChecksum ? 4 : 0);
  return length <= bytes.length ? { length, contentBytes } : null;
}

/** Returns the little-endian number of `count` bytes at `at`. */
function uint(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let place = 0; place < count; place++) value += (bytes[at + place] ?? 0) * 256 ** place;
  return value;
}
