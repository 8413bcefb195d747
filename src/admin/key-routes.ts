/** `/admin/keys`: import of existing customers' keys, and revocation. */
import { Hono } from "hono";
import { firstCharacters, hashKey, randomBase62 } from "../access/key.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { importKeys, knownForImport } from "../catalog/key-import.ts";
import { type ApiKey, findKey, revokeKey } from "../catalog/keys.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal } from "./exchange.ts";
import { type HashedRow, planKeyImport } from "./key-import.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type KeyImportRowParsed, type KeySummary, type KeysImported, keyImportSchema } from "./wire.ts";

/** The routes below `/admin/keys`. */
export function keyRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .post("/import", async (c) => answer(c, await importRows(c)))
    .post("/:keyId/revoke", async (c) => answer(c, await revoke(c)));
}

/** A fresh key id. It names a key in lists and in the audit and opens nothing. */
export function newKeyId(): string {
  return `key_${randomBase62(12)}`;
}

/** A key as the operator sees it. */
export function summaryOf(key: ApiKey): KeySummary {
  const { createdAtMs, revokedAtMs, expiresAtMs, lastUsedAtMs, ...rest } = key;
  const timestamp = (ms: number | null) => (ms === null ? null : beijingTimestamp(ms));
  return {
    ...rest,
    createdAt: beijingTimestamp(createdAtMs),
    revokedAt: timestamp(revokedAtMs),
    expiresAt: timestamp(expiresAtMs),
    lastUsedAt: timestamp(lastUsedAtMs),
  };
}

async function importRows(c: AdminContext): Promise<KeysImported | AdminRefusal> {
  const body = await bodyOf(c, keyImportSchema);
  if (isRefusal(body)) return body;
  const rows = await Promise.all(body.rows.map(hashed));
  const sha256s = rows.map(({ sha256 }) => sha256);
  const accounts = body.rows.map(({ account }) => account);
  const plan = planKeyImport(rows, await knownForImport(c.env.DB, sha256s, accounts), newKeyId);
  if (plan.answer.imported > 0) await importKeys(c.env.DB, plan, byOf(c));
  return plan.answer;
}

async function hashed(row: KeyImportRowParsed): Promise<HashedRow> {
  const { key } = row;
  if (key === undefined) return { sha256: row.sha256 ?? "", firstCharacters: "", row };
  return { sha256: await hashKey(key), firstCharacters: firstCharacters(key), row };
}

async function revoke(c: AdminContext): Promise<KeySummary | AdminRefusal> {
  const keyId = c.req.param("keyId") ?? "";
  await revokeKey(c.env.DB, keyId, byOf(c));
  const key = await findKey(c.env.DB, keyId);
  return key === null ? { reason: "absent", what: "key with this id" } : summaryOf(key);
}
