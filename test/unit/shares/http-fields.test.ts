import { describe, expect, it } from "vitest";
import {
  type Conditions,
  httpDate,
  parseHttpDate,
  parseRange,
  rangeCounts,
  spanOf,
  verdictOn,
} from "../../../src/shares/http-fields.ts";

const SIZE = 10_000;
const part = (offset: number, length: number) => ({ kind: "part", offset, length });
const whole = { kind: "whole" };
const unsatisfiable = { kind: "unsatisfiable" };

/** Range headers, and what each selects in a file of 10,000 bytes. `drive-ranges.test.ts` has further headers. */
const RANGES: [string | null, object][] = [
  ["", whole],
  ["bytes=9999-", part(9_999, 1)],
  ["bytes=-10000", part(0, SIZE)],
  ["bytes=9990-20000", part(9_990, 10)],
  ["bytes=0-99999999999999999999999", part(0, SIZE)],
  ["bytes=10000-10001", unsatisfiable],
  ["bytes=99999999999999999999999-", unsatisfiable],
  ["bytes=000-00499", part(0, 500)],
  ["BYTES=0-499", part(0, 500)],
  [" bytes = 0-499 ", part(0, 500)],
  ["bytes=,0-499,", part(0, 500)],
  ["bytes", whole],
  ["bytes=1.5-3", whole],
  ["bytes=0x0-0x10", whole],
  ["bytes=-5-10", whole],
  ["bytes=1-2-3", whole],
  ["bytes= 0 - 499", whole],
  ["bytes=0-0,-1", whole],
  ["bytes=0-99,200-299", whole],
  ["bytes=10000-,0-1", whole],
  ["items 0-10", whole],
  ["0-499", whole],
];

describe("the Range header (RFC 9110, 14)", () => {
  it.each(RANGES)("with the value %j is parsed for a 10,000-byte file as %j", (header, expected) => {
    expect(spanOf(parseRange(header), SIZE)).toEqual(expected);
  });
});

describe("the Range header for an empty file", () => {
  it.each([
    ["bytes=0-", unsatisfiable],
    ["bytes=0-0", unsatisfiable],
    ["bytes=-5", whole],
    ["bytes=-0", unsatisfiable],
  ])("with the value %j is parsed as %j", (header, expected) => {
    expect(spanOf(parseRange(header), 0)).toEqual(expected);
  });
});

const file = { etag: '"r2-abc"', lastModifiedMs: Date.UTC(2026, 2, 12, 2, 0, 0, 750) };
const SAME = "Thu, 12 Mar 2026 02:00:00 GMT";
const EARLIER = "Thu, 12 Mar 2026 01:59:59 GMT";
const LATER = "Thu, 12 Mar 2026 02:00:01 GMT";

const none: Conditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
  ifRange: null,
};

/** Conditions and their verdicts. `drive-ranges.test.ts` has further conditions. */
const CASES: [Partial<Conditions>, string][] = [
  [{ ifMatch: '"r1-abc", "r2-abc"' }, "proceed"],
  [{ ifMatch: "*" }, "proceed"],
  [{ ifMatch: "r2-abc" }, "failed"],
  [{ ifMatch: "" }, "failed"],
  [{ ifUnmodifiedSince: LATER }, "proceed"],
  [{ ifUnmodifiedSince: "yesterday" }, "proceed"],
  [{ ifMatch: '"r2-abc"', ifUnmodifiedSince: EARLIER }, "proceed"],
  [{ ifMatch: '"other"', ifUnmodifiedSince: LATER }, "failed"],
  [{ ifNoneMatch: 'W/"r2-abc"' }, "not_modified"],
  [{ ifNoneMatch: "" }, "proceed"],
  [{ ifModifiedSince: LATER }, "not_modified"],
  [{ ifModifiedSince: "2026-03-12" }, "proceed"],
  [{ ifNoneMatch: '"r1-abc"', ifModifiedSince: LATER }, "proceed"],
  [{ ifNoneMatch: '"r2-abc"', ifModifiedSince: EARLIER }, "not_modified"],
  [{ ifMatch: '"r2-abc"', ifNoneMatch: '"r2-abc"' }, "not_modified"],
  [{ ifUnmodifiedSince: EARLIER, ifModifiedSince: LATER }, "failed"],
];

describe("the conditions of a request (RFC 9110, 13)", () => {
  it.each(CASES)("such as %j give %s", (said, expected) => {
    expect(verdictOn({ ...none, ...said }, file)).toBe(expected);
  });
});

describe("If-Range (RFC 9110, 13.1.5)", () => {
  it.each([
    [' "r2-abc" ', true],
    ['"r2-abc", "r1-abc"', false],
    ["*", false],
    ["", false],
    [LATER, false],
    ["Thursday, 12-Mar-26 02:00:00 GMT", true],
  ])("with the value %j decides whether the range applies: %s", (header, expected) => {
    expect(rangeCounts(header, file)).toBe(expected);
  });
});

describe("HTTP dates (RFC 9110, 5.6.7)", () => {
  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sunday, 06-Nov-94 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sun Nov  6 08:49:37 1994", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Thu, 12 Mar 2026 02:00:00 CST", null],
    ["Thu, 12 Foo 2026 02:00:00 GMT", null],
    ["12 Mar 2026", null],
    ["0", null],
    ["", null],
  ])("such as %j are read as %j", (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });

  it("are written with a precision of one second, and can be parsed again", () => {
    expect(httpDate(file.lastModifiedMs)).toBe(SAME);
    expect(parseHttpDate(SAME)).toBe(Date.UTC(2026, 2, 12, 2));
  });
});
