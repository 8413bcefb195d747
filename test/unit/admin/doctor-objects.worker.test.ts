import { beforeEach, describe, expect, it } from "vitest";
import type { DoctorReport, FindingList, UnknownObjects } from "../../../src/admin/wire.ts";
import { admin, emptied, publish, query, servedState, testEnv, testPack } from "./operator.ts";

const { DB: db, PACKS: bucket } = testEnv;
const HOUR_MS = 3_600_000;
const TABLES =
  "order_days day_revisions day_securities pack_markets day_packs day_files day_changes upload_parts uploads";

beforeEach(async () => {
  await emptied(TABLES);
  for (const { key } of (await bucket.list()).objects) await bucket.delete(key);
});

/** Returns request options with the clock `hours` ahead, because R2 stamps new objects with the real time. */
const later = (hours: number) => ({ bindings: { ...testEnv, CLOCK_OFFSET_MS: String(hours * HOUR_MS) } });

const found = async (hours: number) =>
  (await admin<DoctorReport>("GET", "/doctor", undefined, later(hours))).body.findings
    .filter(({ check }) => check === "objects")
    .map(({ level, subject, advice }) => ({ level, subject, advice }));
const repaired = async (hours: number) =>
  (await admin<FindingList>("POST", "/doctor/repair", undefined, later(hours))).body.findings.map(
    ({ level, subject }) => `${level} ${subject}`,
  );
const deleted = async (hours: number, ...keys: string[]) =>
  (await admin<FindingList>("POST", "/doctor/objects/delete", { keys }, later(hours))).body.findings.map(
    ({ level, subject }) => `${level} ${subject}`,
  );
const keys = async () => (await bucket.list()).objects.map(({ key }) => key);

describe("an unlisted object in R2", () => {
  it("is reported after a day, and the repair deletes it after 7 days if nothing needs it", async () => {
    await publish(await testPack("20260302"));
    const served = "orders/2026/20260302/1.parquet";
    const strange = [
      "orders/2026/20260302/9.parquet",
      "orders/whatever",
      "files/level2/2026/20260302/20260302_notes.txt",
    ];
    for (const key of strange) await bucket.put(key, "no pack");
    expect(await found(23)).toEqual([]);
    expect(await found(25)).toEqual(
      strange.map((subject) => ({
        level: "warning",
        subject,
        advice: expect.stringMatching(
          /`edgetape doctor --repair` deletes it once it is 7 days old, at 2\S+; .*--delete-unknown/,
        ),
      })),
    );
    expect(await repaired(7 * 24 - 1)).toEqual([]);
    expect(await repaired(7 * 24 + 1)).toEqual(strange.map((key) => `done ${key}`));
    expect(await found(7 * 24 + 1)).toEqual([]);
    expect(await keys()).toEqual([served]);
  });

  it("is offered for adoption if it is a newer pack of its day, and no repair deletes it", async () => {
    await publish(await testPack("20260303"));
    const key = "orders/2026/20260303/2.parquet";
    await bucket.put(key, (await testPack("20260303", 300_000)).bytes);
    const [finding] = await found(100 * 24);
    expect(finding).toMatchObject({ level: "warning", subject: key });
    expect(finding?.advice).toContain("`edgetape day adopt 20260303`");
    expect(await repaired(100 * 24)).toEqual([]);
    expect(await keys()).toContain(key);
  });

  it("is deleted by the repair if it is a pack with a lower revision than the served pack", async () => {
    await publish(await testPack("20260304"));
    await publish(await testPack("20260304", 200_000));
    const key = "orders/2026/20260304/0.parquet";
    await bucket.put(key, (await testPack("20260304", 300_000)).bytes);
    expect(await repaired(8 * 24)).toContain(`done ${key}`);
    expect(await keys()).toContain("orders/2026/20260304/2.parquet");
  });

  const ofFiles = (key: string) => `npx wrangler r2 object get edgetape-packs/${key} --file `;
  it.each([
    ["an operator's file", "files/level2/2026/20260305/20260305_trades.zip/3", ofFiles],
    [
      "a file made from quotes",
      "files/auction_tick/2026/20260305/20260305_aucde.parquet/3.built",
      () => "Publish the quotes of 20260305 again from their pack (`edgetape publish`)",
    ],
  ])(
    "that is a newer revision of %s is reported with advice on how to offer it, and no repair deletes it",
    async (_, key, advice) => {
      await bucket.put(key, "trades");
      const [finding] = await found(8 * 24);
      expect(finding?.advice).toContain(advice(key));
      expect(finding?.advice.includes("files add")).toBe(advice === ofFiles);
      expect(await repaired(8 * 24)).toEqual([]);
      expect(await keys()).toEqual([key]);
    },
  );

  it("is deleted when an operator names its key, but a listed object is kept", async () => {
    await publish(await testPack("20260306"));
    const served = "orders/2026/20260306/1.parquet";
    const strange = "files/level2/2026/20260306/20260306_trades.zip/1";
    await bucket.put(strange, "trades");
    const listed = await admin<UnknownObjects>("GET", "/doctor/objects", undefined, later(25));
    expect(listed.body.objects).toEqual([{ key: strange, sizeBytes: 6, uploadedAt: expect.any(String) }]);
    expect(await deleted(23, strange)).toEqual([]);
    expect(await deleted(25, served, strange, "orders/none")).toEqual([`done ${strange}`]);
    expect(await keys()).toEqual([served]);
  });
});

describe("a listed object that is missing from R2", () => {
  it("causes a warning if its revision is no longer served, and the repair ends the warning", async () => {
    await publish(await testPack("20260309"));
    await publish(await testPack("20260309", 200_000));
    const gone = "orders/2026/20260309/1.parquet";
    await bucket.delete(gone);
    const before = await servedState("20260309");
    expect(await found(0)).toMatchObject([{ level: "warning", subject: gone }]);
    expect(await repaired(0)).toEqual([`done ${gone}`]);
    expect(await found(0)).toEqual([]);
    expect(await repaired(0)).toEqual([]);
    expect(await servedState("20260309")).toEqual(before);
    const audit = await query`SELECT actor FROM audit WHERE action = 'object.give_up'`.all();
    expect(audit.results).toEqual([{ actor: "ADMIN_TOKEN" }]);
    expect((await admin("POST", "/days/20260309/restore", { revision: 2 })).status).toBe(422);
    expect((await publish(await testPack("20260309", 300_000))).body.day.revision).toBe(3);
  });

  it("causes a warning if its day is not loaded, and the day can be published after the repair", async () => {
    await publish(await testPack("20260310"));
    const gone = "orders/2026/20260310/1.parquet";
    await bucket.delete(gone);
    // A restore also leaves the day without a row in `order_days` when the day's pack is not in R2.
    await query`DELETE FROM order_days`.run();
    expect(await found(0)).toMatchObject([{ level: "warning", subject: gone }]);
    expect(await repaired(0)).toEqual([`done ${gone}`]);
    expect(await found(0)).toEqual([]);
    expect((await publish(await testPack("20260310"))).body.day.revision).toBe(2);
  });

  it("causes a failure as long as its content is served, and no repair removes the failure", async () => {
    await publish(await testPack("20260311"));
    const gone = "orders/2026/20260311/1.parquet";
    await bucket.delete(gone);
    for (let round = 0; round < 2; round++) {
      expect(await found(0)).toMatchObject([{ level: "failed", subject: gone }]);
      expect(await repaired(0)).toEqual([]);
    }
    await publish(await testPack("20260311", 200_000));
    expect(await found(0)).toMatchObject([{ level: "warning", subject: gone }]);
  });

  it("causes a warning if it held a withdrawn file, and the file can be added again after the repair", async () => {
    const insert = `INSERT INTO day_files (data_type, tradedate, name, revision, object_key, etag, size_bytes, sha256,
      state, uploaded_at_ms) VALUES ('level2', '20260312', '20260312.zip', 1, ?, 'e', 1, '', 'withdrawn', 1)`;
    const gone = "files/level2/2026/20260312/20260312.zip/1";
    await db.prepare(insert).bind(gone).run();
    expect(await found(0)).toMatchObject([{ level: "warning", subject: gone }]);
    expect(await repaired(0)).toEqual([`done ${gone}`]);
    expect(await found(0)).toEqual([]);
    const add = { sizeBytes: 1, sha256: "0".repeat(64) };
    const begun = await admin("POST", "/files/level2/20260312/20260312.zip/uploads", add);
    expect(begun.body).toMatchObject({ state: "uploading" });
  });
});
