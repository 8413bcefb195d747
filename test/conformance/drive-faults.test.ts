/** Tests shares whose objects in R2 are missing or changed, and requests over plain HTTP. */
import { afterAll, describe, expect, it } from "vitest";
import { basic, onDrive, shareOf, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { randomBytes } from "../support/random.ts";
import { startService } from "../support/service.ts";
import { DAY, withShare } from "./drive-world.ts";
import { sharedWorld } from "./world.ts";

const world = await withShare(await sharedWorld());
afterAll(() => world.stop());

/** Publishes a file and returns its path in the share and its key in R2. */
async function published(name: string): Promise<{ path: string; key: string }> {
  const file = tradesFile(DAY, randomBytes(3, 1_000), `${DAY}_${name}.zip`);
  await publishFiles(world.service, file);
  const db = await world.service.mf.getD1Database("DB");
  const row = await db.prepare("SELECT object_key FROM day_files WHERE name = ?").bind(file.name).first<{
    object_key: string;
  }>();
  return { path: `${DAY}/${file.name}`, key: row?.object_key ?? "" };
}

describe("an object in R2 that is missing or differs from its catalog row", () => {
  it.each(["missing", "different"])(
    "(%s) causes a 503 without the object's key and a log line with the key",
    async (how) => {
      const { path, key } = await published(how);
      const bucket = await world.service.mf.getR2Bucket("PACKS");
      if (how === "missing") await bucket.delete(key);
      else await bucket.put(key, "something else");
      const answer = await onDrive(world.share, path);
      expect(answer.status).toBe(503);
      expect(answer.reason).toBe("unavailable");
      expect(answer.headers["retry-after"]).toBe("5");
      expect(answer.text).not.toContain(key);
      const id = String(answer.headers["x-request-id"]);
      const line = JSON.parse(world.service.logs.find((each) => each.includes(id)) ?? "{}") as {
        fault: string;
      };
      expect(line).toMatchObject({ kind: "fault", status: 503 });
      expect(line.fault).toContain(key);
    },
  );
});

describe("a deployment whose public URL is https", () => {
  it("redirects GET and HEAD over plain HTTP to https, and refuses other methods over plain HTTP", async () => {
    await using service = await startService({ settings: { PUBLIC_BASE_URL: "https://data.example/" } });
    await publishFiles(service, tradesFile(DAY, randomBytes(4, 100)));
    const { key } = await account(service, { plan: "flagship" });
    const share = await shareOf(service, key);
    expect(share.url).toBe(`https://data.example/s/${share.shareId}/`);
    const plain = `${service.baseUrl}/s/${share.shareId}/`;
    const headers = basic(share.shareId, share.password);
    for (const method of ["GET", "HEAD"]) {
      const answer = await call(`${plain}${DAY}/?lang=en`, { method, headers });
      expect(answer.status).toBe(308);
      expect(answer.headers.location).toBe(`${share.url}${DAY}/?lang=en`);
    }
    for (const method of ["POST", "PROPFIND", "OPTIONS"]) {
      expect((await call(plain, { method, headers })).status).toBe(403);
    }
  });
});
