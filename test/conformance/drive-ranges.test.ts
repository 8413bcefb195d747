/** Ranges and conditions of a download over HTTP (RFC 9110, sections 13 and 14; contract 8.9). */
import { afterAll, describe, expect, it } from "vitest";
import { onDrive } from "../support/drive.ts";
import type { Answer } from "../support/http-client.ts";
import { DAY, sharedDriveWorld } from "./drive-world.ts";

const PATH = `${DAY}/${DAY}_trades.zip`;
const SIZE = 10_000;

const world = await sharedDriveWorld();
// The ETag and date of the file, from a HEAD request.
const { headers } = await onDrive(world.share, PATH, { method: "HEAD" });
const etag = String(headers.etag);
const modified = String(headers["last-modified"]);
afterAll(() => world.stop());

const shifted = (seconds: number) => new Date(Date.parse(modified) + seconds * 1000).toUTCString();

/** The expected answer. `part` holds the positions of the first and the last byte, both inclusive. */
type Expected = { status: 200 | 304 | 412 | 416 } | { status: 206; part: [number, number] };

interface Case {
  name: string;
  method?: "GET" | "HEAD";
  headers: () => Record<string, string>;
  expected: Expected;
}

const range = (name: string, value: string, expected: Expected): Case => ({
  name,
  headers: () => ({ range: value }),
  expected,
});
const part = (first: number, last: number): Expected => ({ status: 206, part: [first, last] });
const whole: Expected = { status: 200 };

const CASES: Case[] = [
  { name: "no range", headers: () => ({}), expected: whole },
  range("the first 500 bytes", "bytes=0-499", part(0, 499)),
  range("the second 500 bytes", "bytes=500-999", part(500, 999)),
  range("one byte", "bytes=0-0", part(0, 0)),
  range("the last byte", "bytes=9999-9999", part(9999, 9999)),
  range("all bytes", "bytes=0-9999", part(0, 9999)),
  range("an open range from 0", "bytes=0-", part(0, 9999)),
  range("an open range from the middle", "bytes=9500-", part(9500, 9999)),
  range("a suffix", "bytes=-500", part(9500, 9999)),
  range("a suffix of one byte", "bytes=-1", part(9999, 9999)),
  range("a suffix longer than the file", "bytes=-99999", part(0, 9999)),
  range("a range that ends beyond the file's end", "bytes=9990-99999", part(9990, 9999)),
  range("a range that begins at the file's end", "bytes=10000-", { status: 416 }),
  range("a range far beyond the end", "bytes=20000-30000", { status: 416 }),
  range("an empty suffix", "bytes=-0", { status: 416 }),
  range("a reversed range", "bytes=500-499", whole),
  range("an empty list of ranges", "bytes=", whole),
  range("a dash without numbers", "bytes=-", whole),
  range("letters instead of numbers", "bytes=a-b", whole),
  range("another unit", "lines=0-10", whole),
  range("two ranges", "bytes=0-9,20-29", whole),
  range(
    "many ranges",
    `bytes=${Array.from({ length: 200 }, (_, n) => `${n * 2}-${n * 2}`).join(",")}`,
    whole,
  ),
  {
    name: "a matching If-Range",
    headers: () => ({ range: "bytes=5-9", "if-range": etag }),
    expected: part(5, 9),
  },
  {
    name: "If-Range with another ETag",
    headers: () => ({ range: "bytes=5-9", "if-range": '"x"' }),
    expected: whole,
  },
  {
    name: "If-Range with a weak ETag",
    headers: () => ({ range: "bytes=5-9", "if-range": `W/${etag}` }),
    expected: whole,
  },
  {
    name: "If-Range with the file's date",
    headers: () => ({ range: "bytes=5-9", "if-range": modified }),
    expected: part(5, 9),
  },
  {
    name: "If-Range with another date",
    headers: () => ({ range: "bytes=5-9", "if-range": shifted(-1) }),
    expected: whole,
  },
  {
    name: "If-Range with another ETag and a range beyond the end",
    headers: () => ({ range: "bytes=99999-", "if-range": '"x"' }),
    expected: whole,
  },
  {
    name: "a matching If-Range and a range beyond the end",
    headers: () => ({ range: "bytes=99999-", "if-range": etag }),
    expected: { status: 416 },
  },
  { name: "a matching If-None-Match", headers: () => ({ "if-none-match": etag }), expected: { status: 304 } },
  { name: "If-None-Match with *", headers: () => ({ "if-none-match": "*" }), expected: { status: 304 } },
  {
    name: "If-None-Match with a list that contains the weak ETag",
    headers: () => ({ "if-none-match": `"a", W/${etag}` }),
    expected: { status: 304 },
  },
  { name: "If-None-Match with another ETag", headers: () => ({ "if-none-match": '"x"' }), expected: whole },
  {
    name: "If-Modified-Since with the file's date",
    headers: () => ({ "if-modified-since": modified }),
    expected: { status: 304 },
  },
  {
    name: "If-Modified-Since with an earlier date",
    headers: () => ({ "if-modified-since": shifted(-1) }),
    expected: whole,
  },
  {
    name: "If-Modified-Since without a valid date",
    headers: () => ({ "if-modified-since": "soon" }),
    expected: whole,
  },
  {
    name: "a matching If-Match and a range",
    headers: () => ({ "if-match": etag, range: "bytes=0-1" }),
    expected: part(0, 1),
  },
  { name: "If-Match with another ETag", headers: () => ({ "if-match": '"x"' }), expected: { status: 412 } },
  {
    name: "If-Match with a weak ETag",
    headers: () => ({ "if-match": `W/${etag}` }),
    expected: { status: 412 },
  },
  {
    name: "If-Unmodified-Since with the file's date",
    headers: () => ({ "if-unmodified-since": modified }),
    expected: whole,
  },
  {
    name: "If-Unmodified-Since with an earlier date",
    headers: () => ({ "if-unmodified-since": shifted(-1) }),
    expected: { status: 412 },
  },
  {
    name: "If-Match with another ETag and a matching If-None-Match",
    headers: () => ({ "if-match": '"x"', "if-none-match": etag }),
    expected: { status: 412 },
  },
  {
    name: "a matching If-None-Match and a range beyond the end",
    headers: () => ({ "if-none-match": etag, range: "bytes=99999-" }),
    expected: { status: 304 },
  },
  { name: "HEAD", method: "HEAD", headers: () => ({}), expected: whole },
  { name: "HEAD with a range", method: "HEAD", headers: () => ({ range: "bytes=0-1" }), expected: whole },
  {
    name: "HEAD with a matching If-None-Match",
    method: "HEAD",
    headers: () => ({ "if-none-match": etag }),
    expected: { status: 304 },
  },
  {
    name: "HEAD with another ETag in If-Match",
    method: "HEAD",
    headers: () => ({ "if-match": '"x"' }),
    expected: { status: 412 },
  },
];

describe("a download of a 10,000-byte file", () => {
  it.each(CASES)("follows RFC 9110 for $name", async ({ method = "GET", headers, expected }) => {
    const answer = await onDrive(world.share, PATH, { method, headers: headers() });
    expect(answer.status).toBe(expected.status);
    if (expected.status === 416) expect(answer.headers["content-range"]).toBe(`bytes */${SIZE}`);
    if (expected.status === 304) expect(answer.bytes).toHaveLength(0);
    if (expected.status === 200 || expected.status === 206) expectBytes(answer, method, expected);
    if (expected.status !== 416 && expected.status !== 412) {
      expect(answer.headers.etag).toBe(etag);
      expect(answer.headers["last-modified"]).toBe(modified);
    }
  });

  it("adds its requests, completed files and sent bytes to the account's usage", async () => {
    const db = await world.service.mf.getD1Database("DB");
    const sql =
      "SELECT requests, files, bytes FROM usage WHERE account_id = ? AND service = 'level2' AND day = ?";
    const counted = () => db.prepare(sql).bind(world.owner.accountId, "20260312").first();
    await expect.poll(counted, { timeout: 60_000, interval: 100 }).toEqual(served);
  });
});

/** The expected usage (contract 7.10): the sum over all GET responses that contain bytes of the file. */
const served = { requests: 0, files: 0, bytes: 0 };

function expectBytes(answer: Answer, method: string, expected: Expected): void {
  const [first, last] = "part" in expected ? expected.part : [0, SIZE - 1];
  const bytes = Buffer.from(world.trades.bytes.subarray(first, last + 1));
  if (method === "GET") {
    served.requests += 1;
    served.files += last === SIZE - 1 ? 1 : 0;
    served.bytes += bytes.length;
  }
  expect(answer.headers["content-length"]).toBe(String(bytes.length));
  expect(answer.headers["accept-ranges"]).toBe("bytes");
  const told = "part" in expected ? `bytes ${first}-${last}/${SIZE}` : undefined;
  expect(answer.headers["content-range"]).toBe(told);
  expect(answer.bytes.equals(method === "HEAD" ? Buffer.alloc(0) : bytes)).toBe(true);
}

describe("a download from a share", () => {
  it("returns the type, name and SHA-256 of the whole file in its headers, even for a range", async () => {
    for (const headers of [{}, { range: "bytes=5-9" }] as Record<string, string>[]) {
      const answer = await onDrive(world.share, PATH, { headers });
      expect(answer.headers["content-type"]).toBe("application/zip");
      expect(answer.headers["content-disposition"]).toBe(`attachment; filename="${DAY}_trades.zip"`);
      expect(answer.headers["cache-control"]).toContain("no-transform");
      expect(answer.headers["repr-digest"]).toMatch(/^sha-256=:[A-Za-z0-9+/]{43}=:$/);
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
      expect(answer.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });

  it("writes share, file, requested bytes and a hashed IP address to one log line", async () => {
    const answer = await onDrive(world.share, PATH, {
      headers: { range: "bytes=5-9", "cf-connecting-ip": "192.0.2.9" },
    });
    const id = String(answer.headers["x-request-id"]);
    const line = JSON.parse(world.service.logs.find((each) => each.includes(id)) ?? "{}") as object;
    const { shareId } = world.share;
    expect(line).toMatchObject({ interface: "share", share: shareId, file: PATH, bytes: 5, kind: "served" });
    expect(line).toMatchObject({
      accountId: world.owner.accountId,
      address: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(JSON.stringify(line)).not.toContain("192.0.2.9");
  });
});
