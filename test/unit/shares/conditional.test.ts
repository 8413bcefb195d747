import { describe, expect, it } from "vitest";
import { type Conditions, rangeCounts, verdictOn } from "../../../src/shares/conditional.ts";
import { httpDate, parseHttpDate } from "../../../src/shares/http-date.ts";

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

/** Conditions, verdict (RFC 9110, 13.2.2: If-Match or If-Unmodified-Since first, then the other two). */
const CASES: [Partial<Conditions>, string][] = [
  [{}, "proceed"],
  [{ ifMatch: '"r2-abc"' }, "proceed"],
  [{ ifMatch: '"r1-abc", "r2-abc"' }, "proceed"],
  [{ ifMatch: "*" }, "proceed"],
  [{ ifMatch: '"r1-abc"' }, "failed"],
  [{ ifMatch: 'W/"r2-abc"' }, "failed"],
  [{ ifMatch: "r2-abc" }, "failed"],
  [{ ifMatch: "" }, "failed"],
  [{ ifUnmodifiedSince: SAME }, "proceed"],
  [{ ifUnmodifiedSince: LATER }, "proceed"],
  [{ ifUnmodifiedSince: EARLIER }, "failed"],
  [{ ifUnmodifiedSince: "yesterday" }, "proceed"],
  [{ ifMatch: '"r2-abc"', ifUnmodifiedSince: EARLIER }, "proceed"],
  [{ ifMatch: '"other"', ifUnmodifiedSince: LATER }, "failed"],
  [{ ifNoneMatch: '"r2-abc"' }, "not_modified"],
  [{ ifNoneMatch: 'W/"r2-abc"' }, "not_modified"],
  [{ ifNoneMatch: '"x", W/"r2-abc"' }, "not_modified"],
  [{ ifNoneMatch: "*" }, "not_modified"],
  [{ ifNoneMatch: '"r1-abc"' }, "proceed"],
  [{ ifNoneMatch: "" }, "proceed"],
  [{ ifModifiedSince: SAME }, "not_modified"],
  [{ ifModifiedSince: LATER }, "not_modified"],
  [{ ifModifiedSince: EARLIER }, "proceed"],
  [{ ifModifiedSince: "2026-03-12" }, "proceed"],
  [{ ifNoneMatch: '"r1-abc"', ifModifiedSince: LATER }, "proceed"],
  [{ ifNoneMatch: '"r2-abc"', ifModifiedSince: EARLIER }, "not_modified"],
  [{ ifMatch: '"r1-abc"', ifNoneMatch: '"r2-abc"' }, "failed"],
  [{ ifMatch: '"r2-abc"', ifNoneMatch: '"r2-abc"' }, "not_modified"],
  [{ ifUnmodifiedSince: EARLIER, ifModifiedSince: LATER }, "failed"],
];

describe("conditions of a request (RFC 9110, 13)", () => {
  it.each(CASES)("%j: %s", (said, expected) => {
    expect(verdictOn({ ...none, ...said }, file)).toBe(expected);
  });
});

describe("If-Range (RFC 9110, 13.1.5)", () => {
  it.each([
    [null, true],
    ['"r2-abc"', true],
    [' "r2-abc" ', true],
    ['W/"r2-abc"', false],
    ['"r1-abc"', false],
    ['"r2-abc", "r1-abc"', false],
    ["*", false],
    ["", false],
    [SAME, true],
    [EARLIER, false],
    [LATER, false],
    ["Thursday, 12-Mar-26 02:00:00 GMT", true],
  ])("%j: the range counts is %s", (header, expected) => {
    expect(rangeCounts(header, file)).toBe(expected);
  });
});

describe("dates (RFC 9110, 5.6.7)", () => {
  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sunday, 06-Nov-94 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sun Nov  6 08:49:37 1994", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Thu, 12 Mar 2026 02:00:00 CST", null],
    ["Thu, 12 Foo 2026 02:00:00 GMT", null],
    ["12 Mar 2026", null],
    ["0", null],
    ["", null],
  ])("%j", (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });

  it("are written to the second and read back", () => {
    expect(httpDate(file.lastModifiedMs)).toBe(SAME);
    expect(parseHttpDate(SAME)).toBe(Date.UTC(2026, 2, 12, 2));
  });
});
