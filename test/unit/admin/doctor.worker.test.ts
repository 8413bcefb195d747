import { beforeAll, describe, expect, it } from "vitest";
import type { DoctorReport, FindingList, IndexReport } from "../../../src/admin/wire.ts";
import { admin, publish, query, sent, servedState, testEnv, testPack } from "./operator.ts";

const { DB: db, PACKS: bucket } = testEnv;

const report = async () => (await admin<DoctorReport>("GET", "/doctor")).body;
const findings = async (check: string) =>
  (await report()).findings
    .filter((each) => each.check === check)
    .map(({ level, subject }) => `${level} ${subject}`);

describe("the doctor's report", () => {
  beforeAll(async () => {
    await publish(await testPack("20260302"));
    await publish(await testPack("20260303"));
  });

  it("describes stores, migrations, days and the clock", async () => {
    const before = Date.now();
    const { stores, migrations, days, nowMs } = await report();
    expect(stores).toEqual({ d1: "ok", r2: "ok", gate: "ok", guard: "ok", rate: "ok" });
    expect(migrations).toContain("0001_catalog.sql");
    expect(days).toEqual(["20260302", "20260303"]);
    expect(nowMs).toBeGreaterThanOrEqual(before);
  });

  it("lists the days that are missing in the calendar", async () => {
    const days = ["20260302", "20260303", "20260306", "20260308"].map((day) => ({ day, open: true }));
    await admin("PUT", "/calendar", { days, source: "test", force: true });
    const { findings } = await report();
    const gaps = findings.filter(({ sentence }) => sentence.includes("lacks"));
    expect(gaps.map(({ sentence }) => sentence)).toEqual([
      "The calendar lacks 20260304 to 20260305.",
      "The calendar lacks 20260307.",
    ]);
  });

  it("lists an upload that began more than a day ago, until the repair ends the upload", async () => {
    const pack = await testPack("20260304");
    const _begun = await sent(pack);
    expect(await findings("uploads")).toEqual([]);
    await query`UPDATE uploads SET begun_at_ms = begun_at_ms - 25 * 3600000 WHERE state = 'uploading'`.run();
    expect(await findings("uploads")).toEqual(["warning orders/20260304"]);
    const { body } = await admin<FindingList>("POST", "/doctor/repair");
    expect(body.findings.map(({ level, subject }) => `${level} ${subject}`)).toEqual([
      "done orders/20260304",
    ]);
    expect(await findings("uploads")).toEqual([]);
    expect((await publish(pack)).status).toBe(200);
  });

  it("contains a failed finding for a check that cannot run, and the findings of all other checks", async () => {
    const bindings = {
      ...testEnv,
      PACKS: { list: () => Promise.reject(new Error("away")), head: bucket.head.bind(bucket) },
    };
    const { body } = await admin<DoctorReport>("GET", "/doctor", undefined, { bindings: bindings as never });
    expect(body.findings.find(({ check }) => check === "objects")).toMatchObject({ level: "failed" });
    expect(body.days).toContain("20260302");
  });
});

describe("the index rows of a day", () => {
  const DAY = "20260311";
  const index = async () => (await admin<IndexReport>("GET", `/doctor/index/${DAY}`)).body;
  const repaired = async () => (await admin<IndexReport>("POST", `/doctor/index/${DAY}/repair`)).body;
  const pack = "(SELECT pack_id FROM order_days WHERE tradedate = '20260311')";
  const rows = async () =>
    (await db.prepare(`SELECT * FROM day_securities WHERE pack_id = ${pack} ORDER BY symbol`).all()).results;

  beforeAll(async () => {
    await publish(await testPack(DAY));
  });

  it("match the pack after publishing, and a repair changes nothing", async () => {
    expect(await index()).toEqual({ tradedate: DAY, revision: 1, securities: 2, findings: [] });
    const before = await rows();
    expect((await repaired()).findings).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  it.each([
    [
      "a wrong checksum",
      `UPDATE day_securities SET crc = crc + 1 WHERE symbol = '600519' AND pack_id = ${pack}`,
      "600519.SH",
    ],
    [
      "a wrong block",
      `UPDATE day_securities SET blocks = CAST(substr(blocks, 2) || x'00' AS BLOB) WHERE symbol = '300750' AND pack_id = ${pack}`,
      "300750.SZ",
    ],
    [
      "a missing row",
      `DELETE FROM day_securities WHERE symbol = '600519' AND pack_id = ${pack}`,
      "600519.SH",
    ],
    [
      "an extra row",
      `INSERT INTO day_securities SELECT pack_id, '000001', 'SZ', section_offset, section_length, footer_length, rows, crc, blocks, last_time FROM day_securities WHERE symbol = '300750' AND pack_id = ${pack}`,
      "000001.SZ",
    ],
  ])("with %s are reported by the doctor and rebuilt from the pack", async (_, corrupt, code) => {
    const before = await rows();
    const summed = async () =>
      (await db.prepare(`SELECT * FROM pack_markets WHERE pack_id = ${pack} ORDER BY market`).all()).results;
    const sums = await summed();
    await db.prepare(corrupt).run();
    const { findings } = await index();
    expect(findings).toMatchObject([{ level: "failed", subject: DAY }]);
    expect(findings[0]?.sentence).toContain(code);
    expect((await repaired()).findings).toMatchObject([{ level: "done", subject: DAY }]);
    expect(await rows()).toEqual(before);
    expect(await summed()).toEqual(sums);
    expect((await index()).findings).toEqual([]);
  });

  it("cannot be rebuilt from a wrong or missing object, and stay unchanged", async () => {
    const before = [await rows(), await servedState(DAY)];
    const other = await testPack(DAY, 999_999);
    const key = "orders/2026/20260311/1.parquet";
    await bucket.put(key, other.bytes);
    await query`UPDATE day_packs SET size_bytes = ${other.bytes.length} WHERE object_key = ${key}`.run();
    expect((await repaired()).findings[0]?.sentence).toMatch(
      /its object has build id [0-9a-f]{32} instead of/,
    );
    await bucket.put(key, other.bytes.subarray(0, other.bytes.length - 9));
    expect((await repaired()).findings[0]?.sentence).toContain("bytes instead of");
    await bucket.delete(key);
    expect((await repaired()).findings[0]?.sentence).toContain("its object is not in R2");
    expect(await rows()).toEqual(before[0]);
  });

  it("are checked only if the day is loaded", async () => {
    expect((await admin("GET", "/doctor/index/20200101")).status).toBe(404);
    expect((await admin("GET", "/doctor/index/yesterday")).status).toBe(400);
  });
});
