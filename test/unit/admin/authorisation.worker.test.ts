/** Tests every route of the admin API with invalid tokens and insufficient scopes, and the audit of operators. */
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { generateKey, generateToken } from "../../../src/access/key.ts";
import type { AdminEnv } from "../../../src/admin/context.ts";
import { adminRoutes, ROUTES } from "../../../src/admin/routes.ts";
import type {
  AuditList,
  IssuedKey,
  IssuedToken,
  TokenList,
  TokenScope,
  TokenSummary,
} from "../../../src/admin/wire.ts";
import { addAudit } from "../../../src/catalog/audit.ts";
import { admin, refusal, stored, TOKEN, testEnv } from "./operator.ts";

const routes = adminRoutes().routes.filter(({ path, method }) => !path.includes("*") && method !== "ALL");

async function as(token: string, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${token}` };
  return admin(method, path, body, { headers });
}

/** Issues a named token; without `scope` it can only read. */
const issue = async (name: string, scope?: TokenScope) =>
  (await admin<IssuedToken>("POST", "/tokens", { name, scope })).body;

describe("the authorisation of the admin API", () => {
  it("refuses every request without a valid token on every route, and changes nothing", async () => {
    expect(routes.length).toBeGreaterThan(40);
    await admin("POST", "/accounts", { accountId: "holder" });
    const { body: key } = await admin<IssuedKey>("POST", "/accounts/holder/keys", {});
    const revoked = await issue("revoked");
    await admin("POST", "/tokens/revoked/revoke");
    const strangers: Record<string, Record<string, string>> = {
      "no token": {},
      "a wrong token": { Authorization: "Bearer wrong" },
      "an unknown token": { Authorization: `Bearer ${generateToken()}` },
      "a revoked token": { Authorization: `Bearer ${revoked.token}` },
      "a customer's key": { Authorization: `Bearer ${key.key}` },
      "an unknown key": { Authorization: `Bearer ${generateKey()}` },
      "basic authentication": { Authorization: `Basic ${btoa(`admin:${TOKEN}`)}` },
      "the token in a cookie": { Cookie: `token=${TOKEN}` },
    };
    const before = await stored();
    for (const { method, path } of routes) {
      for (const [who, headers] of Object.entries(strangers)) {
        const filled = path.replace(":id", "holder").replace(":keyId", key.keyId).replace(":name", "revoked");
        const init = { method, headers, ...(method === "GET" ? {} : { body: "{}" }) };
        const response = await adminRoutes().request(filled, init, testEnv);
        const body = await response.json();
        expect([method, path, who, response.status]).toEqual([method, path, who, 401]);
        expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
        expect(body).toEqual({ error: expect.any(String), reason: "token_wrong" });
      }
    }
    expect(await stored()).toBe(before);
  });

  it("answers 401 to a request without a token, even if the route does not exist", async () => {
    const response = await adminRoutes().request("/nothing", {}, testEnv);
    expect(response.status).toBe(401);
  });
});

describe("the scopes of tokens", () => {
  it("give access only to the routes that allow them, and requests to other routes change nothing", async () => {
    const tokens: Partial<Record<TokenScope, string>> = {};
    for (const scope of ["read", "publish"] as const) {
      const { token } = await issue(`scope ${scope}`, scope);
      tokens[scope] = token;
      await as(token, "GET", "/days?month=202603");
    }
    const before = await stored();
    for (const { method, path } of routes) {
      for (const scope of ["read", "publish"] as const) {
        if (ROUTES[`${method} ${path}`]?.[0].includes(scope)) continue;
        const filled = path.replace(":id", "holder").replace(/:\w+/g, "1");
        // The app mounts the routes below `/admin`. The paths in `routes` lack this prefix.
        const app = new Hono<AdminEnv>().route("/admin", adminRoutes());
        const headers = { Authorization: `Bearer ${tokens[scope]}` };
        const init = { method, headers, ...(method === "GET" ? {} : { body: "{}" }) };
        for (const response of [
          await adminRoutes().request(filled, init, testEnv),
          await app.request(`/admin${filled}`, init, testEnv),
        ]) {
          expect([method, path, scope, response.status]).toEqual([method, path, scope, 403]);
          expect(await response.json()).toMatchObject({ reason: "scope_lacking" });
        }
      }
    }
    expect(await stored()).toBe(before);
  });

  it("let a publisher see days but no customers, and let a reader change nothing", async () => {
    const { token: publisher } = await issue("P", "publish");
    const { token: reader } = await issue("R");
    const days = [{ day: "20260312", open: true }];
    const statuses = async (token: string) => [
      (await as(token, "GET", "/days?month=202603")).status,
      (await as(token, "PUT", "/calendar", { days, source: "test" })).status,
      (await as(token, "GET", "/accounts")).status,
      (await as(token, "POST", "/accounts", {})).status,
      (await as(token, "GET", "/backup")).status,
      (await as(token, "POST", "/tokens", { name: "mine", scope: "admin" })).status,
    ];
    expect(await statuses(publisher)).toEqual([200, 200, 403, 403, 403, 403]);
    expect(await statuses(reader)).toEqual([200, 403, 200, 403, 403, 403]);
    const refused = await as(reader, "POST", "/accounts", {});
    expect(refused.body.error).toContain("scope read; the request needs the scope admin");
  });

  it("default to read, and a scope other than read, publish or admin is refused", async () => {
    expect((await issue("least")).scope).toBe("read");
    expect((await admin("POST", "/tokens", { name: "other", scope: "root" })).status).toBe(400);
  });
});

describe("the kinds of actors in the audit", () => {
  it("distinguish a customer from a token that is named like a customer", async () => {
    const { token } = await issue("account holder", "admin");
    await as(token, "POST", "/accounts", { accountId: "posed" });
    const entries = async (query: string) =>
      (await admin<AuditList>("GET", `/audit?${query}`)).body.entries.map(
        ({ actorKind, actor }) => `${actorKind} ${actor}`,
      );
    expect(await entries("subject=posed")).toEqual(["operator account holder"]);
    expect(await entries("kind=account")).toEqual([]);
    expect((await entries("kind=bootstrap&limit=1"))[0]).toBe("bootstrap ADMIN_TOKEN");
    expect((await admin("GET", "/audit?kind=root")).status).toBe(400);
  });
});

describe("operators", () => {
  it("act with named tokens until the tokens are revoked, and the audit records the tokens' names", async () => {
    const issued = await admin<IssuedToken>("POST", "/tokens", { name: "Ann 张", scope: "admin" });
    expect(issued).toMatchObject({
      status: 201,
      body: { name: "Ann 张", scope: "admin", token: expect.stringMatching(/^eta_\w{36}$/) },
    });
    const { token } = issued.body;
    expect(await as(token, "POST", "/accounts", { accountId: "by-ann" })).toMatchObject({ status: 201 });
    const second = await admin<IssuedToken>(
      "POST",
      "/tokens",
      { name: "Bob", scope: "admin" },
      { headers: { Authorization: `Bearer ${token}` } },
    );
    expect(second.status).toBe(201);

    const audit = await admin<AuditList>("GET", `/audit?actor=${encodeURIComponent("Ann 张")}`);
    expect(audit.body.entries.map((each) => [each.actorKind, each.actor, each.action, each.subject])).toEqual(
      [
        ["operator", "Ann 张", "token.issue", "Bob"],
        ["operator", "Ann 张", "account.create", "by-ann"],
      ],
    );
    const { body: list } = await admin<TokenList>("GET", "/tokens");
    expect(list.tokens.find(({ name }) => name === "Bob")).toEqual({
      name: "Bob",
      scope: "admin",
      firstCharacters: second.body.token.slice(0, 8),
      createdAt: expect.stringMatching(/\+08:00$/),
      createdBy: "Ann 张",
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(JSON.stringify([list, audit.body])).not.toContain(second.body.token);
    const path = `/tokens/${encodeURIComponent("Ann 张")}/revoke`;
    const revoked = await as(second.body.token, "POST", path);
    expect((revoked.body as unknown as TokenSummary).revokedAt).toMatch(/\+08:00$/);
    expect((await as(token, "GET", "/tokens")).status).toBe(401);
    expect((await as(second.body.token, "GET", "/tokens")).status).toBe(200);
  });

  it("cannot take the name of another operator, of the first operator or of the service", async () => {
    for (const name of ["Bob", "ADMIN_TOKEN", "admin_token", "service"]) {
      expect(await admin("POST", "/tokens", { name })).toMatchObject(refusal(409, "token_name_taken"));
    }
    for (const name of ["", "a/b", "x".repeat(65), "new\nline"]) {
      expect((await admin("POST", "/tokens", { name })).status).toBe(400);
    }
    expect((await admin("POST", "/tokens/unknown/revoke")).status).toBe(404);
  });

  it("find audit entries by subject, actor, action and time, page by page", async () => {
    for (const n of [1, 2, 3]) await admin("POST", "/accounts", { accountId: `audited-${n}` });
    await admin("POST", "/accounts/audited-2/disable");
    const find = async (query: string) =>
      (await admin<AuditList>("GET", `/audit?${query}`)).body.entries.map(
        ({ action, subject }) => `${action} ${subject}`,
      );
    expect(await find("subject=audited-2")).toEqual([
      "account.disable audited-2",
      "account.create audited-2",
    ]);
    const by = { actor: { kind: "operator", name: "test" }, nowMs: 1 } as const;
    const ofDay = ["20350105", "trades/20350105", "auction_tick/20350105/20350105_aucde.parquet"];
    for (const subject of [...ofDay, "trades/20350106"])
      await addAudit(testEnv.DB, by, { action: "test.day", subject });
    expect((await find("subject=20350105")).toSorted()).toEqual(
      ofDay.map((each) => `test.day ${each}`).toSorted(),
    );
    expect(await find("subject=trades/20350105")).toEqual(["test.day trades/20350105"]);
    expect(await find("action=account.disable")).toEqual(["account.disable audited-2"]);
    expect((await find("action=account&limit=500")).length).toBeGreaterThanOrEqual(4);
    expect(await find("action=acc")).toEqual([]);
    expect(await find("since=2099-01-01")).toEqual([]);
    const first = await admin<AuditList>("GET", "/audit?action=account.create&limit=2");
    const next = await admin<AuditList>(
      "GET",
      `/audit?action=account.create&limit=2&before=${first.body.entries.at(-1)?.id}`,
    );
    const subjects = [...first.body.entries, ...next.body.entries].map(({ subject }) => subject);
    expect(subjects.slice(0, 3)).toEqual(["audited-3", "audited-2", "audited-1"]);
    expect((await admin("GET", "/audit?since=yesterday")).status).toBe(400);
  });

  it("see the audit's instants in Beijing time, and its durations unchanged", async () => {
    const subscriptions = [
      { plan: "trial", start: "2026-03-12T00:00:00+08:00", end: "2026-04-12T00:00:00+08:00" },
    ];
    await admin("PUT", "/accounts/audited-1/subscriptions", { subscriptions });
    const by = { actor: { kind: "operator", name: "test" }, nowMs: 1 } as const;
    await addAudit(testEnv.DB, by, {
      action: "test.lengths",
      subject: "lengths",
      after: { overlapMs: 60_000, at: [{ endMs: 1_773_244_800_000 }], n: null },
    });
    const newest = async (subject: string) =>
      (await admin<AuditList>("GET", `/audit?subject=${subject}&limit=1`)).body.entries[0]?.after;
    expect(JSON.stringify(await newest("audited-1"))).toContain(
      '{"plan":"trial","start":"2026-03-12T00:00:00+08:00","end":"2026-04-12T00:00:00+08:00"}',
    );
    expect(await newest("lengths")).toEqual({
      overlapMs: 60_000,
      at: [{ end: "2026-03-12T00:00:00+08:00" }],
      n: null,
    });
    await addAudit(testEnv.DB, by, {
      action: "test.lengths",
      subject: "names",
      before: { expiresAtMs: null, revokedAtMs: null, endMs: 946_656_000_000 },
      after: { expiresAtMs: 946_656_000_000, startMs: null, overlapMs: 1_773_244_800_000 },
    });
    const { body } = await admin<AuditList>("GET", "/audit?subject=names");
    expect(body.entries).toMatchObject([
      {
        before: { expiresAt: null, revokedAt: null, end: "2000-01-01T00:00:00+08:00" },
        after: { expiresAt: "2000-01-01T00:00:00+08:00", start: null, overlapMs: 1_773_244_800_000 },
      },
    ]);
    expect(Object.keys(body.entries[0]?.before as object)).toEqual(["expiresAt", "revokedAt", "end"]);
  });

  it("are told which account, key, token or share does not exist, in messages that never repeat a key", async () => {
    const sentence = async (method: string, path: string) => (await admin(method, path)).body.error;
    expect(await sentence("GET", "/accounts/Unknown%207")).toBe("There is no account Unknown 7.");
    expect(await sentence("GET", "/shares?account=unknown")).toBe("There is no account unknown.");
    expect(await sentence("GET", "/shares?account=")).toBe("There is no account with an empty id.");
    expect(await sentence("POST", "/tokens/Eve/revoke")).toBe("There is no token Eve.");
    expect(await sentence("POST", "/shares/s1/revoke")).toBe("There is no share s1.");
    expect(await sentence("POST", "/keys/key_none/revoke")).toBe("There is no key key_none.");
    expect(await sentence("GET", `/accounts/${generateKey()}`)).toBe("There is no account et_….");
    for (const typed of [generateKey(), "imported-key-of-a-customer"]) {
      expect(await sentence("POST", `/keys/${typed}/revoke`)).toBe(
        "There is no key with this id; ids begin with key_.",
      );
    }
  });
});
