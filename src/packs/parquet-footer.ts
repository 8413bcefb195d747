/** Checks the footer of a daily file: Parquet with ZSTD on every column (contract 8.7). */
import { type FileMetaData, parquetMetadata } from "hyparquet";
import { PARQUET_MAGIC } from "./layout.ts";
import type { ReadRange } from "./locate.ts";

/** Footer length as u32, then `PAR1`. */
const TAIL_BYTES = 8;

/**
 * The largest accepted footer; a larger one would not fit in memory. The footer of an auction pack takes some
 * kilobytes; the footer of a file with a whole day takes some megabytes.
 */
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;

/**
 * Returns the problem of a file as a clause. Returns null if the file is Parquet, has rows, uses ZSTD for every column
 * chunk and passes `alsoCheck`. `readRange` reads the file, which has `sizeBytes` bytes.
 */
export function zstdProblem(
  sizeBytes: number,
  readRange: ReadRange,
  alsoCheck: (metadata: FileMetaData) => string | null,
): Promise<string | null> {
  return footerProblem(sizeBytes, readRange, (metadata) => {
    if (metadata.num_rows <= 0n) return "it has no rows";
    for (const { columns } of metadata.row_groups) {
      for (const { meta_data: chunk } of columns) {
        const name = chunk?.path_in_schema.join(".") ?? "";
        if (chunk?.codec !== "ZSTD") return `its column ${name} is compressed with ${chunk?.codec}, not ZSTD`;
      }
    }
    return alsoCheck(metadata);
  });
}

/** Returns null when the file is Parquet with a readable footer; else the problem as a clause. */
export function parquetProblem(sizeBytes: number, readRange: ReadRange): Promise<string | null> {
  return footerProblem(sizeBytes, readRange, () => null);
}

async function footerProblem(
  sizeBytes: number,
  readRange: ReadRange,
  check: (metadata: FileMetaData) => string | null,
): Promise<string | null> {
  if (sizeBytes < PARQUET_MAGIC.length + TAIL_BYTES) return "it is too short to be Parquet";
  const tail = await readRange(sizeBytes - TAIL_BYTES, TAIL_BYTES);
  const head = await readRange(0, PARQUET_MAGIC.length);
  if (!isMagic(head) || !isMagic(tail.subarray(4))) return "it does not begin and end with PAR1";
  const footerLength = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  const footerOffset = sizeBytes - TAIL_BYTES - footerLength;
  if (footerLength > MAX_FOOTER_BYTES || footerOffset < PARQUET_MAGIC.length) {
    return `its Parquet footer cannot have ${footerLength} bytes`;
  }
  const footer = await readRange(footerOffset, footerLength + TAIL_BYTES);
  let metadata: FileMetaData;
  try {
    metadata = parquetMetadata(footer);
  } catch {
    return "its Parquet footer cannot be read";
  }
  return check(metadata);
}

function isMagic(bytes: Uint8Array): boolean {
  return PARQUET_MAGIC.every((byte, i) => bytes[i] === byte);
}
