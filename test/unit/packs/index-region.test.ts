import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../../src/datasets/registry.ts";
import { decodeBlocks, encodeBlocks } from "../../../src/packs/blocks-blob.ts";
import { chunkTableBytes } from "../../../src/packs/chunk-table.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { decodeIndexRegion, encodeIndexRegion } from "../../../src/packs/index-region.ts";
import type { Block, DayIndex, SectionEntry } from "../../../src/packs/layout.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import type { PackOrigin } from "../../../src/packs/origin.ts";
import { printedRandom } from "../../support/random.ts";

const { seed } = printedRandom("index region");

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });

/** Generates the blocks of a section as a writer makes them. Rows with the same time can fill several blocks. */
const blocksOf = (columns: number) =>
  fc
    .array(
      fc.record({
        rows: fc.integer({ min: 1, max: 10_000 }),
        bytes: fc.integer({ min: 1, max: 100_000 }),
        step: fc.integer({ min: 0, max: 5_000_000 }),
        k0: fc.integer({ min: 0, max: 9_999 }),
        crc: u32,
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => {
      const blocks: Block[] = [];
      let [offset, firstRow, t0, k0] = [4 + chunkTableBytes(parts.length, columns), 0, 91_500_000, 0];
      for (const [index, part] of parts.entries()) {
        blocks.push({ offset, firstRow, t0, k0, crc: part.crc });
        offset += part.bytes;
        firstRow += part.rows;
        const step = parts[index + 1]?.step ?? 0;
        k0 = step === 0 ? k0 + part.rows : Math.min(parts[index + 1]?.k0 ?? 0, part.rows - 1);
        t0 += step;
      }
      return { blocks, rows: firstRow, blocksEnd: offset };
    });

const sums = fc.stringMatching(/^[0-9a-f]{64}$/);
const counts = fc.dictionary(fc.constantFrom("trade_row", "repeated_row"), fc.nat());
const origins: fc.Arbitrary<PackOrigin> = fc.record(
  {
    builderVersion: fc.constantFrom("0.2.0", "1.10.3"),
    sourcesSha256: sums,
    sources: fc.array(fc.record({ path: fc.string(), sizeBytes: fc.maxSafeNat(), sha256: sums }), {
      maxLength: 300,
    }),
    rows: fc.record(
      { read: fc.maxSafeNat(), quarantined: fc.nat(), leftOut: counts },
      { noNullPrototype: true },
    ),
    files: fc.record({ read: fc.nat(), quarantined: fc.nat(), leftOut: counts }, { noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

/** The entry of a security without rows, except for its place. */
const NO_SECTION = { length: 0, footerLength: 0, rows: 0, lastTime: 0, crc: 0, blocks: [] };

const dayIndex = (dataset: DatasetName): fc.Arbitrary<DayIndex> =>
  fc
    .record({
      tradedate: fc.constantFrom("20170103", "20240229", "20261127"),
      buildId: fc.stringMatching(/^[0-9a-f]{32}$/),
      // Only packs of orders can lack an origin.
      origin: dataset === "orders" ? fc.option(origins) : origins,
      securities: fc.uniqueArray(
        fc.record({
          code: fc.tuple(fc.stringMatching(/^\d{6}$/), fc.constantFrom("SH" as const, "SZ" as const)),
          section: fc.option(
            fc.record({
              content: blocksOf(DATASETS[dataset].columns.length),
              footer: fc.integer({ min: 9, max: 90_000 }),
              crc: u32,
            }),
          ),
        }),
        { selector: ({ code }) => code.join("."), maxLength: 20 },
      ),
    })
    .map(({ tradedate, buildId, securities, origin }) => {
      securities.sort((a, b) => (a.code.join(".") < b.code.join(".") ? -1 : 1));
      let offset = 0;
      const entries = securities.map(({ code: [symbol, market], section }): SectionEntry => {
        if (section === null) return { symbol, market, offset, ...NO_SECTION };
        const { content, footer, crc } = section;
        const length = content.blocksEnd + footer;
        offset += length;
        const { rows, blocks } = content;
        const lastTime = blocks.at(-1)?.t0 ?? 0;
        const place = { offset: offset - length, length, footerLength: footer };
        return { symbol, market, ...place, rows, lastTime, crc, blocks };
      });
      return { dataset, tradedate: tradedate as BeijingDate, buildId, entries, origin };
    });

const sample: DayIndex = {
  dataset: "orders",
  tradedate: "20240102" as BeijingDate,
  buildId: "00112233445566778899aabbccddeeff",
  origin: {
    builderVersion: "0.2.0",
    sourcesSha256: "0".repeat(64),
    sources: [{ path: "20240102/orders.csv", sizeBytes: 12_345, sha256: "f".repeat(64) }],
    rows: { read: 10_010, quarantined: 1, leftOut: { trade_row: 2 } },
    files: { read: 1, quarantined: 0, leftOut: {} },
  },
  entries: [
    {
      symbol: "000001",
      market: "SZ",
      offset: 0,
      length: 1000,
      footerLength: 100,
      rows: 10_007,
      lastTime: 145_959_990,
      crc: 0xffff_ffff,
      blocks: [
        { offset: 248, firstRow: 0, t0: 91_500_000, k0: 0, crc: 1 },
        { offset: 700, firstRow: 10_000, t0: 93_000_000, k0: 12, crc: 0x8000_0000 },
      ],
    },
    { symbol: "600519", market: "SH", offset: 1000, ...NO_SECTION },
  ],
};

/** Returns the sample with one change to its first entry. */
function changed(change: Partial<SectionEntry>): DayIndex {
  const [first, ...rest] = sample.entries;
  if (first === undefined) throw new Error("the sample has entries");
  return { ...sample, entries: [{ ...first, ...change }, ...rest] };
}

describe("the index region (src/packs/README.md)", () => {
  it.each(DATASET_NAMES)("decodes to the index from which it was encoded, for any index of %s", (dataset) => {
    fc.assert(
      fc.property(dayIndex(dataset), (index) => {
        expect(decodeIndexRegion(encodeIndexRegion(index))).toEqual(index);
      }),
      { seed, numRuns: 300 },
    );
  });

  it("keeps an offset beyond 2^32, because a day of both exchanges exceeds 4 GB", () => {
    const entries = ["000001", "000002", "000004"].map((symbol, at): SectionEntry => {
      const place = { offset: at * 4_000_000_000, length: 4_000_000_000, footerLength: 100 };
      const blocks = [{ offset: 128, firstRow: 0, t0: 91_500_000, k0: 0, crc: 1 }];
      return { symbol, market: "SZ", ...place, rows: 1, lastTime: 91_500_000, crc: 7, blocks };
    });
    expect(decodeIndexRegion(encodeIndexRegion({ ...sample, entries })).entries[2]?.offset).toBe(
      8_000_000_000,
    );
  });

  it("is refused if any bit is flipped", () => {
    const region = encodeIndexRegion(sample);
    for (let bit = 0; bit < region.length * 8; bit++) {
      const damaged = region.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decodeIndexRegion(damaged), `bit ${bit}`).toThrow(PackFormatError);
    }
  });

  it("is refused when it is shortened or has extra bytes", () => {
    const region = encodeIndexRegion(sample);
    for (let length = 0; length < region.length; length++) {
      expect(() => decodeIndexRegion(region.subarray(0, length))).toThrow(PackFormatError);
      expect(() => decodeIndexRegion(region.subarray(region.length - length))).toThrow(PackFormatError);
    }
    expect(() => decodeIndexRegion(new Uint8Array([...region, 0]))).toThrow(PackFormatError);
  });

  it.each([
    ["a gap before a section", changed({ offset: 8 })],
    ["rows without a block", changed({ blocks: [] })],
    ["a block of more than 10,000 rows", changed({ rows: 20_008 })],
    ["a block without rows", changed({ rows: 10_000 })],
    ["a block inside the footer", changed({ footerLength: 400 })],
    [
      "no space for the chunk table",
      changed({ blocks: sample.entries[0]?.blocks.slice(0, 1) ?? [], rows: 10_000 }),
    ],
    ["a last time before its last block begins", changed({ lastTime: 92_959_999 })],
    ["a last time that is not a time of day", changed({ lastTime: 240_000_000 })],
    ["a footer longer than the section", changed({ footerLength: 2000 })],
    ["a symbol of five digits", changed({ symbol: "00001" })],
    ["symbols out of order", changed({ symbol: "600520" })],
    ["the same security twice", { ...sample, entries: [sample.entries[1], sample.entries[1]] } as DayIndex],
    ["a malformed build id", { ...sample, buildId: "xyz" }],
    ["an invalid date", { ...sample, tradedate: "20240231" as BeijingDate }],
  ])("cannot be written with %s", (_what, index) => {
    expect(() => encodeIndexRegion(index)).toThrow(PackFormatError);
  });

  it.each([
    ["the position of the first block", { t0: 91_500_000, k0: 0 }],
    ["an earlier time", { t0: 91_400_000, k0: 0 }],
    ["a k0 above the number of rows before it", { t0: 93_000_000, k0: 10_001 }],
    ["an invalid time", { t0: 240_000_000, k0: 0 }],
    ["the byte at which the first block begins", { offset: 248 }],
  ])("cannot be written with a second block that begins at %s", (_what, change) => {
    const blocks = sample.entries[0]?.blocks.map((block, index) =>
      index === 1 ? { ...block, ...change } : block,
    );
    expect(() => encodeIndexRegion(changed({ blocks: blocks ?? [] }))).toThrow(PackFormatError);
  });
});

describe("the blocks blob", () => {
  it("has 20 bytes per block, little endian: offset, first row, t0, k0 and crc", () => {
    const blob = encodeBlocks([{ offset: 4, firstRow: 0x0102, t0: 91_500_000, k0: 5, crc: 0xdead_beef }]);
    const fields = [4, 0x0102, 91_500_000, 5, 0xdead_beef].map(le).join("");
    expect(Buffer.from(blob).toString("hex")).toBe(fields);
    expect(decodeBlocks(blob)).toEqual([
      { offset: 4, firstRow: 0x0102, t0: 91_500_000, k0: 5, crc: 0xdead_beef },
    ]);
  });

  it("is refused when it is cut inside a block or contains a value that is not a u32", () => {
    expect(() => decodeBlocks(new Uint8Array(39))).toThrow(PackFormatError);
    expect(() => encodeBlocks([{ offset: -1, firstRow: 0, t0: 0, k0: 0, crc: 0 }])).toThrow(RangeError);
    expect(() => encodeBlocks([{ offset: 2 ** 32, firstRow: 0, t0: 0, k0: 0, crc: 0 }])).toThrow(RangeError);
  });

  it("is decoded even when it does not start at the beginning of its buffer", () => {
    const blob = encodeBlocks(sample.entries[0]?.blocks ?? []);
    const shifted = new Uint8Array(blob.length + 3);
    shifted.set(blob, 3);
    expect(decodeBlocks(shifted.subarray(3))).toEqual(sample.entries[0]?.blocks);
  });
});

function le(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes.toString("hex");
}

describe("locating the index of a pack", () => {
  const region = encodeIndexRegion(sample);
  const pack = Buffer.concat([
    Buffer.alloc(1000, 0xaa),
    region,
    Buffer.from("a global footer"),
    Buffer.from([15, 0, 0, 0]),
    Buffer.from("PAR1"),
  ]);
  const readerOf = (bytes: Uint8Array) => {
    const reads: [number, number][] = [];
    const readRange = async (offset: number, length: number) => {
      reads.push([offset, length]);
      return bytes.subarray(offset, offset + length);
    };
    return { reads, readRange };
  };

  it("reads the tail, the trailer and the region, and nothing else", async () => {
    const { reads, readRange } = readerOf(pack);
    const located = await locateIndex(pack.length, readRange);
    expect(located).toEqual({
      index: sample,
      regionOffset: 1000,
      footerOffset: 1000 + region.length,
      footerLength: 15,
    });
    expect(reads).toEqual([
      [pack.length - 8, 8],
      [1000 + region.length - 16, 16],
      [1000, region.length],
    ]);
  });

  it("fails for a pack truncated at any position", async () => {
    for (let length = 0; length < pack.length; length += 7) {
      const cut = pack.subarray(0, length);
      await expect(locateIndex(cut.length, readerOf(cut).readRange)).rejects.toThrow(PackFormatError);
    }
  });

  it("fails for sections that do not end where the index begins", async () => {
    const shifted = Buffer.concat([Buffer.alloc(1), pack]);
    await expect(locateIndex(shifted.length, readerOf(shifted).readRange)).rejects.toThrow(/sections end/);
  });
});
