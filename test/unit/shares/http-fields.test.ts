import { describe, expect, it } from "vitest";
import {
  type Begun,
  beginningOf,
  type Conditions,
  etagOf,
  httpDate,
  meantRevision,
  namedVersion,
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

const version = (revision: number, lastModifiedMs: number) => ({
  revision,
  lastModifiedMs,
  etag: etagOf({ revision, sha256: String(revision).repeat(64) }),
});
const older = version(1, Date.UTC(2026, 2, 10));
const present = version(2, Date.UTC(2026, 2, 12));
const versions = [present, older];

describe("the version that a request names", () => {
  it.each([
    [{ ifRange: present.etag }, present],
    [{ ifRange: older.etag }, older],
    [{ ifRange: "Tue, 10 Mar 2026 00:00:00 GMT" }, older],
    [{ ifRange: "Wed, 11 Mar 2026 00:00:00 GMT" }, null],
    [{ ifRange: '"r3-other"' }, null],
    [{ ifMatch: older.etag }, older],
    [{ ifMatch: `"x", ${older.etag}` }, older],
    [{ ifMatch: "*" }, present],
    [{ ifMatch: '"x"' }, null],
    [{ ifMatch: '"x"', ifRange: older.etag }, null],
    [{}, null],
  ])("is determined by the request's conditions: %j", (said, expected) => {
    expect(namedVersion({ ...none, ...said }, versions)).toBe(expected);
  });
});

describe("the ETag of a version", () => {
  it("differs between the whole file and one security's file", () => {
    const whole = { revision: 1, sha256: "a".repeat(64) };
    expect(etagOf(whole, "600519.SH")).not.toBe(etagOf(whole));
  });
});

/** `drive-replaced.test.ts` has further histories. */
describe("the file revision chosen for a range request without conditions", () => {
  const got = (client: string, revision: number): Begun => ({ client, how: "got", revision });

  it.each<[string, Begun[], number | null]>([
    ["unknown if no client began, because the download may have begun at an earlier share", [], null],
    ["the present one if the client got the present one", [got("me", 2)], 2],
    ["unknown if the client got a revision that is gone", [got("me", 7)], null],
    ["the old one if only other clients got the present one", [got("me", 1), got("you", 2)], 1],
  ])("is %s", (_, begun, expected) => {
    expect(meantRevision(begun, "me", versions)).toBe(expected);
  });
});

describe("a request for a file", () => {
  it.each([
    ["GET", null, "got"],
    ["GET", "bytes=0-", "got"],
    ["GET", "bytes=0-99", "started"],
    ["GET", "bytes=-8", "saw"],
    ["GET", "bytes=1-", null],
    ["GET", "bytes=1-9", null],
    ["HEAD", null, "saw"],
  ])("with the method %s and the range %j is recorded in the history as %j", (method, range, expected) => {
    expect(beginningOf(method, parseRange(range))).toBe(expected);
  });
});
