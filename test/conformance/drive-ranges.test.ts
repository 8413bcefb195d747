/** Tests ranges and conditions of a download over HTTP (RFC 9110, sections 13 and 14; contract 8.9). */
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
const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
afterAll(() => world.stop());

/** The expected status; for 206, the positions of the first and the last byte, both inclusive. */
type Expected = 200 | 304 | 412 | 416 | [first: number, last: number];
type Case = [name: string, headers: Record<string, string>, expected: Expected, method?: "GET" | "HEAD"];

const CASES: Case[] = [
  ["no range", {}, 200],
  ["the first 500 bytes", { range: "bytes=0-499" }, [0, 499]],
  ["the second 500 bytes", { range: "bytes=500-999" }, [500, 999]],
  ["one byte", { range: "bytes=0-0" }, [0, 0]],
  ["the last byte", { range: "bytes=9999-9999" }, [9999, 9999]],
  ["all bytes", { range: "bytes=0-9999" }, [0, 9999]],
  ["an open range from 0", { range: "bytes=0-" }, [0, 9999]],
  ["an open range from the middle", { range: "bytes=9500-" }, [9500, 9999]],
  ["a suffix", { range: "bytes=-500" }, [9500, 9999]],
  ["a suffix of one byte", { range: "bytes=-1" }, [9999, 9999]],
  ["a suffix longer than the file", { range: "bytes=-99999" }, [0, 9999]],
  ["a range that ends beyond the file's end", { range: "bytes=9990-99999" }, [9990, 9999]],
  ["a range that begins at the file's end", { range: "bytes=10000-" }, 416],
  ["a range far beyond the end", { range: "bytes=20000-30000" }, 416],
  ["an empty suffix", { range: "bytes=-0" }, 416],
  ["a reversed range", { range: "bytes=500-499" }, 200],
  ["an empty list of ranges", { range: "bytes=" }, 200],
  ["a dash without numbers", { range: "bytes=-" }, 200],
  ["letters instead of numbers", { range: "bytes=a-b" }, 200],
  ["another unit", { range: "lines=0-10" }, 200],
  ["two ranges", { range: "bytes=0-9,20-29" }, 200],
  ["200 ranges", { range: `bytes=${Array.from({ length: 200 }, (_, n) => `${n}-${n}`).join(",")}` }, 200],
  ["a matching If-Range", { range: "bytes=5-9", "if-range": etag }, [5, 9]],
  ["If-Range with another ETag", { range: "bytes=5-9", "if-range": '"x"' }, 200],
  ["If-Range with a weak ETag", { range: "bytes=5-9", "if-range": `W/${etag}` }, 200],
  ["If-Range with the file's date", { range: "bytes=5-9", "if-range": modified }, [5, 9]],
  ["If-Range with another date", { range: "bytes=5-9", "if-range": earlier }, 200],
  ["another If-Range and a range beyond the end", { range: "bytes=99999-", "if-range": '"x"' }, 200],
  ["a matching If-Range and a range beyond the end", { range: "bytes=99999-", "if-range": etag }, 416],
  ["a matching If-None-Match", { "if-none-match": etag }, 304],
  ["If-None-Match with *", { "if-none-match": "*" }, 304],
  ["If-None-Match with a list that contains the weak ETag", { "if-none-match": `"a", W/${etag}` }, 304],
  ["If-None-Match with another ETag", { "if-none-match": '"x"' }, 200],
  ["If-Modified-Since with the file's date", { "if-modified-since": modified }, 304],
  ["If-Modified-Since with an earlier date", { "if-modified-since": earlier }, 200],
  ["If-Modified-Since without a valid date", { "if-modified-since": "soon" }, 200],
  ["a matching If-Match and a range", { "if-match": etag, range: "bytes=0-1" }, [0, 1]],
  ["If-Match with another ETag", { "if-match": '"x"' }, 412],
  ["If-Match with a weak ETag", { "if-match": `W/${etag}` }, 412],
  ["If-Unmodified-Since with the file's date", { "if-unmodified-since": modified }, 200],
  ["If-Unmodified-Since with an earlier date", { "if-unmodified-since": earlier }, 412],
  ["another If-Match and a matching If-None-Match", { "if-match": '"x"', "if-none-match": etag }, 412],
  ["If-None-Match and a range beyond the end", { "if-none-match": etag, range: "bytes=99999-" }, 304],
  ["HEAD", {}, 200, "HEAD"],
  ["HEAD with a range", { range: "bytes=0-1" }, 200, "HEAD"],
  ["HEAD with a matching If-None-Match", { "if-none-match": etag }, 304, "HEAD"],
  ["HEAD with another ETag in If-Match", { "if-match": '"x"' }, 412, "HEAD"],
];

describe("a download of a 10,000-byte file", () => {
  it.each(CASES)("follows RFC 9110 for %s", async (_, headers, expected, method = "GET") => {
    const answer = await onDrive(world.share, PATH, { method, headers });
    expect(answer.status).toBe(typeof expected === "number" ? expected : 206);
    if (expected === 416) expect(answer.headers["content-range"]).toBe(`bytes */${SIZE}`);
    if (expected === 304) expect(answer.bytes).toHaveLength(0);
    if (expected === 200) expectBytes(answer, method, [0, SIZE - 1]);
    if (typeof expected !== "number") expectBytes(answer, method, expected);
    if (expected !== 416 && expected !== 412) {
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

function expectBytes(answer: Answer, method: string, [first, last]: [number, number]): void {
  const bytes = Buffer.from(world.trades.bytes.subarray(first, last + 1));
  if (method === "GET") {
    served.requests += 1;
    served.files += last === SIZE - 1 ? 1 : 0;
    served.bytes += bytes.length;
  }
  expect(answer.headers["content-length"]).toBe(String(bytes.length));
  expect(answer.headers["accept-ranges"]).toBe("bytes");
  const range = answer.status === 206 ? `bytes ${first}-${last}/${SIZE}` : undefined;
  expect(answer.headers["content-range"]).toBe(range);
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
