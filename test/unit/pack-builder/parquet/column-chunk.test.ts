import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../../src/pack-builder/parquet/byte-writer.ts";
import { dictionaryChunk } from "../../../../src/pack-builder/parquet/column-chunk.ts";

/**
 * Writes a column chunk with one index byte for each of `rows` rows, by default at the usual level. Returns the last
 * bytes of the chunk, and the ZSTD frame of the same page when it is compressed at `level`.
 */
function chunkOf(rows: number, level: number, wanted?: { level: number }) {
  const indices = Uint16Array.from({ length: rows }, (_, row) => row % 4);
  const out = new ByteWriter(1024);
  dictionaryChunk(out, rows, 4, indices, (body) => body.append(new Uint8Array(32)), {
    wholeBytes: true,
    ...wanted,
  });
  const page = new ByteWriter(1024);
  page.byte(8);
  // The header of a run of literal values contains the number of groups of eight values.
  page.byte((Math.ceil(rows / 8) << 1) | 1);
  for (let at = 0; at < Math.ceil(rows / 8) * 8; at++) page.byte(at < rows ? at % 4 : 0);
  const frame = zstdCompressSync(page.written(), { params: { [constants.ZSTD_c_compressionLevel]: level } });
  return { end: Buffer.from(out.written().subarray(-frame.length)), frame };
}

describe("a page of dictionary indices that are stored as whole bytes", () => {
  it("is compressed at level 7 unless the column states another level", () => {
    const usual = chunkOf(480, 7);
    expect(usual.end).toEqual(usual.frame);
    expect(chunkOf(480, 12).frame).not.toEqual(usual.frame);
    const stated = chunkOf(480, 12, { level: 12 });
    expect(stated.end).toEqual(stated.frame);
  });
});
