import { afterAll, describe, expect, it } from "vitest";
import { basic } from "../support/drive.ts";
import { askShare, ownFile, publishFiles, type ShareFields, shareIn } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { sharedShareWorld } from "./share-world.ts";
import { DAY_MS } from "./world.ts";

const HOUR_MS = 3_600_000;
const FIRST = "1:first-share-secret-first-share-secret";
const SECOND = "2:second-share-secret-second-share-secret";

const world = await sharedShareWorld();
afterAll(() => world.stop());

const share = async (key: string, data_type = "level2", year = 2026, service = world.service) =>
  shareIn(await askShare(service, key, { data_type, year }));

describe("the share of an account, type and year (contract 8.3)", () => {
  it("stays the same when it is requested again, even with another key of the account", async () => {
    const { keys } = await account(world.service, { plan: "flagship", keys: 2 });
    const [one, two] = [keys[0]?.key ?? "", keys[1]?.key ?? ""];
    const first = await share(one);
    expect(await share(one)).toEqual(first);
    expect(await share(two)).toEqual(first);
  });

  it("is created once for twenty concurrent requests, with one audit row", async () => {
    const { accountId, keys } = await account(world.service, { plan: "flagship", keys: 4 });
    const asked = Array.from({ length: 20 }, (_, i) => share(keys[i % 4]?.key ?? ""));
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ url, password }) => `${url} ${password}`)).size).toBe(1);
    const db = await world.service.mf.getD1Database("DB");
    const made = db.prepare(
      "SELECT after FROM audit WHERE action = 'share.make' AND after ->> 'accountId' = ?",
    );
    expect((await made.bind(accountId).all()).results).toHaveLength(1);
  });

  it("differs for another account, type or year", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const shares = [
      await share(key),
      await share(key, "level2", 2017),
      await share(key, "auction_tick", 2026),
      await share((await account(world.service, { plan: "flagship" })).key),
    ];
    expect(new Set(shares.map(({ url }) => url)).size).toBe(4);
    expect(new Set(shares.map(({ password }) => password)).size).toBe(4);
  });

  it("gets a new URL and a new password after it is revoked", async () => {
    const { accountId, key } = await account(world.service, { plan: "flagship" });
    const first = await share(key);
    const { shares } = await asOperator<{ shares: { shareId: string }[] }>(
      world.service,
      "GET",
      `/admin/shares?account=${accountId}`,
    );
    expect(shares.map(({ shareId }) => `${world.service.baseUrl}/s/${shareId}/`)).toEqual([first.url]);
    await asOperator(world.service, "POST", `/admin/shares/${shares[0]?.shareId}/revoke`);
    const second = await share(key);
    expect(second.url).not.toBe(first.url);
    expect(second.password).not.toBe(first.password);
    expect(await share(key)).toEqual(second);
    const db = await world.service.mf.getD1Database("DB");
    const { results } = await db
      .prepare("SELECT action, actor FROM audit WHERE subject = ? ORDER BY audit_id")
      .bind(shares[0]?.shareId)
      .all<{ action: string; actor: string }>();
    expect(results).toEqual([
      { action: "share.make", actor: "service" },
      { action: "share.revoke", actor: expect.not.stringMatching(/^service$/) },
    ]);
  });

  it("is not created in production without PUBLIC_BASE_URL, except on a loopback address", async () => {
    await using service = await startService({ settings: { ENVIRONMENT: "production" } });
    await publishFiles(service, ownFile("20260105", "x"));
    const { key, accountId } = await account(service, { plan: "flagship" });
    const params = { data_type: "level2", year: 2026 };
    const at = async (origin: string) => {
      const body = JSON.stringify({ apiname: "file_download", apikey: key, params });
      const answer = await service.mf.dispatchFetch(`${origin}/api`, { method: "POST", body });
      return (await answer.json()) as { code: number; data: unknown };
    };
    expect(await at("https://evil.example")).toMatchObject({ code: 503, data: null });
    const invite = await service.mf.dispatchFetch(
      `https://evil.example/admin/accounts/${accountId}/invites`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${service.adminToken}` },
        body: "{}",
      },
    );
    expect(invite.status).toBe(503);
    const db = await service.mf.getD1Database("DB");
    for (const table of ["shares", "console_invites"]) {
      expect(await db.prepare(`SELECT count(*) AS n FROM ${table}`).first()).toEqual({ n: 0 });
    }
    expect((await service.mf.dispatchFetch("https://evil.example/health")).status).toBe(503);
    expect(await at("http://127.0.0.1:8787")).toMatchObject({ code: 200 });
  });
});

/** Returns the HTTP status of the share's manifest. */
async function opened({ url, password }: ShareFields): Promise<number> {
  const headers = basic(idOf(url), password);
  return (await call(`${url}manifest.json`, { method: "GET", headers })).status;
}

const idOf = (url: string) => url.split("/").at(-2) ?? "";
const startMs = Date.parse("2026-01-01T00:00:00+08:00");

describe("an existing share (contract 8.3)", () => {
  it("keeps its URL and password while the plan's window moves, until its secret is removed", async () => {
    const persistDir = testFolder("edgetape-shares-");
    let key = "";
    const seen: ShareFields[] = [];
    for (const [nowAt, SHARE_SECRET] of [
      ["2026-03-12T23:58:00+08:00", FIRST],
      ["2026-03-13T00:00:01+08:00", `${FIRST},${SECOND}`],
      ["2026-03-13T00:00:01+08:00", SECOND],
    ] as const) {
      await using service = await startService({ nowAt, persistDir, settings: { SHARE_SECRET } });
      if (key === "") {
        for (const date of ["20260211", "20260212", "20260312"])
          await publishFiles(service, ownFile(date, date));
        key = (await account(service, { plan: "professional" })).key;
      }
      seen.push(await share(key, "level2", 2026, service));
    }
    const [evening, night, dropped] = seen;
    expect(evening).toMatchObject({ start_date: "20260211", file_count: 3 });
    expect(night).toMatchObject({ start_date: "20260212", end_date: "20260312", file_count: 2 });
    expect(idOf(night?.url ?? "")).toBe(idOf(evening?.url ?? ""));
    expect(night?.password).toBe(evening?.password);
    expect(night?.expires_at).toBe(evening?.expires_at);
    expect(dropped?.password).not.toBe(evening?.password);
  });

  it("is renewed only when less than 24 hours are left, and the old share keeps working until it expires", async () => {
    const { accountId, key } = await account(world.service, { plan: "flagship" });
    const db = await world.service.mf.getD1Database("DB");
    /** Makes all shares of the account `hours` older. */
    const age = (hours: number) =>
      db
        .prepare("UPDATE shares SET created_at_ms = created_at_ms - ? WHERE account_id = ?")
        .bind(hours * HOUR_MS, accountId)
        .run();
    const first = await share(key);
    await age(6 * 24 - 0.5);
    expect((await share(key)).password).toBe(first.password);
    await age(1);
    const renewed = await share(key);
    expect(renewed.password).not.toBe(first.password);
    expect(await share(key)).toEqual(renewed);
    expect(await Promise.all([first, renewed].map(opened))).toEqual([200, 200]);
    await age(24);
    expect(await Promise.all([first, renewed].map(opened))).toEqual([403, 200]);
    const lives = [first, renewed].map(({ expires_at }) => Date.parse(expires_at) - world.service.nowMs());
    for (const life of lives) expect(Math.abs(life - 7 * DAY_MS)).toBeLessThan(HOUR_MS);
  });

  it("ends with the plan, and a repeated request returns the same share", async () => {
    const now = world.service.nowMs();
    const endMs = Math.floor((now + 20 * HOUR_MS) / 1000) * 1000;
    const { key } = await account(world.service, { plan: "flagship", startMs, endMs });
    const first = await share(key);
    expect(Date.parse(first.expires_at)).toBe(endMs);
    expect(await share(key)).toEqual(first);
  });

  it("is extended when the plan is extended, to at most 7 days after the share was created", async () => {
    const now = world.service.nowMs();
    const { accountId, key } = await account(world.service, {
      plan: "flagship",
      startMs,
      endMs: Math.floor(now + 20 * HOUR_MS),
    });
    const first = await share(key);
    const subscriptions = [{ plan: "flagship", start: startMs, end: Math.floor(now + 90 * DAY_MS) }];
    await asOperator(world.service, "PUT", `/admin/accounts/${accountId}/subscriptions`, { subscriptions });
    // Another key of the account, because the plan of the first key is cached for up to 30 s.
    const { key: other } = await asOperator<{ key: string }>(
      world.service,
      "POST",
      `/admin/accounts/${accountId}/keys`,
      {},
    );
    const after = await share(other);
    expect(after.url).toBe(first.url);
    const lives = Date.parse(after.expires_at) - now;
    expect(lives).toBeGreaterThan(6.9 * DAY_MS);
    expect(lives).toBeLessThan(7.1 * DAY_MS);
  });
});
