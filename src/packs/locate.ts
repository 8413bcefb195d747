/** Finds and reads the day index of a pack in any storage. Publish, verify and doctor use it. */
import type { DatasetName } from "../datasets/registry.ts";
import { PackFormatError } from "./errors.ts";
import { decodeIndexRegion, regionLength, TRAILER_BYTES } from "./index-region.ts";
import { type DayIndex, PARQUET_MAGIC } from "./layout.ts";

/** Reads `length` bytes from byte `offset` of one pack. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/** The index of a pack and the positions around it, in bytes from the start of the object. */
export interface LocatedIndex {
  index: DayIndex;
  /** The start of the index region. The last section ends here. */
  regionOffset: number;
  /** The start of the global footer. The index region, including its trailer, ends here. */
  footerOffset: number;
  /** Bytes of the global footer without its length field and `PAR1`. */
  footerLength: number;
}

/** Footer length as u32, then `PAR1`. */
const TAIL_BYTES = 8;

/**
 * Returns the day index of a pack. Takes three reads from the end of the pack, which has `sizeBytes` bytes. Throws
 * `PackFormatError` when the object is not a pack of one of the `datasets`, is truncated, or contradicts its index.
 */
export async function locateIndex(
  sizeBytes: number,
  readRange: ReadRange,
  datasets: readonly DatasetName[] = ["orders"],
): Promise<LocatedIndex> {
  const tail = await readExactly(readRange, sizeBytes - TAIL_BYTES, TAIL_BYTES);
  if (!PARQUET_MAGIC.every((byte, index) => tail[TAIL_BYTES - 4 + index] === byte)) {
    throw new PackFormatError("the object does not end with PAR1");
  }
  const footerLength = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  const footerOffset = sizeBytes - TAIL_BYTES - footerLength;
  const trailer = await readExactly(readRange, footerOffset - TRAILER_BYTES, TRAILER_BYTES);
  const length = regionLength(trailer);
  const regionOffset = footerOffset - length;
  const index = decodeIndexRegion(await readExactly(readRange, regionOffset, length));
  if (!datasets.includes(index.dataset)) {
    throw new PackFormatError(
      `this is a pack of ${index.dataset}; a pack of ${datasets.join(" or ")} is expected here`,
    );
  }
  const sectionsEnd = index.entries.reduce((end, entry) => Math.max(end, entry.offset + entry.length), 0);
  if (sectionsEnd !== regionOffset) {
    throw new PackFormatError(
      `the sections end at byte ${sectionsEnd}, but the index region begins at byte ${regionOffset}`,
    );
  }
  return { index, regionOffset, footerOffset, footerLength };
}

async function readExactly(readRange: ReadRange, offset: number, length: number): Promise<Uint8Array> {
  if (offset < 0) throw new PackFormatError("the object is too short to be a pack");
  const bytes = await readRange(offset, length);
  if (bytes.length !== length) {
    throw new PackFormatError(
      `${length} bytes were requested from byte ${offset}, but ${bytes.length} were read`,
    );
  }
  return bytes;
}
