/**
 * Tests a file that is replaced during downloads. A client that began the old version can finish it within 7 days, and
 * no client gets bytes of two versions under one name (contract 8.8).
 */
import { afterAll, describe, expect, it } from "vitest";
import { burst, day } from "../support/builders.ts";
import { onDrive, tradesFile } from "../support/drive.ts";
import { type DailyFile, publishFiles, withdrawFile } from "../support/files.ts";
import type { Answer } from "../support/http-client.ts";
import { publish } from "../support/operator.ts";
import { randomBytes } from "../support/random.ts";
import { DAY, withShare } from "./drive-world.ts";
import { DAY_MS, sharedWorld } from "./world.ts";

const SIZE = 20_000;

const world = await withShare(await sharedWorld());
afterAll(() => world.stop());

/** Publishes a file with content `old`. `replace` publishes content `present` under the same name. */
async function replaceable(name: string) {
  const old = randomBytes(10, SIZE);
  const present = randomBytes(11, SIZE + 500);
  const place: DailyFile = tradesFile(DAY, old, `${DAY}_${name}.zip`);
  await publishFiles(world.service, place);
  return {
    path: `${DAY}/${place.name}`,
    place,
    old: Buffer.from(old),
    present: Buffer.from(present),
    replace: () => publishFiles(world.service, { ...place, bytes: present }),
  };
}

/** Returns a function that sends requests with the User-Agent `agent`. */
function as(agent: string) {
  return (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
    onDrive(world.share, path, { method, headers: { "user-agent": agent, ...headers } });
}
const curl = as("curl/8.0");

function expectPart(answer: Answer, whole: Buffer, from: number): void {
  expect(answer.status).toBe(206);
  expect(answer.headers["content-range"]).toBe(`bytes ${from}-${whole.length - 1}/${whole.length}`);
  expect(answer.bytes.equals(whole.subarray(from))).toBe(true);
}

function expectWhole(answer: Answer, whole: Buffer): void {
  expect(answer.status).toBe(200);
  expect(answer.bytes.equals(whole)).toBe(true);
}

/** Asserts that a request is refused because the service cannot determine which version the client began to download. */
function expectRefused(answer: Answer): void {
  expect([answer.status, answer.reason]).toEqual([409, "version_unknown"]);
}

describe("a download resumed after its file was replaced", () => {
  it("continues the old version when the client names it in If-Range or If-Match", async () => {
    const file = await replaceable("named");
    const { headers } = await curl(file.path);
    await file.replace();
    const range = "bytes=5000-";
    const etag = String(headers.etag);
    expectPart(await as("a")(file.path, { range, "if-range": etag }), file.old, 5000);
    expectPart(await as("b")(file.path, { range, "if-match": etag }), file.old, 5000);
    const old = await as("c")(file.path, { "if-match": etag });
    expectWhole(old, file.old);
    expect(old.headers.etag).toBe(etag);
    expectWhole(await as("d")(file.path), file.present);
    expectWhole(await as("d")(file.path, { range, "if-range": '"r0-unknown"' }), file.present);
  });

  it("continues the version that the client began, even if its range has no condition (curl -C -, wget -c, aria2c)", async () => {
    const file = await replaceable("bare");
    await curl(file.path);
    await file.replace();
    expectPart(await curl(file.path, { range: "bytes=5000-" }), file.old, 5000);
  });

  it("is refused when two clients with the same address and agent began different versions", async () => {
    const file = await replaceable("twins");
    // One download is cut, and the file is replaced. Another client then downloads the new file, and the first client
    // requests the rest of the old one.
    const { headers } = await curl(file.path);
    await file.replace();
    const present = await curl(file.path);
    expectWhole(present, file.present);
    const range = "bytes=5000-";
    expectRefused(await curl(file.path, { range }));
    expectPart(await curl(file.path, { range, "if-range": String(headers.etag) }), file.old, 5000);
    expectPart(
      await curl(file.path, { range, "if-range": String(present.headers.etag) }),
      file.present,
      5000,
    );
    // A HEAD request or a read of the first bytes does not determine which version the next range continues.
    await curl(file.path, {}, "HEAD");
    await curl(file.path, { range: "bytes=0-99" });
    expectRefused(await curl(file.path, { range }));
  });

  it("gets 416 for a range that begins at the old version's end, as wget -c expects for a complete file", async () => {
    const file = await replaceable("end");
    await curl(file.path);
    await file.replace();
    const answer = await curl(file.path, { range: `bytes=${SIZE}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers["content-range"]).toBe(`bytes */${SIZE}`);
  });

  it("is refused when the client began the old version and has since seen the new version's size", async () => {
    const file = await replaceable("seen");
    await curl(file.path);
    await file.replace();
    await curl(file.path, {}, "HEAD");
    expectRefused(await curl(file.path, { range: "bytes=5000-" }));
    expect((await curl(file.path, { range: "bytes=0-99" })).status).toBe(206);
    expectRefused(await curl(file.path, { range: "bytes=5000-" }));
  });

  it("continues the old version for an unknown client if all known clients began the old version, else is refused", async () => {
    const file = await replaceable("moved");
    await curl(file.path);
    await file.replace();
    expectPart(await as("moved")(file.path, { range: "bytes=5000-" }), file.old, 5000);
    await as("other")(file.path);
    expectRefused(await as("moved")(file.path, { range: "bytes=5000-" }));
  });

  it("continues the old version for 7 days at most, and not after the file is withdrawn", async () => {
    const file = await replaceable("late");
    const { headers } = await curl(file.path);
    await file.replace();
    const conditions = { range: "bytes=5000-", "if-range": String(headers.etag) };
    const db = await world.service.mf.getD1Database("DB");
    const age = (ageMs: number) =>
      db
        .prepare("UPDATE day_files SET replaced_at_ms = ? WHERE name = ? AND replaced_at_ms IS NOT NULL")
        .bind(Math.floor(world.service.nowMs() - ageMs), file.place.name)
        .run();
    await age(7 * DAY_MS - 60_000);
    expectPart(await curl(file.path, conditions), file.old, 5000);
    await age(7 * DAY_MS);
    expectWhole(await curl(file.path, conditions), file.present);
    expect((await curl(file.path, { "if-match": String(headers.etag) })).status).toBe(412);

    await age(1);
    await withdrawFile(world.service, file.place);
    expect((await curl(file.path, conditions)).status).toBe(404);
  });
});

describe("a client that reads only ranges of a replaced file", () => {
  it("continues the version whose size it last saw (HEAD, suffix range or PROPFIND)", async () => {
    const file = await replaceable("pieces");
    const reader = as("reader");
    await reader(file.path, {}, "HEAD");
    await file.replace();
    expectPart(await reader(file.path, { range: "bytes=5000-" }), file.old, 5000);
    await reader(file.path, {}, "HEAD");
    expectPart(await reader(file.path, { range: "bytes=5000-" }), file.present, 5000);
    const suffix = as("suffix");
    expectPart(await suffix(file.path, { range: "bytes=-8" }), file.present, file.present.length - 8);
    expectPart(await suffix(file.path, { range: "bytes=5000-" }), file.present, 5000);
    const dav = as("dav");
    await dav(`${DAY}/`, { depth: "1" }, "PROPFIND");
    expectPart(await dav(file.path, { range: "bytes=5000-" }), file.present, 5000);
  });
});

describe("a download of an order pack, or of a security's file in it,", () => {
  it("continues the old version after the pack is rebuilt", async () => {
    const tradedate = "20260205";
    const rebuilt = (rows: number) =>
      publish(
        world.service,
        day({ tradedate, securities: [burst({ symbol: "600000", time: "093000000", rows })] }),
      );
    await rebuilt(500);
    const paths = [`${tradedate}/${tradedate}_orders.parquet`, `${tradedate}/by-symbol/600000.SH.parquet`];
    const before = await Promise.all(paths.map((path) => curl(path)));
    await rebuilt(700);
    for (const [place, path] of paths.entries()) {
      const old = before[place];
      if (old === undefined) throw new Error("this path was not downloaded before");
      expectPart(await curl(path, { range: "bytes=100-" }), old.bytes, 100);
      const named = { range: "bytes=100-", "if-range": String(old.headers.etag) };
      expectPart(await as("other")(path, named), old.bytes, 100);
      const present = await as("new")(path);
      expect(present.bytes.equals(old.bytes)).toBe(false);
      expect(present.headers["x-revision"]).toBe("2");
    }
  });
});
