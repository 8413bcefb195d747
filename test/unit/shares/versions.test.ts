import { describe, expect, it } from "vitest";
import type { Conditions } from "../../../src/shares/http-fields.ts";
import { parseRange } from "../../../src/shares/http-fields.ts";
import {
  type Begun,
  beginningOf,
  etagOf,
  meantRevision,
  namedVersion,
} from "../../../src/shares/versions.ts";

const version = (revision: number, lastModifiedMs: number) => ({
  revision,
  lastModifiedMs,
  etag: etagOf({ revision, sha256: String(revision).repeat(64) }),
});
const older = version(1, Date.UTC(2026, 2, 10));
const present = version(2, Date.UTC(2026, 2, 12));
const versions = [present, older];

const conditions = (said: Partial<Conditions>): Conditions => ({
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
  ifRange: null,
  ...said,
});

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
    expect(namedVersion(conditions(said), versions)).toBe(expected);
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
