import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { operatorOf } from "../../../src/access/admin-token.ts";
import { firstCharacters, generateKey, generateToken, hashKey } from "../../../src/access/key.ts";
import { addToken, listTokens, revokeToken } from "../../../src/catalog/admin-tokens.ts";
import { sql } from "../../../src/catalog/sql.ts";
import { FIRST_OPERATOR, type TokenScope } from "../../../src/entitlement/operators.ts";
import type { Env } from "../../../src/env.ts";

const { DB } = env as unknown as Env;
const query = sql(DB);
const SECRET = "a-token-of-more-than-24-characters";
const NOW = Date.parse("2026-03-12T10:00:00+08:00");
const HOUR_MS = 3_600_000;
const by = { actor: { kind: "operator", name: "test" } as const, nowMs: NOW };

const operator = (header: string | null, nowMs = NOW) => operatorOf(header, SECRET, { db: DB, nowMs });

async function named(name: string, scope: TokenScope = "read"): Promise<string> {
  const token = generateToken();
  const stored = { sha256: await hashKey(token), name, scope, firstCharacters: firstCharacters(token) };
  await addToken(DB, stored, by);
  return token;
}

describe("the first operator's token", () => {
  it("is accepted after the scheme Bearer or bearer", async () => {
    expect(await operator(`Bearer ${SECRET}`)).toEqual({ actor: FIRST_OPERATOR, scope: "admin" });
    expect(await operator(`bearer  ${SECRET}`)).toEqual({ actor: FIRST_OPERATOR, scope: "admin" });
  });

  it.each([
    "Bearer ",
    SECRET,
    `Bearer ${SECRET}x`,
    `Bearer ${SECRET.slice(1)}`,
    `Bearer ${SECRET.toUpperCase()}`,
    `Bearer ${SECRET} ${SECRET}`,
  ])("is refused when the Authorization header is %j", async (header) => {
    expect(await operator(header)).toBeNull();
  });
});

describe("a named token", () => {
  it("cannot take the name of a revoked token, and is not stored in plain text", async () => {
    const token = await named("Dora");
    await revokeToken(DB, "Dora", by);
    const again = {
      sha256: await hashKey(generateToken()),
      name: "Dora",
      scope: "admin" as const,
      firstCharacters: "eta_",
    };
    expect(await addToken(DB, again, by)).toBe(false);
    const { results } = await query`SELECT * FROM admin_tokens`.all();
    expect(JSON.stringify(results)).not.toContain(token);
  });

  it("records its last use at most once an hour", async () => {
    const token = await named("Eve");
    const lastUse = async () => (await listTokens(DB)).find(({ name }) => name === "Eve")?.lastUsedAtMs;
    for (const [afterMs, noted] of [
      [0, 0],
      [HOUR_MS - 1, 0],
      [HOUR_MS, HOUR_MS],
    ] as const) {
      await operator(`Bearer ${token}`, NOW + afterMs);
      expect(await lastUse()).toBe(NOW + noted);
    }
  });
});

describe("the authentication of an operator", () => {
  it("refuses unknown tokens, and needs no D1 read to refuse a mistyped token or an API key", async () => {
    const token = await named("Cem");
    const typo = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    const unreadable = new Proxy(DB, {
      get: () => {
        throw new Error("D1 was asked");
      },
    });
    expect(await operatorOf(`Bearer ${typo}`, SECRET, { db: unreadable, nowMs: NOW })).toBeNull();
    expect(await operatorOf(`Bearer ${generateKey()}`, SECRET, { db: unreadable, nowMs: NOW })).toBeNull();
    expect(await operator(`Bearer ${generateToken()}`)).toBeNull();
  });
});
