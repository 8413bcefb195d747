import { crc32, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { decodeIndexRegion, encodeIndexRegion } from "../../../src/packs/index-region.ts";
import type { DayIndex } from "../../../src/packs/layout.ts";
import {
  accountingGap,
  BUILDER_VERSION,
  compareBuilderVersions,
  decodeOrigin,
  encodeOrigin,
  type PackOrigin,
} from "../../../src/packs/origin.ts";

const origin: PackOrigin = {
  builderVersion: BUILDER_VERSION,
  sourcesSha256: "0".repeat(64),
  sources: [{ path: "20240102/600519.SH/逐笔委托.csv", sizeBytes: 77, sha256: "a".repeat(64) }],
  rows: { read: 10, quarantined: 1, leftOut: { trade_row: 2 } },
  files: { read: 1, quarantined: 0, leftOut: { other_dataset: 2 } },
};

const index: DayIndex = {
  dataset: "orders",
  tradedate: "20240102" as BeijingDate,
  buildId: "00112233445566778899aabbccddeeff",
  entries: [],
  origin,
};

/** Returns an origin block of the JSON `text` with correct lengths. */
function blockOf(text: string): Uint8Array {
  const frame = zstdCompressSync(Buffer.from(text));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(frame.length, 0);
  lengths.writeUInt32LE(Buffer.byteLength(text), 4);
  return new Uint8Array(Buffer.concat([lengths, frame]));
}

describe("the origin of a pack", () => {
  it("is stored in index format 3", () => {
    const region = encodeIndexRegion(index);
    expect(Buffer.from(region).readUInt32LE(region.length - 8)).toBe(3);
  });

  it("is absent from a format 2 region, which is written byte for byte as in the first release", () => {
    const body = Buffer.alloc(24);
    body.writeUInt32LE(20_240_102, 0);
    Buffer.from(index.buildId, "hex").copy(body, 4);
    const trailer = Buffer.alloc(16);
    trailer.writeUInt32LE(40, 0);
    trailer.writeUInt32LE(crc32(body), 4);
    trailer.writeUInt32LE(2, 8);
    trailer.write("ETIX", 12, "latin1");
    const region = new Uint8Array(Buffer.concat([body, trailer]));
    expect(decodeIndexRegion(region)).toEqual({ ...index, origin: null });
    expect(encodeIndexRegion({ ...index, origin: null })).toEqual(region);
  });

  it.each([
    ["no bytes", new Uint8Array(0)],
    ["a wrong length", encodeOrigin(origin).subarray(0, -1)],
    ["bytes after its end", new Uint8Array([...encodeOrigin(origin), 0])],
    ["text that is not JSON", blockOf("{")],
    ["JSON of the wrong form", blockOf("[]")],
    ["an additional property", blockOf(JSON.stringify({ ...origin, more: 1 }))],
    ["a negative count", blockOf(JSON.stringify({ ...origin, files: { ...origin.files, read: -1 } }))],
    ["an invalid checksum", blockOf(JSON.stringify({ ...origin, sourcesSha256: "x" }))],
  ])("is refused if it has %s", (_, bytes) => {
    expect(() => decodeOrigin(bytes)).toThrow(PackFormatError);
  });

  it("can name 20,000 source files within its size limit", () => {
    const sources = Array.from({ length: 20_000 }, (_, n) => ({
      path: `20240102/${String(n).padStart(6, "0")}.SH/逐笔委托.csv`,
      sizeBytes: 1_000_000 + n,
      sha256: n.toString(16).padStart(64, "0"),
    }));
    expect(decodeOrigin(encodeOrigin({ ...origin, sources })).sources).toEqual(sources);
  });
});

describe("the row accounting", () => {
  it("balances when every row read is stored, quarantined or left out", () => {
    expect(accountingGap(origin, 7)).toBeNull();
    expect(accountingGap(origin, 6)).toBe(
      "10 rows were read, 6 are stored, 1 quarantined and 2 left out: the numbers do not add up",
    );
  });
});

describe("the order of builder versions", () => {
  it("is numerical, and a pack without a version comes first", () => {
    const versions = ["0.10.0", null, "0.2.0", "1.0.0", "0.2.1"];
    expect(versions.toSorted(compareBuilderVersions)).toEqual([null, "0.2.0", "0.2.1", "0.10.0", "1.0.0"]);
    expect(compareBuilderVersions(null, null)).toBe(0);
    expect(compareBuilderVersions("0.2.0", "0.2.0")).toBe(0);
  });
});
