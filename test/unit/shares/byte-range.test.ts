import { describe, expect, it } from "vitest";
import { contentRange, parseRange, spanOf } from "../../../src/shares/byte-range.ts";

const SIZE = 10_000;
const part = (offset: number, length: number) => ({ kind: "part", offset, length });
const whole = { kind: "whole" };
const unsatisfiable = { kind: "unsatisfiable" };

/** Header, what a file of 10,000 bytes answers (RFC 9110, 14.1.2, and its examples). */
const CASES: [string | null, object][] = [
  [null, whole],
  ["", whole],
  ["bytes=0-499", part(0, 500)],
  ["bytes=500-999", part(500, 500)],
  ["bytes=0-0", part(0, 1)],
  ["bytes=9999-9999", part(9_999, 1)],
  ["bytes=0-9999", part(0, SIZE)],
  ["bytes=9500-", part(9_500, 500)],
  ["bytes=0-", part(0, SIZE)],
  ["bytes=9999-", part(9_999, 1)],
  ["bytes=-500", part(9_500, 500)],
  ["bytes=-1", part(9_999, 1)],
  ["bytes=-10000", part(0, SIZE)],
  ["bytes=-20000", part(0, SIZE)],
  ["bytes=9990-20000", part(9_990, 10)],
  ["bytes=0-99999999999999999999999", part(0, SIZE)],
  ["bytes=10000-", unsatisfiable],
  ["bytes=10000-10001", unsatisfiable],
  ["bytes=99999999999999999999999-", unsatisfiable],
  ["bytes=-0", unsatisfiable],
  ["bytes=000-00499", part(0, 500)],
  ["BYTES=0-499", part(0, 500)],
  [" bytes = 0-499 ", part(0, 500)],
  ["bytes=,0-499,", part(0, 500)],
  ["bytes=500-499", whole],
  ["bytes=-", whole],
  ["bytes=", whole],
  ["bytes", whole],
  ["bytes=a-b", whole],
  ["bytes=1.5-3", whole],
  ["bytes=0x0-0x10", whole],
  ["bytes=-5-10", whole],
  ["bytes=1-2-3", whole],
  ["bytes= 0 - 499", whole],
  ["bytes=0-0,-1", whole],
  ["bytes=0-99,200-299", whole],
  ["bytes=10000-,0-1", whole],
  ["lines=0-10", whole],
  ["items 0-10", whole],
  ["0-499", whole],
];

describe("a range of a 10,000-byte file (RFC 9110, 14)", () => {
  it.each(CASES)("%j is %j", (header, expected) => {
    expect(spanOf(parseRange(header), SIZE)).toEqual(expected);
  });

  it("has a Content-Range unless it is the whole", () => {
    expect(contentRange(spanOf(parseRange("bytes=500-999"), SIZE), SIZE)).toBe("bytes 500-999/10000");
    expect(contentRange(spanOf(parseRange("bytes=-1"), SIZE), SIZE)).toBe("bytes 9999-9999/10000");
    expect(contentRange(spanOf(parseRange("bytes=10000-"), SIZE), SIZE)).toBe("bytes */10000");
    expect(contentRange(spanOf(null, SIZE), SIZE)).toBeNull();
  });
});

describe("a range of an empty file", () => {
  it.each([
    ["bytes=0-", unsatisfiable],
    ["bytes=0-0", unsatisfiable],
    ["bytes=-5", whole],
    ["bytes=-0", unsatisfiable],
  ])("%j is %j", (header, expected) => {
    expect(spanOf(parseRange(header), 0)).toEqual(expected);
  });
});
