import { describe, expect, it } from "vitest";
import type { AdoptableList, DayDetail, Published } from "../../../src/admin/wire.ts";
import { judgedObjects } from "../../../src/upkeep/objects.ts";
import { admin, emptied, publish, query, servedState, type TestPack, testEnv, testPack } from "./operator.ts";

const TABLES =
  "day_changes order_days day_revisions day_packs day_securities pack_markets upload_parts uploads";

/** Publishes `pack`, removes it from the catalog as restoring an older backup does, and returns its object key. */
async function publishForgotten(pack: TestPack): Promise<string> {
  const { body } = await publish(pack, { force: true });
  const row = await query`
    SELECT object_key AS k FROM day_packs WHERE sha256 = ${pack.claims.sha256}`.first<{ k: string }>();
  if (row === null) throw new Error(`not published: ${JSON.stringify(body)}`);
  await emptied(TABLES);
  return row.k;
}

function adopt(tradedate: string, body: object) {
  return admin<Published>("POST", `/days/${tradedate}/adopt`, body);
}

describe("the adoption of an unlisted pack", () => {
  it("is offered for the pack's day, and serves the pack unchanged as a new revision", async () => {
    const pack = await testPack("20240304");
    const objectKey = await publishForgotten(pack);
    const { body: listed } = await admin<AdoptableList>("GET", "/days/adoptable");
    expect(listed.days).toEqual([
      {
        tradedate: "20240304",
        served: null,
        packs: [{ objectKey, sizeBytes: pack.bytes.length, uploadedAt: expect.stringMatching(/\+08:00$/) }],
      },
    ]);
    const { status, body } = await adopt("20240304", { objectKey });
    expect([status, body.newRevision]).toEqual([200, true]);
    expect(body.day).toMatchObject({
      revision: 2,
      state: "available",
      degraded: false,
      sha256: pack.claims.sha256,
      buildId: pack.claims.buildId,
      rows: pack.claims.rows,
    });
    expect(await servedState("20240304")).toMatchObject([{ object_key: objectKey, index_rows: 2 }]);
    expect((await admin<AdoptableList>("GET", "/days/adoptable")).body.days).toEqual([]);
    const { body: detail } = await admin<DayDetail>("GET", "/days/20240304");
    expect(detail.revisions.map(({ revision, objectKey: key }) => [revision, key])).toEqual([[2, objectKey]]);
    const judged = await judgedObjects({ db: testEnv.DB, bucket: testEnv.PACKS, nowMs: Date.now() });
    expect(Object.values(judged).flat()).toEqual([]);
  });

  it("is offered for each unlisted pack of a day, newest first, even when a revision is served", async () => {
    const first = await publishForgotten(await testPack("20240305", 110_000));
    const second = await publishForgotten(await testPack("20240305", 120_000));
    await publish(await testPack("20240305", 130_000));
    const { body } = await admin<AdoptableList>("GET", "/days/adoptable");
    const offered = body.days.find(({ tradedate }) => tradedate === "20240305");
    expect(offered?.served).toBe(3);
    expect(offered?.packs.map(({ objectKey }) => objectKey)).toEqual([second, first]);
    expect((await adopt("20240305", { objectKey: first })).body.day).toMatchObject({ revision: 4 });
  });

  it("keeps the quality and the degraded flag of the upload, and lets the operator set the degraded flag", async () => {
    const pack = await testPack("20240306");
    const degraded = { ...pack, claims: { ...pack.claims, degraded: true } };
    const objectKey = await publishForgotten(degraded);
    expect((await adopt("20240306", { objectKey })).body.day.degraded).toBe(true);
    const quality = { verdict: "passed", summary: "passed" };
    const checked = await testPack("20240309");
    const withQuality = { ...checked, claims: { ...checked.claims, quality } };
    await adopt("20240309", { objectKey: await publishForgotten(withQuality) });
    const stored = await query`
      SELECT claims ->> 'quality' AS quality FROM uploads WHERE target = 'orders/20240309'`.first<{
      quality: string;
    }>();
    expect(JSON.parse(stored?.quality ?? "null")).toEqual(quality);
    const again = await publishForgotten(await testPack("20240306", 99_000));
    expect((await adopt("20240306", { objectKey: again, degraded: true })).body.day.degraded).toBe(true);
  });

  it("refuses a pack that is damaged, missing, listed or of another day, and changes nothing", async () => {
    const pack = await testPack("20240307");
    const objectKey = await publishForgotten(pack);
    await publish(await testPack("20240307", 77_000));
    const before = await servedState("20240307");
    const corrupt = pack.bytes.slice();
    corrupt[100] = (corrupt[100] ?? 0) ^ 1;
    const customMetadata = { uploadId: "x", sha256: pack.claims.sha256 };
    const put = (
      n: number,
      bytes: Uint8Array<ArrayBuffer>,
      metadata: Record<string, string> = customMetadata,
    ) => testEnv.PACKS.put(`orders/2024/20240307/${n}.parquet`, bytes, { customMetadata: metadata });
    await put(21, corrupt);
    await put(22, pack.bytes.slice(0, -1));
    await put(23, (await testPack("20240308")).bytes, {});
    await put(24, pack.bytes, {});
    const key = (n: number) => `orders/2024/20240307/${n}.parquet`;
    const refusals = [
      [key(21), {}, 422, /SHA-256/],
      [key(22), {}, 422, /PAR1/],
      [key(23), { sha256: (await testPack("20240308")).claims.sha256 }, 422, /trading day is 20240308/],
      [key(24), {}, 422, /has no stored SHA-256/],
      [key(24), { sha256: "0".repeat(64) }, 422, /SHA-256/],
      [key(99), {}, 404, /no pack/],
      ["orders/2024/20240308/1.parquet", {}, 404, /no pack/],
      ["files/level2/2024/20240307/x/1", {}, 404, /no pack/],
      [key(2), {}, 422, /is already in the catalog/],
    ] as const;
    for (const [objectKey, more, status, error] of refusals) {
      const answer = await adopt("20240307", { objectKey, ...more });
      expect([objectKey, answer.status, answer.body.error]).toEqual([
        objectKey,
        status,
        expect.stringMatching(error),
      ]);
    }
    expect(await servedState("20240307")).toEqual(before);
    await query`DELETE FROM order_days WHERE tradedate = '20240307'`.run();
    expect((await adopt("20240307", { objectKey: key(2) })).body.error).toMatch(/restore the backup again/);
    const { body } = await adopt("20240307", { objectKey, degraded: false });
    expect(body.day).toMatchObject({ sha256: pack.claims.sha256, revision: 25 });
  });

  it("lets at least one concurrent adopter or publisher succeed, and refuses the others with 409", async () => {
    const objectKey = await publishForgotten(await testPack("20240311"));
    const other = await testPack("20240311", 222_000);
    // A caller's next step is refused after another caller has taken over the upload. `publish` can throw this refusal.
    const told = await Promise.allSettled([
      adopt("20240311", { objectKey }),
      publish(other),
      adopt("20240311", { objectKey }),
    ]);
    const outcomes = told.map((each) =>
      each.status === "fulfilled"
        ? `${each.value.status} ${each.value.body.error ?? ""}`
        : String(each.reason),
    );
    expect(outcomes.some((outcome) => outcome.startsWith("200"))).toBe(true);
    for (const outcome of outcomes) expect(outcome).toMatch(/^200|409.*([Aa]nother publisher)/);
    const [state] = (await servedState("20240311")) as {
      index_rows: number;
      etag: string;
      object_key: string;
    }[];
    expect(state?.index_rows).toBe(2);
    expect((await testEnv.PACKS.head(state?.object_key ?? ""))?.etag).toBe(state?.etag);
  });
});
