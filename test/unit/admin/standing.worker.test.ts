import { describe, expect, it } from "vitest";
import {
  type Account,
  type AccountList,
  accountListSchema,
  type IssuedKey,
  type RolledKey,
  type Standing,
  standingSchema,
} from "../../../src/admin/wire.ts";
import { DATASETS } from "../../../src/datasets/registry.ts";
import { settingsOf } from "../../../src/env.ts";
import { accountGate } from "../../../src/operations/account-info.ts";
import { admin, auditOf, callerAt, query, refusal, testEnv } from "./operator.ts";

const DAY_MS = 86_400_000;
const NOW = Date.now();

async function account(id: string, body: object = {}): Promise<string> {
  await admin("POST", "/accounts", { accountId: id, ...body });
  return `/accounts/${id}`;
}

const endsOf = (body: Account) => body.subscriptions.map(({ plan, end }) => [plan, Date.parse(end)]);

describe("the state of an account", () => {
  it("contains its plan, counters and slot, and an operator's changes to them are audited", async () => {
    const path = await account("stands");
    const end = NOW + 10 * DAY_MS;
    await admin("PUT", `${path}/subscriptions`, { subscriptions: [{ plan: "trial", start: NOW - 1, end }] });
    const gate = accountGate(testEnv, settingsOf(testEnv), "stands", "level2_order_history");
    const limits = { requests: 100, files: null };
    for (const requestId of ["one", "two", "three"]) {
      const grant = await gate.acquire({ requestId, boundMs: 60_000, kind: "parquet", limits });
      if ("reason" in grant) throw new Error(grant.reason);
      if (requestId !== "three") await grant.lease.release({ credit: false });
      else {
        const held = await admin<Standing>("GET", `${path}/standing`);
        expect(standingSchema.parse(held.body)).toEqual(held.body);
        expect(held.body).toMatchObject({
          slot: { requestId: "three", until: expect.stringMatching(/\+08:00$/) },
          info: {
            plan: "trial",
            plan_state: "active",
            quotas: [
              {
                requests: { limit: 100, used: 3, credited: 0, left: 97 },
                files: { limit: null, used: 3, credited: 0, left: null },
                busy: true,
              },
              { interface: "level2_trade_history", requests: { limit: 100, used: 0 }, busy: false },
              { interface: "level2_quote_history", requests: { limit: 100, used: 0 }, busy: false },
            ],
          },
        });
        const freed = await admin<Standing>("POST", `${path}/free`);
        expect(freed.body).toMatchObject({
          slot: null,
          info: { quotas: [{ busy: false }, { busy: false }, { busy: false }] },
        });
      }
    }
    await admin("POST", `${path}/free`);
    const credited = await admin<Standing>("POST", `${path}/credit`, { requests: 2 });
    expect(credited.body.info.quotas[0]?.requests).toEqual({ limit: 100, used: 3, credited: 2, left: 99 });
    expect((await admin("POST", `${path}/credit`, {})).status).toBe(400);
    expect((await admin("POST", "/accounts/unknown/credit", { files: 1 })).status).toBe(404);
    expect((await auditOf("stands")).slice(2)).toMatchObject([
      { action: "account.free", after: { requestId: "three" } },
      { action: "account.credit", after: { requests: 2, files: 0 } },
    ]);
  });

  it("has a separate credit and slot for each dataset", async () => {
    const path = await account("stands-twice");
    const end = NOW + 10 * DAY_MS;
    await admin("PUT", `${path}/subscriptions`, { subscriptions: [{ plan: "trial", start: NOW - 1, end }] });
    const limits = { requests: 100, files: null };
    const { apiname } = DATASETS.trades;
    const gate = accountGate(testEnv, settingsOf(testEnv), "stands-twice", apiname);
    const grant = await gate.acquire({ requestId: "of-trades", boundMs: 60_000, kind: "json", limits });
    expect(grant).not.toHaveProperty("reason");

    expect((await admin<Standing>("POST", `${path}/free`)).body.slot).toBeNull();
    const held = await admin<Standing>("GET", `${path}/standing?dataset=trades`);
    expect(held.body.slot).toMatchObject({ requestId: "of-trades" });
    expect(held.body.info.quotas.map((each) => [each.interface, each.busy])).toContainEqual([apiname, true]);
    expect((await admin<Standing>("POST", `${path}/free?dataset=trades`)).body.slot).toBeNull();
    const credited = await admin<Standing>("POST", `${path}/credit?dataset=trades`, { requests: 1 });
    expect(credited.body.info.quotas.map(({ requests }) => requests?.credited).slice(0, 2)).toEqual([0, 1]);
    expect((await admin("POST", `${path}/credit?dataset=auctions`, { requests: 1 })).status).toBe(400);
    expect((await auditOf("stands-twice")).slice(2).map(({ after }) => after)).toEqual([
      { requestId: "of-trades", dataset: "trades" },
      { requests: 1, files: 0, dataset: "trades" },
    ]);
  });
});

describe("the list of accounts", () => {
  it("shows plans and numbers of keys, can be searched by text, and is complete when read page by page", async () => {
    for (const [id, contact] of [
      ["l-1", "Ann"],
      ["l-2", "Bob"],
      ["l-3", "ANNA"],
    ] as const) {
      await account(id, { contact });
    }
    await admin("POST", "/accounts/l-1/keys", {});
    const all = await admin<AccountList>("GET", "/accounts?search=l-");
    expect(accountListSchema.parse(all.body)).toEqual(all.body);
    expect(
      all.body.accounts.map(({ accountId, keys, plan, planState }) => [accountId, keys, plan, planState]),
    ).toEqual([
      ["l-1", 1, null, "none"],
      ["l-2", 0, null, "none"],
      ["l-3", 0, null, "none"],
    ]);
    const found = await admin<AccountList>("GET", "/accounts?search=ann");
    expect(found.body.accounts.map(({ accountId }) => accountId)).toEqual(["l-1", "l-3"]);
    const ids: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page: { body: AccountList } = await admin("GET", `/accounts?search=l-&limit=1&after=${next}`);
      ids.push(...page.body.accounts.map(({ accountId }) => accountId));
      next = page.body.next;
    }
    expect(ids).toEqual(["l-1", "l-2", "l-3"]);
  });

  it("can be limited to accounts whose last plan ends within a given period", async () => {
    const ends = async (id: string, ...days: number[]) => {
      const path = await account(id);
      const subscriptions = days.map((day, n) => ({
        plan: "professional",
        start: NOW - DAY_MS * 40 + n,
        end: NOW + day * DAY_MS,
      }));
      await admin("PUT", `${path}/subscriptions`, { subscriptions });
    };
    await ends("soon", 3);
    await ends("renewed", 3, 300);
    await ends("later", 8);
    await ends("over", -1);
    const list = await admin<AccountList>("GET", `/accounts?expiring=${7 * DAY_MS}`);
    expect(list.body.accounts.map(({ accountId }) => accountId)).toEqual(["soon"]);
  });
});

describe("a single subscription", () => {
  it("is added without changing the others, and the plan weekly lasts 7 × 24 hours", async () => {
    const path = await account("weekly");
    const start = NOW - 5;
    await admin("POST", `${path}/subscriptions`, { plan: "trial", start, end: start + DAY_MS });
    const { body } = await admin<Account>("POST", `${path}/subscriptions`, { plan: "weekly", start });
    const stored = await query`
      SELECT end_ms - start_ms AS ms FROM subscriptions WHERE plan = 'weekly'`.first();
    expect(stored).toEqual({ ms: 7 * DAY_MS });
    expect(body.subscriptions.map(({ plan }) => plan)).toEqual(["trial", "weekly"]);
    const status = async (more: object) =>
      (await admin("POST", `${path}/subscriptions`, { start, ...more })).status;
    expect(await status({ plan: "weekly" })).toBe(409);
    expect(await status({ plan: "trial" })).toBe(400);
    expect(await status({ plan: "trial", end: start })).toBe(400);
  });

  it("is extended from its end, or from now if it has expired, and only to a later end", async () => {
    const path = await account("extended");
    const end = Math.floor(NOW / 1_000) * 1_000 + DAY_MS;
    await admin("PUT", `${path}/subscriptions`, {
      subscriptions: [
        { plan: "professional", start: NOW - DAY_MS, end },
        { plan: "flagship", start: NOW - 9 * DAY_MS, end: NOW - DAY_MS },
      ],
    });
    const extend = (body: object) => admin<Account>("POST", `${path}/subscriptions/extend`, body);
    const longer = await extend({ plan: "professional", byMs: 30 * DAY_MS });
    expect(endsOf(longer.body)).toContainEqual(["professional", end + 30 * DAY_MS]);
    expect(await extend({ plan: "professional", until: end })).toMatchObject(refusal(422, "not_later"));
    const restarted = await extend({ plan: "flagship", byMs: DAY_MS });
    const flagship = endsOf(restarted.body).filter(([plan]) => plan === "flagship");
    expect(flagship).toHaveLength(2);
    expect(Math.abs(Number(flagship[1]?.[1]) - NOW - DAY_MS)).toBeLessThan(60_000);
    expect((await extend({ plan: "trial" })).status).toBe(400);
  });

  it("is extended once for each concurrent operator who gets 200, and not for operators who get 409", async () => {
    const path = await account("raced");
    const end = NOW + DAY_MS;
    await admin("PUT", `${path}/subscriptions`, {
      subscriptions: [{ plan: "flagship", start: NOW - 1, end }],
    });
    const both = await Promise.all(
      [1, 2].map(() =>
        admin<Account>("POST", `${path}/subscriptions/extend`, { plan: "flagship", byMs: DAY_MS }),
      ),
    );
    const extended = both.filter(({ status }) => status === 200).length;
    const stored = await query`SELECT end_ms FROM subscriptions WHERE account_id = 'raced'`.first();
    expect(stored).toEqual({ end_ms: end + extended * DAY_MS });
    for (const { status } of both) expect([200, 409]).toContain(status);
  });
});

describe("the replacement of a key", () => {
  it("creates a key with the same name, and the old key works until the exact end of the overlap", async () => {
    const path = await account("rolls");
    const { body: old } = await admin<IssuedKey>("POST", `${path}/keys`, { name: "server" });
    const rolled = await admin<RolledKey>("POST", `/keys/${old.keyId}/roll`, { overlapMs: 3_600_000 });
    expect(rolled).toMatchObject({ status: 201, body: { accountId: "rolls", replaces: old.keyId } });
    const { key, keyId } = rolled.body;
    const stored = await query`
      SELECT expires_at_ms AS ms FROM api_keys WHERE key_id = ${old.keyId}`.first<{ ms: number }>();
    const endMs = stored?.ms ?? 0;
    expect(Math.abs(endMs - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(await callerAt(key, NOW)).toMatchObject({ accountId: "rolls", keyId });
    expect(await callerAt(old.key, endMs - 1)).toMatchObject({ accountId: "rolls" });
    expect(await callerAt(old.key, endMs)).toEqual({ reason: "key_revoked" });
    expect(await callerAt(key, endMs + 365 * DAY_MS)).toMatchObject({ keyId });
    const shown = await admin<Account>("GET", path);
    expect(shown.body.keys.map(({ name }) => name)).toEqual(["server", "server"]);
    expect(JSON.stringify(shown.body)).not.toContain(key);
  });

  it("is refused for an overlap of more than 7 days, and for a key that is revoked or does not exist", async () => {
    const path = await account("rolls-2");
    const { body: old } = await admin<IssuedKey>("POST", `${path}/keys`, {});
    const roll = (body: object = {}) => admin<RolledKey>("POST", `/keys/${old.keyId}/roll`, body);
    expect((await roll({ overlapMs: 7 * DAY_MS + 1 })).status).toBe(400);
    const both = await Promise.all([roll({ overlapMs: 1_000 }), roll({ overlapMs: 2_000 })]);
    expect(both.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1);
    await admin("POST", `/keys/${old.keyId}/revoke`);
    expect(await roll()).toMatchObject(refusal(422, "key_over"));
    expect((await admin("POST", "/keys/key_none/roll", {})).status).toBe(404);
  });
});
