/**
 * Writes a column chunk: a dictionary page if the chunk has a dictionary, and one data page (version 1). Each page is
 * compressed with ZSTD into a frame that states its content size.
 */
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { ZstdContext } from "../../packs/zstd-context.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { ByteWriter as Bytes } from "./byte-writer.ts";
import { bitWidth, packedWhole, rleBitPacked } from "./encodings.ts";
import { ThriftWriter } from "./thrift-writer.ts";

/** Encoding numbers of the Parquet format. */
export const ENCODING = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8 } as const;

/** The default compression level. Level 9 takes longer and makes whole packs less than 1 % smaller. */
const ZSTD_LEVEL = 7;
/** The compression level of dictionaries. Level 9 takes two to five times as long and saves nothing. */
const DICTIONARY_LEVEL = 5;

/** A frame can be larger than its content, by at most these bytes plus 1/256 of the content (`ZSTD_compressBound`). */
const MOST_FRAME_BYTES = 64;

/** The position and size of a chunk; offsets are relative to the section. */
export interface ChunkPlace {
  offset: number;
  dataOffset: number;
  /** Bytes in the file, including page headers. */
  size: number;
  /** The size before compression, including page headers. */
  rawSize: number;
}

const header = new ThriftWriter(new Bytes(64));
const body = new Bytes(1 << 18);

const frame = new Bytes(1 << 18);
/** The contexts by level; `null` when the runtime does not offer a context. */
const contexts = new Map<number, ZstdContext | null>();

/** Returns `bytes` as a ZSTD frame, valid until the next call. A reused context makes the same frames as a new one. */
function compress(bytes: Uint8Array, level: number): Uint8Array {
  const settings = { params: { [constants.ZSTD_c_compressionLevel]: level } };
  let context = contexts.get(level);
  if (context === undefined) {
    context = ZstdContext.of(() => createZstdCompress(settings));
    contexts.set(level, context);
  }
  frame.reserve(bytes.length + (bytes.length >> 8) + MOST_FRAME_BYTES);
  const length = context?.run(constants.ZSTD_e_end, bytes, frame.bytes) ?? -1;
  if (length > 0) return frame.bytes.subarray(0, length);
  context?.close();
  contexts.set(level, null);
  return zstdCompressSync(bytes, settings);
}

function pageHeader(
  type: "data" | "dictionary",
  rawSize: number,
  size: number,
  values: number,
  encoding: number,
) {
  header.out.clear();
  header.begin();
  header.i32(1, type === "data" ? 0 : 2);
  header.i32(2, rawSize);
  header.i32(3, size);
  header.struct(type === "data" ? 5 : 7);
  header.i32(1, values);
  header.i32(2, encoding);
  if (type === "data") {
    header.i32(3, ENCODING.RLE);
    header.i32(4, ENCODING.RLE);
  }
  header.end();
  header.end();
  return header.out.written();
}

/** Compresses `body` and appends it as a page. Returns the page's uncompressed size, including the header. */
function page(
  out: ByteWriter,
  type: "data" | "dictionary",
  values: number,
  encoding: number,
  level: number,
): number {
  const compressed = compress(body.written(), level);
  const head = pageHeader(type, body.length, compressed.length, values, encoding);
  out.append(head);
  out.append(compressed);
  return head.length + body.length;
}

/** Appends a chunk of `rows` values without a dictionary; `fill` writes the encoded values. */
export function plainChunk(
  out: ByteWriter,
  rows: number,
  encoding: number,
  fill: (body: ByteWriter) => void,
  level = ZSTD_LEVEL,
): ChunkPlace {
  const offset = out.length;
  body.clear();
  fill(body);
  const rawSize = page(out, "data", rows, encoding, level);
  return { offset, dataOffset: offset, size: out.length - offset, rawSize };
}

/**
 * Appends a chunk with a dictionary: `entries` PLAIN values, which `fill` writes, and one index for each of the `rows`.
 * With `wholeBytes`, an index has 8 or 16 bits, because ZSTD finds repeated rows only at byte boundaries. `level` is the
 * compression level of the indices.
 */
export function dictionaryChunk(
  out: ByteWriter,
  rows: number,
  entries: number,
  indices: Uint16Array,
  fill: (body: ByteWriter) => void,
  { wholeBytes = false, level = ZSTD_LEVEL } = {},
): ChunkPlace {
  const offset = out.length;
  body.clear();
  fill(body);
  let rawSize = page(out, "dictionary", entries, ENCODING.PLAIN, DICTIONARY_LEVEL);
  const dataOffset = out.length;
  body.clear();
  // Width 0 would suffice for a single entry, but some readers do not support it.
  const needed = Math.max(1, bitWidth(entries - 1));
  if (wholeBytes) {
    const width = needed > 8 ? 16 : 8;
    body.byte(width);
    packedWhole(body, indices, rows, width);
  } else {
    body.byte(needed);
    rleBitPacked(body, indices, rows, needed);
  }
  rawSize += page(out, "data", rows, ENCODING.RLE_DICTIONARY, level);
  return { offset, dataOffset, size: out.length - offset, rawSize };
}
