import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { readDataPage } from "hyparquet/src/datapage.js";
import { ByteWriter as LibraryWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "../../../src/pack-builder/parquet/byte-writer.ts";
import {
  deltaBinaryPacked,
  deltaWholeBytes,
  rleBitPacked,
} from "../../../src/pack-builder/parquet/encodings.ts";
import { fastDelta } from "../../../src/packs/fast-delta.ts";
import { fastIndex } from "../../../src/packs/fast-index.ts";
import { printedRandom, type Random } from "../../support/random.ts";

/** Returns the values of a page as hyparquet reads them. */
function oracle(
  page: Uint8Array,
  count: number,
  encoding: "RLE_DICTIONARY" | "DELTA_BINARY_PACKED",
): number[] {
  const element = { name: "x", type: "INT64", repetition_type: "REQUIRED" } as const;
  const { dataPage } = readDataPage(
    page,
    { num_values: count, encoding, definition_level_encoding: "RLE", repetition_level_encoding: "RLE" },
    {
      pathInSchema: ["x"],
      type: "INT64",
      element,
      schemaPath: [{ children: [], count: 0, element, path: ["x"] }],
      codec: "ZSTD",
      parsers: DEFAULT_PARSERS,
    },
  );
  return Array.from(dataPage, Number);
}

/** Returns ids as they occur in packs: ascending with gaps, repeated, zero, or anywhere below a random bound. */
function randomIds(random: Random, count: number): Float64Array {
  const bound = 2 ** random.integer(1, 53);
  const jump = random.pick([0, 0.01, 0.3, 1]);
  let last = random.integer(0, 1000);
  return Float64Array.from({ length: count }, () => {
    last = random.chance(jump)
      ? Math.floor(random.next() * bound)
      : Math.min(last + random.integer(0, 9), bound);
    return Math.min(last, Number.MAX_SAFE_INTEGER);
  });
}

/** Returns indices into a dictionary of `size` values, with short or long runs of the same index. */
function randomIndices(random: Random, count: number, size: number): Uint16Array {
  const repeat = random.pick([0, 0.5, 0.9, 0.999]);
  let last = 0;
  return Uint16Array.from({ length: count }, () => {
    if (!random.chance(repeat)) last = random.integer(0, size - 1);
    return last;
  });
}

describe("the fast delta reader", () => {
  it("reads pages of the pack builder and of hyparquet-writer as hyparquet does, or returns null", () => {
    const random = printedRandom("fast delta");
    let taken = 0;
    for (let run = 0; run < 400; run++) {
      const count = random.pick([1, 2, 31, 32, 33, 127, 128, 129, 130, random.integer(1, 3_000)]);
      const ids = randomIds(random, count);
      const ours = new ByteWriter(64);
      deltaBinaryPacked(ours, ids, 0, count);
      const library = new LibraryWriter();
      deltaBinaryPack(library, BigInt64Array.from(ids, BigInt), "INT64");
      const whole = new ByteWriter(64);
      deltaWholeBytes(whole, ids, 0, count);
      for (const page of [ours.take(), whole.take(), library.getBytes()]) {
        expect(oracle(page, count, "DELTA_BINARY_PACKED")).toEqual([...ids]);
        const some = random.integer(1, count);
        const values = fastDelta(page, some);
        if (values === null) continue;
        taken++;
        expect(values).toEqual(ids.slice(0, some));
      }
    }
    expect(taken).toBeGreaterThan(500);
  });

  it("reads every page of ids below 2^47", () => {
    const random = printedRandom("fast delta, real ids");
    for (let run = 0; run < 100; run++) {
      const ids = randomIds(random, 500).map((id) => id % 2 ** 47);
      for (const write of [deltaBinaryPacked, deltaWholeBytes]) {
        const page = new ByteWriter(64);
        write(page, ids, 0, 500);
        expect(fastDelta(page.take(), 500)).toEqual(ids);
      }
    }
  });

  it("returns null or 300 numbers for each of 20,000 damaged pages", () => {
    const random = printedRandom("fast delta, damaged");
    const page = new ByteWriter(64);
    deltaBinaryPacked(page, randomIds(random, 300), 0, 300);
    const good = page.take();
    for (let run = 0; run < 20_000; run++) {
      const bad = good.slice(0, random.integer(0, good.length));
      for (let flips = 0; flips < 3; flips++) bad[random.integer(0, bad.length)] = random.integer(0, 255);
      expect(fastDelta(bad, 300)?.length ?? 300).toBe(300);
    }
  });
});

describe("delta pages of the pack builder", () => {
  it("have miniblocks of 32 values, because arrow-rs cannot skip rows in miniblocks of more than 64", () => {
    const ids = randomIds(printedRandom("miniblocks"), 5_000).map((id) => id % 2 ** 47);
    for (const write of [deltaBinaryPacked, deltaWholeBytes]) {
      const page = new ByteWriter(64);
      write(page, ids, 0, ids.length);
      // The first two bytes state that a block has 128 values; the third byte states that it has 4 miniblocks.
      expect([...page.take().subarray(0, 3)]).toEqual([0x80, 0x01, 4]);
    }
  });
});

describe("the fast index reader", () => {
  it("reads pages of the pack builder and of hyparquet-writer as hyparquet does", () => {
    const random = printedRandom("fast index");
    for (let run = 0; run < 400; run++) {
      const count = random.pick([1, 7, 8, 9, 63, 64, 65, random.integer(1, 3_000), 10_000]);
      const size = random.pick([1, 2, 3, 16, 17, 255, 256, 257, random.integer(1, 10_000)]);
      const indices = randomIndices(random, count, size);
      const width = Math.max(1, 32 - Math.clz32(size - 1));
      const ours = new ByteWriter(64);
      ours.byte(width);
      rleBitPacked(ours, indices, count, width);
      const library = new LibraryWriter();
      library.appendUint8(width);
      writeRleBitPackedHybrid(library, Array.from(indices), width);
      for (const page of [ours.take(), library.getBytes()]) {
        expect(oracle(page, count, "RLE_DICTIONARY")).toEqual([...indices]);
        const some = random.integer(1, count);
        expect(fastIndex(page, some)).toEqual(indices.slice(0, some));
      }
    }
  });

  it("reads width 0 as zeros, and returns null for more than 16 bits and for short pages", () => {
    expect(fastIndex(new Uint8Array([0]), 3)).toEqual(new Uint16Array(3));
    expect(fastIndex(new Uint8Array([17, 6, 1, 0, 0]), 3)).toBeNull();
    expect(fastIndex(new Uint8Array([4, 3, 1, 2]), 8)).toBeNull();
    expect(fastIndex(new Uint8Array([]), 8)).toBeNull();
  });

  it("returns null or 300 indices for each of 20,000 damaged pages", () => {
    const random = printedRandom("fast index, damaged");
    const page = new ByteWriter(64);
    page.byte(5);
    rleBitPacked(page, randomIndices(random, 300, 32), 300, 5);
    const good = page.take();
    for (let run = 0; run < 20_000; run++) {
      const bad = good.slice(0, random.integer(0, good.length));
      for (let flips = 0; flips < 3; flips++) bad[random.integer(0, bad.length)] = random.integer(0, 255);
      expect(fastIndex(bad, 300)?.length ?? 300).toBe(300);
    }
  });
});
