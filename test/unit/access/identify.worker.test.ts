import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { checkRate, forgetPrincipals, identify as identifyResult } from "../../../src/access/identify.ts";
import { generateKey, hashKey } from "../../../src/access/key.ts";
import { createAccount, findAccount, setOwnLimits, setSubscriptions } from "../../../src/catalog/accounts.ts";
import { addKey, findKey, revokeKey } from "../../../src/catalog/keys.ts";
import { sql } from "../../../src/catalog/sql.ts";
import type { Env } from "../../../src/env.ts";
import { bare } from "../../support/result.ts";

async function identify(...given: Parameters<typeof identifyResult>) {
  const identified = await identifyResult(...given);
  return { ...identified, caller: bare(identified.caller) };
}

const { DB } = env as unknown as Env;
const query = sql(DB);
const NOW = Date.UTC(2026, 10, 27, 1, 30);
const HOUR_MS = 3_600_000;
const by = { actor: { kind: "operator", name: "test" } as const, nowMs: NOW };

/** Returns the D1 database, and a function that returns the number of round trips to it so far. */
function counted(): { db: D1Database; trips: () => number } {
  let trips = 0;
  const db = new Proxy(DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name === "batch" || name === "exec") trips++;
      return value.bind(target);
    },
  });
  return { db, trips: () => trips };
}

let made = 0;

async function holder(expiresAtMs: number | null = null) {
  const accountId = `account-${++made}`;
  await createAccount(DB, { accountId, contact: "", note: "" }, by);
  const key = generateKey();
  const keyId = `key-${made}`;
  const sha256 = await hashKey(key);
  await addKey(DB, { sha256, keyId, accountId, name: "", firstCharacters: "", expiresAtMs }, by);
  const account = await findAccount(DB, accountId);
  if (account === null) throw new Error("no account");
  return { account, accountId, key, keyId };
}

const callerOf = async (key: string, nowMs: number) => (await identify(DB, key, nowMs, [])).caller;

beforeEach(forgetPrincipals);

describe("the identification of a caller by key", () => {
  it("reads the account with plans and limits, and runs additional statements in the same D1 round trip", async () => {
    const { account, accountId, key, keyId } = await holder();
    const plan = { plan: "professional" as const, startMs: NOW - 1, endMs: NOW + 1 };
    await setSubscriptions(DB, account, [plan], by);
    await setOwnLimits(DB, account, { files: null }, by);

    const { db, trips } = counted();
    const alongside = [query`SELECT 7 AS seven`, query`SELECT 8 AS eight`];
    const cold = await identify(db, key, NOW, alongside);
    expect((await cold.alongside()).map(({ results }) => results)).toEqual([[{ seven: 7 }], [{ eight: 8 }]]);
    expect(trips()).toBe(1);
    expect(cold.caller).toEqual({
      accountId,
      keyId,
      disabled: false,
      subscriptions: [plan],
      planLimits: {
        free: { requests: null, files: null },
        standard: { requests: null, files: null },
        trial: { requests: 100, files: null },
        weekly: { requests: null, files: 30 },
        professional: { requests: null, files: 30 },
        flagship: { requests: null, files: 300 },
      },
      ownLimits: { files: null },
    });

    const warm = await identify(db, key, NOW + 29_999, alongside);
    expect(trips()).toBe(1);
    expect((await warm.alongside()).map(({ results }) => results)).toEqual([[{ seven: 7 }], [{ eight: 8 }]]);
    expect(trips()).toBe(2);
  });

  it("refuses a mistyped edgetape key without a D1 read, and an unknown key after one read", async () => {
    const { db, trips } = counted();
    const key = generateKey();
    const mistyped = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
    for (const wrong of ["", mistyped]) {
      expect((await identify(db, wrong, NOW, [])).caller).toEqual({ reason: "key_unknown" });
    }
    expect(trips()).toBe(0);
    expect((await identify(db, key, NOW, [])).caller).toEqual({ reason: "key_unknown" });
    expect(trips()).toBe(1);
  });

  it("accepts a new key immediately, even if the key was refused before it was created", async () => {
    const key = `imported-${Math.random()}`;
    expect(await callerOf(key, NOW)).toEqual({ reason: "key_unknown" });
    const { accountId } = await holder();
    const sha256 = await hashKey(key);
    await addKey(DB, { sha256, keyId: key, accountId, name: "", firstCharacters: "", expiresAtMs: null }, by);
    expect(await callerOf(key, NOW)).toMatchObject({ accountId });
  });

  it("reads a cached key again after 30 s, and refuses it if it has been revoked", async () => {
    const { key, keyId, accountId } = await holder();
    expect(await callerOf(key, NOW)).toMatchObject({ accountId });
    await revokeKey(DB, keyId, by);
    expect(await callerOf(key, NOW + 29_999)).toMatchObject({ accountId });
    expect(await callerOf(key, NOW + 30_000)).toEqual({ reason: "key_revoked" });
  });

  it("refuses a key from the exact millisecond of its expiry, even when the key is cached", async () => {
    const { key, accountId } = await holder(NOW + 5);
    expect(await callerOf(key, NOW + 4)).toMatchObject({ accountId });
    expect(await callerOf(key, NOW + 5)).toEqual({ reason: "key_revoked" });
  });

  it("records a key's use at most once an hour across isolates, and never the use of an unknown key", async () => {
    const { key, keyId } = await holder();
    const useAt = async (nowMs: number) => {
      const { noteUse } = await identify(DB, key, nowMs, []);
      await noteUse?.();
      return (await findKey(DB, keyId))?.lastUsedAtMs;
    };
    expect(await useAt(NOW)).toBe(NOW);
    expect((await identify(DB, key, NOW + 1_000, [])).noteUse).toBeNull();
    forgetPrincipals();
    expect((await identify(DB, key, NOW + HOUR_MS - 1, [])).noteUse).toBeNull();
    // Two isolates read the same last use, which is an hour old. Only the first isolate records a new one.
    forgetPrincipals();
    const first = await identify(DB, key, NOW + HOUR_MS, []);
    forgetPrincipals();
    const second = await identify(DB, key, NOW + HOUR_MS + 5, []);
    await first.noteUse?.();
    await second.noteUse?.();
    expect((await findKey(DB, keyId))?.lastUsedAtMs).toBe(NOW + HOUR_MS);
    expect((await identify(DB, "an unknown key", NOW, [])).noteUse).toBeNull();
  });

  it("reads the account again when the clock has gone back since the cached read", async () => {
    const { key } = await holder();
    const { db, trips } = counted();
    await identify(db, key, NOW + 60_000, []);
    await identify(db, key, NOW, []);
    expect(trips()).toBe(2);
  });
});

/** Returns a rate limit binding that allows `limit` requests for each account. */
function binding(limit: number): RateLimit & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    limit: async ({ key }) => {
      asked.push(key);
      return { success: asked.filter((each) => each === key).length <= limit };
    },
  };
}

describe("the per-second limit (contract 7.4)", () => {
  it("counts requests per account, and asks a refused caller to wait for 10 s", async () => {
    const rate = binding(1);
    expect(await checkRate(rate, "on", "a")).toBeNull();
    expect(await checkRate(rate, "on", "a")).toEqual({ reason: "rate_limited", retryAfterSeconds: 10 });
    expect(await checkRate(rate, "on", "b")).toBeNull();
  });

  it("makes no call to the binding when rate limiting is off", async () => {
    const rate = binding(0);
    expect(await checkRate(rate, "off", "a")).toBeNull();
    expect(rate.asked).toEqual([]);
  });
});
