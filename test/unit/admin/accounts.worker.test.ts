import { describe, expect, it } from "vitest";
import { hashKey } from "../../../src/access/key.ts";
import type { Account, IssuedKey, KeySummary, KeysImported, PlanList } from "../../../src/admin/wire.ts";
import { admin, auditOf, callerAt, query, refusal, stored, testEnv } from "./operator.ts";

const NOW = Date.now();

const caller = (key: string) => callerAt(key, NOW + 60_000);

describe("the admin operations for accounts and keys", () => {
  it("can create, limit, disable and enable an account and give it a plan, and audit every change", async () => {
    const created = await admin<Account>("POST", "/accounts", {
      accountId: "客户-7",
      contact: "c@example.com",
    });
    expect(created).toMatchObject({ status: 201, body: { accountId: "客户-7", disabled: false, keys: [] } });
    expect((await admin("POST", "/accounts", { accountId: "客户-7" })).status).toBe(409);
    const path = `/accounts/${encodeURIComponent("客户-7")}`;
    const issued = await admin<IssuedKey>("POST", `${path}/keys`, { name: "laptop" });
    expect(issued).toMatchObject({ status: 201, body: { accountId: "客户-7" } });

    const subscription = { plan: "flagship", start: NOW - 1_000, end: NOW + 3_600_000 };
    await admin("PUT", `${path}/subscriptions`, { subscriptions: [subscription] });
    await admin("PUT", `${path}/limits`, { files: 5 });
    expect(await caller(issued.body.key)).toMatchObject({
      accountId: "客户-7",
      keyId: issued.body.keyId,
      subscriptions: [{ plan: "flagship", startMs: NOW - 1_000, endMs: NOW + 3_600_000 }],
      ownLimits: { files: 5 },
    });
    expect((await admin<Account>("POST", `${path}/disable`)).body.disabled).toBe(true);
    await admin("POST", `${path}/disable`);
    expect(await caller(issued.body.key)).toEqual({ reason: "account_disabled" });
    expect((await admin<Account>("POST", `${path}/enable`)).body.disabled).toBe(false);
    expect(await caller(issued.body.key)).toMatchObject({ accountId: "客户-7" });

    const shown = await admin<Account>("GET", path);
    expect(shown.body.keys).toMatchObject([
      { name: "laptop", firstCharacters: issued.body.key.slice(0, 8), revokedAt: null },
    ]);
    expect(JSON.stringify(shown.body)).not.toContain(issued.body.key);
    const audit = await auditOf("客户-7");
    expect(audit.map(({ action }) => action)).toEqual([
      "account.create",
      "account.subscriptions",
      "account.limits",
      "account.disable",
      "account.enable",
    ]);
    expect(audit[2]).toMatchObject({ actor: "ADMIN_TOKEN", before: {}, after: { files: 5 } });
  });

  it("keep a revoked key revoked, with the time of its first revocation", async () => {
    const { body: account } = await admin<Account>("POST", "/accounts", {});
    expect(account.accountId).toMatch(/^acc_[0-9A-Za-z]{12}$/);
    const { body: issued } = await admin<IssuedKey>("POST", `/accounts/${account.accountId}/keys`, {});
    const first = await admin<KeySummary>("POST", `/keys/${issued.keyId}/revoke`);
    const second = await admin<KeySummary>("POST", `/keys/${issued.keyId}/revoke`);
    expect(first.body.revokedAt).toMatch(/\+08:00$/);
    expect(second.body.revokedAt).toBe(first.body.revokedAt);
    expect(await caller(issued.key)).toEqual({ reason: "key_revoked" });
    expect((await auditOf(issued.keyId)).map(({ action }) => action)).toEqual(["key.issue", "key.revoke"]);
    expect((await admin("POST", "/keys/key_none/revoke")).status).toBe(404);
    expect((await admin("POST", "/accounts/none/keys", {})).status).toBe(404);
  });

  it("change the contact or the note, and the audit shows the previous value", async () => {
    await admin("POST", "/accounts", { accountId: "moves", contact: "a@example.com", note: "old" });
    const put = (body: object) => admin<Account>("PUT", "/accounts/moves/contact", body);
    expect((await put({ contact: "b@example.com" })).body).toMatchObject({
      contact: "b@example.com",
      note: "old",
    });
    expect((await put({ contact: "b@example.com" })).status).toBe(200);
    expect((await put({ note: "" })).body).toMatchObject({ contact: "b@example.com", note: "" });
    expect((await put({})).status).toBe(400);
    expect((await auditOf("moves")).slice(1)).toMatchObject([
      {
        action: "account.contact",
        before: { contact: "a@example.com" },
        after: { contact: "b@example.com" },
      },
      { action: "account.contact", before: { note: "old" }, after: { note: "" } },
    ]);
  });

  it("never store a key in plain text or write it to the audit", async () => {
    const { body: account } = await admin<Account>("POST", "/accounts", {});
    const { body: issued } = await admin<IssuedKey>("POST", `/accounts/${account.accountId}/keys`, {});
    await admin("POST", "/keys/import", {
      rows: [{ key: "secret-of-a-customer", account: "old", plan: "trial", start: NOW, end: NOW + 1 }],
    });
    const dump = await stored();
    expect(dump).toContain(await hashKey(issued.key));
    expect(dump).not.toContain(issued.key);
    expect(dump).not.toContain("secret-of-a-customer");
  });
});

describe("an instant in the admin API", () => {
  const FAR = Number.MAX_SAFE_INTEGER;

  async function everyListAnswers() {
    for (const path of ["/accounts", "/accounts/far", "/audit", "/audit?subject=far"]) {
      expect([path, (await admin("GET", path)).status]).toEqual([path, 200]);
    }
  }

  it("is refused outside the years 2000 to 9999, even if the service computed it, and changes nothing", async () => {
    await admin("POST", "/accounts", { accountId: "far" });
    const start = NOW - 1_000;
    const had = [{ plan: "flagship", start, end: NOW + 3_600_000 }];
    const before = await admin<Account>("PUT", "/accounts/far/subscriptions", { subscriptions: had });
    const refused = [
      admin("PUT", "/accounts/far/subscriptions", { subscriptions: [{ plan: "trial", start, end: FAR }] }),
      admin("POST", "/accounts/far/subscriptions", { plan: "trial", end: FAR }),
      admin("POST", "/accounts/far/subscriptions", { plan: "weekly", start: "9999-12-30T00:00:00+08:00" }),
      admin("POST", "/accounts/far/subscriptions/extend", { plan: "flagship", byMs: FAR }),
      admin("POST", "/accounts/far/subscriptions/extend", { plan: "flagship", byMs: 8.64e15 }),
      admin("POST", "/accounts/far/subscriptions/extend", { plan: "trial", byMs: 8.64e15 }),
      admin("POST", "/accounts/far/subscriptions/extend", { plan: "flagship", until: FAR }),
      admin("POST", "/accounts/far/keys", { expires: FAR }),
      admin("POST", "/accounts/far/keys", { expires: 1 }),
    ];
    for (const { status, body } of await Promise.all(refused)) {
      expect(status).toBe(400);
      expect(body.error).toMatch(/the years 2000 to 9999/);
    }
    expect(await admin("GET", "/accounts/far")).toEqual(before);
    expect((await auditOf("far")).map(({ action }) => action)).toEqual([
      "account.create",
      "account.subscriptions",
    ]);
    await everyListAnswers();
  });

  it("is shown as the latest valid instant if the stored one is beyond it, and every list still works", async () => {
    await testEnv.DB.batch([
      query`INSERT OR REPLACE INTO subscriptions VALUES ('far', 'trial', ${FAR - 1}, ${FAR})`,
      query`INSERT INTO audit (at_ms, actor, action, subject, after)
         VALUES (${FAR}, 'a', 'account.subscription', 'far', json_object('endMs', ${FAR}))`,
      query`
        INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms, expires_at_ms,
           last_used_at_ms) VALUES (${"f".repeat(64)}, 'key_far', 'far', '', '', ${FAR}, ${FAR}, ${FAR})`,
    ]);
    await everyListAnswers();
    const { body } = await admin<Account>("GET", "/accounts/far");
    const last = "9999-12-31T23:59:59+08:00";
    expect(body.subscriptions).toContainEqual({ plan: "trial", start: last, end: last });
    expect(body.keys).toMatchObject([{ expiresAt: last, lastUsedAt: last }]);
  });
});

describe("the key import", () => {
  it("imports 1,000 working keys, in plain text or as hashes, and changes nothing when it is repeated", async () => {
    const plain = Array.from({ length: 999 }, (_, i) => `customer-key-number-${i}`);
    const rows = plain.map((key, i) => ({
      key,
      account: `customer-${i % 300}`,
      plan: "professional",
      start: NOW - 1_000,
      end: NOW + 86_400_000,
    }));
    const hashed = { ...rows[0], key: undefined, sha256: (await hashKey("hashed-key")).toUpperCase() };
    const body = { rows: [...rows, hashed] };
    const first = await admin<KeysImported>("POST", "/keys/import", body);
    expect(first).toEqual({ status: 200, body: { imported: 1_000, unchanged: 0, refused: [] } });
    const before = await stored();
    const second = await admin<KeysImported>("POST", "/keys/import", body);
    expect(second.body).toEqual({ imported: 0, unchanged: 1_000, refused: [] });
    expect(await stored()).toBe(before);
    for (const key of ["customer-key-number-0", "customer-key-number-998", "hashed-key"]) {
      expect(await caller(key)).toMatchObject({ subscriptions: [{ plan: "professional" }] });
    }
  });

  it("names the wrong row without repeating the key", async () => {
    const good = { key: "k1", account: "a", plan: "trial", start: NOW, end: NOW + 1 };
    const { status, body } = await admin("POST", "/keys/import", {
      rows: [good, { ...good, key: "my-secret-key", plan: "gold" }],
    });
    expect(status).toBe(400);
    expect(body.error).toContain("rows.1.plan");
    expect(body.error).not.toContain("my-secret-key");
  });
});

describe("the plans", () => {
  it("start with the limits of contract 7.1 and can be changed one by one", async () => {
    const seeded = await admin<PlanList>("GET", "/plans");
    expect(seeded.body.plans.map(({ plan, requests, files }) => [plan, requests, files])).toEqual([
      ["free", null, null],
      ["standard", null, null],
      ["trial", 100, null],
      ["weekly", null, 30],
      ["professional", null, 30],
      ["flagship", null, 300],
    ]);
    const changed = await admin<PlanList>("PUT", "/plans", {
      plans: [{ plan: "weekly", requests: 9, files: 8 }],
    });
    expect(changed.body.plans).toContainEqual({ plan: "weekly", requests: 9, files: 8 });
    expect(changed.body.plans).toHaveLength(6);
    expect(await auditOf("weekly")).toMatchObject([{ action: "plan.limits", before: { files: 30 } }]);
  });
});

describe("the admin API", () => {
  it("answers an unknown route with 404, a malformed body with 400 and an oversized body with 413", async () => {
    expect(await admin("GET", "/nothing")).toEqual(refusal(404, "absent"));
    for (const body of [new TextEncoder().encode("{"), { unknown: 1 }, [], "text"]) {
      expect(await admin("POST", "/accounts", body)).toEqual(refusal(400, "malformed", /^The body/));
    }
    expect((await admin("POST", "/accounts", { note: "x".repeat(4 * 2 ** 20) })).status).toBe(413);
    expect((await admin("GET", "/days/20240230")).status).toBe(400);
    expect((await admin("GET", "/days/20240229")).status).toBe(404);
    expect((await admin("GET", "/days?month=202413")).status).toBe(400);
  });
});
