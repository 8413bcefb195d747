/**
 * The Parquet answer (contract 6): one R2 read of a section, streamed without decoding, with at most one row group in
 * memory. The last four bytes, without which the file is invalid, are sent only after every check has passed.
 */
import { crc32 } from "node:zlib";
import type { Dataset } from "../datasets/dataset.ts";
import { ByteStream } from "./byte-stream.ts";
import { decodeChunkTable } from "./chunk-table.ts";
import { asReadError, PackFormatError } from "./errors.ts";
import { blockEnd, PARQUET_MAGIC, type SectionEntry } from "./layout.ts";
import { type AskedColumn, type ProjectedFile, projectedFile } from "./projected-file.ts";
import { openRange, type PackObject } from "./read-range.ts";
import { SectionCheck } from "./section-check.ts";

/** The size of a piece: small enough that many concurrent answers fit into one isolate, even if clients do not read. */
export const PIECE_BYTES = 64 * 1024;

/** A file that is read while it is sent. */
export interface ParquetAnswer {
  /** The exact length of the file. */
  sizeBytes: number;
  rows: number;
  /** Bytes read from the pack. */
  readBytes: number;
  /**
   * Writes the file, waiting for each write. Calls `beforeLastBytes` once, after every check has passed and before the
   * last four bytes. Throws `PackReadError` `damaged` at the first corrupt block; the caller then aborts the body. Call
   * it once.
   */
  pump(writer: WritableStreamDefaultWriter<Uint8Array>, beforeLastBytes: () => Promise<void>): Promise<void>;
}

/**
 * Opens the Parquet answer of the section `entry` of a pack of `dataset`. The file is the section as stored or, unless
 * `columns` is null, has only these columns (in this order, under these names, each name once). Returns when the first
 * bytes have been read. Throws `PackReadError` as `openRange` does, and `damaged` when the chunk table is invalid.
 *
 * @example const file = await openParquetAnswer(env.PACKS, pack, entry, [{ field: "price", name: "price" }]);
 */
export async function openParquetAnswer(
  bucket: R2Bucket,
  pack: PackObject,
  entry: SectionEntry,
  columns: readonly AskedColumn<string>[] | null,
  dataset: Dataset,
): Promise<ParquetAnswer> {
  // Chosen columns get a new footer, so the section's footer is not read.
  const readBytes = columns === null ? entry.length : entry.length - entry.footerLength;
  const object = await openRange(bucket, pack, { offset: entry.offset, length: readBytes });
  const stream = new ByteStream(object.body);
  const what = `${entry.symbol}.${entry.market} in ${pack.objectKey}`;
  const answer = (sizeBytes: number, copy: (output: Output) => Promise<void>): ParquetAnswer => ({
    sizeBytes,
    rows: entry.rows,
    readBytes,
    pump: (writer, beforeLastBytes) => guarded(stream, what, () => copy(new Output(writer, beforeLastBytes))),
  });
  if (columns === null) {
    // If the object cannot be read, this read fails, and the client can still receive a refusal instead of a file.
    const first = await guarded(stream, what, () => exactly(stream, pieceLength(entry.length)));
    return answer(entry.length, (output) => copySection(stream, entry, first, output));
  }
  const file = await guarded(stream, what, async () =>
    projectedFile(entry, await readChunkTable(stream, entry, dataset), columns, dataset),
  );
  return answer(file.sizeBytes, (output) => copyColumns(stream, entry, file, output));
}

/** Writes an answer, and holds back its last four bytes until `beforeLastBytes` resolves. */
class Output {
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly beforeLastBytes: () => Promise<void>;

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>, beforeLastBytes: () => Promise<void>) {
    this.writer = writer;
    this.beforeLastBytes = beforeLastBytes;
  }

  write(piece: Uint8Array): Promise<void> {
    return this.writer.write(piece);
  }

  /** Writes the last piece, which has at least four bytes. Its last four bytes are written after `beforeLastBytes`. */
  async finish(piece: Uint8Array): Promise<void> {
    const split = piece.length - PARQUET_MAGIC.length;
    if (split > 0) await this.writer.write(piece.subarray(0, split));
    await this.beforeLastBytes();
    await this.writer.write(piece.subarray(split));
  }
}

/**
 * Returns the length of the next piece when `left` bytes are still to be sent. The last piece is never shorter than
 * `PIECE_BYTES`, unless the whole section is.
 */
function pieceLength(left: number): number {
  return left < 2 * PIECE_BYTES ? left : PIECE_BYTES;
}

async function copySection(
  stream: ByteStream,
  entry: SectionEntry,
  first: Uint8Array,
  output: Output,
): Promise<void> {
  const check = new SectionCheck(entry);
  let piece = first;
  for (let left = entry.length - piece.length; ; left -= piece.length) {
    check.push(piece);
    if (left === 0) break;
    await output.write(piece);
    piece = await exactly(stream, pieceLength(left));
  }
  check.finish();
  await output.finish(piece);
}

async function copyColumns(
  stream: ByteStream,
  entry: SectionEntry,
  { keep, tail }: ProjectedFile,
  output: Output,
): Promise<void> {
  await output.write(PARQUET_MAGIC.slice());
  for (const [number, block] of entry.blocks.entries()) {
    const bytes = await exactly(stream, blockEnd(entry, number) - block.offset);
    if (crc32(bytes) !== block.crc) throw new PackFormatError(`block ${number} does not match its checksum`);
    for (const { offset, length } of keep[number] ?? []) {
      await output.write(bytes.subarray(offset, offset + length));
    }
  }
  await output.finish(tail);
}

async function readChunkTable(stream: ByteStream, entry: SectionEntry, { columns }: Dataset) {
  const head = await exactly(stream, entry.blocks[0]?.offset ?? 0);
  return decodeChunkTable(head.subarray(PARQUET_MAGIC.length), entry.blocks.length, columns.length);
}

async function exactly(stream: ByteStream, length: number): Promise<Uint8Array> {
  const bytes = await stream.read(length);
  if (bytes.length !== length)
    throw new PackFormatError(`the data ends ${length - bytes.length} bytes early`);
  return bytes;
}

/** Runs `work`. When it fails, cancels `stream`. A `PackFormatError` becomes a `PackReadError` that names `what`. */
async function guarded<T>(stream: ByteStream, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    stream.cancel();
    throw error instanceof PackFormatError ? asReadError(error, what) : error;
  }
}
