import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { plainDoubles, plainIntegers } from "../../../src/packs/page-values.ts";

/** Returns a PLAIN page of INT64 with these values. */
function pageOf(values: readonly bigint[]) {
  const bytes = new DataView(new ArrayBuffer(values.length * 8));
  for (const [row, value] of values.entries()) bytes.setBigInt64(row * 8, value, true);
  const raw = new Uint8Array(bytes.buffer);
  return { compressed: new Uint8Array(zstdCompressSync(raw)), size: raw.length, values: values.length };
}

describe("the integers of a PLAIN page", () => {
  it("are read up to 2^53 - 1, for as many rows as were requested", () => {
    const values = [0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 52n + 1n, 2n ** 53n - 1n];
    expect([...plainIntegers(pageOf(values), 6)]).toEqual(values.map(Number));
    expect([...plainIntegers(pageOf(values), 2)]).toEqual([0, 1]);
    // A page of 5,120 values fills a step of workerd's decompressor exactly.
    const many = Array.from({ length: 5_120 }, (_, row) => BigInt(row));
    expect(plainIntegers(pageOf(many), 5_120).at(-1)).toBe(5_119);
  });

  it.each([[-1n], [2n ** 53n], [-(2n ** 63n)], [2n ** 63n - 1n]])("are refused if one is %s", (value) => {
    expect(() => plainIntegers(pageOf([7n, value]), 2)).toThrow(PackFormatError);
    expect([...plainIntegers(pageOf([7n, value]), 1)]).toEqual([7]);
  });

  it("are refused when the page's size does not match its number of values", () => {
    const page = pageOf([1n, 2n]);
    expect(() => plainIntegers({ ...page, values: 3 }, 2)).toThrow("3 integers take 16 bytes");
  });
});

describe("the doubles of a PLAIN page", () => {
  const pageOfDoubles = (...values: number[]) => {
    const raw = new Uint8Array(Float64Array.from(values).buffer);
    return { compressed: new Uint8Array(zstdCompressSync(raw)), size: raw.length, values: values.length };
  };

  it("are read unchanged, for as many rows as were requested", () => {
    const values = [0, 0.01, 1768.9, -1, 123_456_789_012.34, Number.MAX_VALUE];
    expect([...plainDoubles(pageOfDoubles(...values), 6)]).toEqual(values);
    expect([...plainDoubles(pageOfDoubles(...values), 2)]).toEqual([0, 0.01]);
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY]])("are refused if one of them is %s", (value) => {
    expect(() => plainDoubles(pageOfDoubles(1, value), 2)).toThrow(PackFormatError);
  });

  it("are refused when the page's size does not match its number of values", () => {
    const page = pageOfDoubles(1, 2);
    expect(() => plainDoubles({ ...page, values: 3 }, 2)).toThrow("3 numbers take 16 bytes");
  });
});
