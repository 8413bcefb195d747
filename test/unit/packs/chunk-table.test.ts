import { describe, expect, it } from "vitest";
import { orders } from "../../../src/datasets/orders.ts";
import { chunkTableBytes, decodeChunkTable, encodeChunkTable } from "../../../src/packs/chunk-table.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";

const COLUMNS = orders.columns;

const blocks = [1, 2, 3].map((block) =>
  COLUMNS.map((_, column) => ({
    dictionary: column % 3,
    total: block * 1000 + column,
    uncompressed: 0xffff_0000 + column,
  })),
);

describe("the chunk table", () => {
  it("consists of 120 bytes of chunk sizes per block and a checksum of 4 bytes", () => {
    const table = encodeChunkTable(blocks, COLUMNS.length);
    expect(table.length).toBe(3 * 120 + 4);
    expect(chunkTableBytes(3, COLUMNS.length)).toBe(table.length);
    expect(decodeChunkTable(table, 3, COLUMNS.length)).toEqual(blocks);
  });

  it("is refused if a byte is flipped, the number of blocks is wrong or the table is truncated", () => {
    const table = encodeChunkTable(blocks, COLUMNS.length);
    for (let at = 0; at < table.length; at++) {
      const damaged = table.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(() => decodeChunkTable(damaged, 3, COLUMNS.length)).toThrow(PackFormatError);
    }
    expect(() => decodeChunkTable(table, 2, COLUMNS.length)).toThrow(PackFormatError);
    expect(() => decodeChunkTable(table.subarray(1), 3, COLUMNS.length)).toThrow(PackFormatError);
  });

  it("cannot be written for a block that lacks one of its chunks", () => {
    expect(() => encodeChunkTable([blocks[0]?.slice(1) ?? []], COLUMNS.length)).toThrow(RangeError);
  });
});
