import { afterAll, describe, expect, it } from "vitest";
import { askShare, type ShareFields, shareIn } from "../support/files.ts";
import { asOperator } from "../support/operator.ts";
import { sharedShareWorld } from "./share-world.ts";

const PASSWORD = "x7-提取码-Q";
const LINK = {
  url: "https://pan.example.com/s/1abc",
  password: PASSWORD,
  expires: "2026-12-31T00:00:00+08:00",
};
const COVERS = { firstDay: "20220104", lastDay: "20221230", fileCount: 242, sizeBytes: 123_456_789_012 };
/** What an answer says about `COVERS`. */
const COVERED = {
  ...{ data_type: "auction_tick", year: 2022, start_date: COVERS.firstDay, end_date: COVERS.lastDay },
  ...{ file_count: COVERS.fileCount, size_bytes: COVERS.sizeBytes },
};

const world = await sharedShareWorld();
afterAll(() => world.stop());

const share = async (data_type: string, year: number, apikey = world.keys.flagship) =>
  shareIn(await askShare(world.service, apikey, { data_type, year }));
const set = (type: string, year: number, body: Record<string, unknown>) =>
  asOperator(world.service, "PUT", `/admin/external/${type}/${year}`, body);
const clear = (type: string, year: number) =>
  asOperator(world.service, "POST", `/admin/external/${type}/${year}/clear`);
const isOurs = ({ url }: ShareFields) => url.startsWith(`${world.service.baseUrl}/s/`);

describe("an external share (contract 8.4)", () => {
  it("without a link has the status `preparing`, an empty URL and a positive `retry_after`", async () => {
    await set("auction_tick", 2022, COVERS);
    const prepared = await share("auction_tick", 2022);
    expect(prepared).toEqual({
      status: "preparing",
      ...COVERED,
      url: "",
      password: "",
      expires_at: "",
      retry_after: expect.any(Number),
    });
    expect(prepared.retry_after).toBeGreaterThan(0);
    expect(Number.isInteger(prepared.retry_after)).toBe(true);
  });

  it("with a link replaces the service's own share", async () => {
    await set("auction_tick", 2022, { ...COVERS, link: LINK });
    expect(await share("auction_tick", 2022)).toEqual({
      status: "ready",
      ...COVERED,
      url: LINK.url,
      password: PASSWORD,
      expires_at: LINK.expires,
      retry_after: 0,
    });
    expect(isOurs(await share("level2", 2026))).toBe(true);
    expect(isOurs(await share("auction_tick", 2025))).toBe(true);
  });

  it("is returned even for a year without files on the service itself", async () => {
    await set("level2", 2020, { ...COVERS, firstDay: "20200102", lastDay: "20201231", link: LINK });
    expect((await share("level2", 2020)).url).toBe(LINK.url);
    await clear("level2", 2020);
  });

  it("has the status `preparing` again once its link has expired", async () => {
    const over = { ...LINK, expires: world.service.nowMs() - 1 };
    await set("auction_tick", 2022, { ...COVERS, link: { ...over, expires: Math.floor(over.expires) } });
    expect(await share("auction_tick", 2022)).toMatchObject({ status: "preparing", url: "", password: "" });
  });

  it("is returned if the plan covers the whole year; a plan with a window gets the service's own share", async () => {
    await set("level2", 2026, { ...COVERS, firstDay: "20260105", lastDay: "20260311", link: LINK });
    expect((await share("level2", 2026)).url).toBe(LINK.url);
    for (const plan of ["professional", "weekly"] as const) {
      const own = await share("level2", 2026, world.keys[plan]);
      expect(isOurs(own)).toBe(true);
      expect(own.file_count).toBe(5);
    }
    await clear("level2", 2026);
  });

  it("is replaced by the service's own share when it is cleared", async () => {
    await set("auction_tick", 2022, { ...COVERS, link: LINK });
    await clear("auction_tick", 2022);
    const own = await share("auction_tick", 2022);
    expect(isOurs(own)).toBe(true);
    expect(own.file_count).toBe(1);
    const again = await world.service.admin("POST", "/admin/external/auction_tick/2022/clear");
    expect(again.status).toBe(404);
  });
});

describe("the registration of an external share", () => {
  it.each([
    ["a day of another year", { ...COVERS, firstDay: "20211231" }],
    ["a last day before the first day", { ...COVERS, firstDay: "20221230", lastDay: "20220104" }],
    ["no files", { ...COVERS, fileCount: 0 }],
    ["a link without an expiry", { ...COVERS, link: { url: LINK.url, password: "" } }],
    ["a link that is not a web address", { ...COVERS, link: { ...LINK, url: "javascript:alert(1)" } }],
    ["a link with a password in its URL", { ...COVERS, link: { ...LINK, url: `${LINK.url}?pwd=abcd` } }],
    ["an unknown member", { ...COVERS, note: "x" }],
  ])("refuses %s", async (_, body) => {
    const answer = await world.service.admin("PUT", "/admin/external/auction_tick/2022", body);
    expect([400, 422]).toContain(answer.status);
  });

  it("keeps the password out of the list of external shares, and adds an audit row for each change", async () => {
    await set("level2", 2021, { ...COVERS, firstDay: "20210104", lastDay: "20211231", link: LINK });
    const list = await world.service.admin("GET", "/admin/external");
    expect(list.text).toContain(LINK.url);
    expect(list.text).not.toContain("提取码");
    await clear("level2", 2021);
    const db = await world.service.mf.getD1Database("DB");
    const { results } = await db
      .prepare("SELECT action FROM audit WHERE subject = 'level2/2021' ORDER BY audit_id")
      .all<{ action: string }>();
    expect(results.map(({ action }) => action)).toEqual(["external.set", "external.clear"]);
  });
});

describe("a stored share password that cannot be decrypted (contract 8.4)", () => {
  it("causes 503 without details", async () => {
    await set("level2", 2021, { ...COVERS, firstDay: "20210104", lastDay: "20211231", link: LINK });
    const db = await world.service.mf.getD1Database("DB");
    await db
      .prepare("UPDATE external_shares SET year = 2018 WHERE data_type = 'level2' AND year = 2021")
      .run();
    const answer = await askShare(world.service, world.keys.flagship, { data_type: "level2", year: 2018 });
    expect({ reason: answer.reason, status: answer.status }).toEqual({ reason: "unavailable", status: 503 });
    expect(answer.text).not.toMatch(/password|SHARE_SECRET/i);
    await clear("level2", 2018);
  });
});
