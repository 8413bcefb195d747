/** `/admin/keys`: importing, rolling and revoking keys. */
import { firstCharacters, generateKey, hashKey } from "../access/key.ts";
import { randomBase62 } from "../base/base62.ts";
import { ok, refused } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { importKeys, knownForImport } from "../catalog/key-import.ts";
import { type ApiKey, findKey, revokeKey, rollKey } from "../catalog/keys.ts";
import { ADMIN_ONLY, type AdminContext, absent, bodyOf, byOf, type Routes, reading } from "./context.ts";
import { type HashedRow, planKeyImport } from "./key-import.ts";
import { readable } from "./readable.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import * as wire from "./wire.ts";

/** Returns a new key id. It names a key in lists and in the audit and grants no access. */
export function newKeyId(): string {
  return `key_${randomBase62(12)}`;
}

const importRows = reading([bodyOf(wire.keyImportSchema)], async (c, { rows, allowShort }) => {
  const hashedRows = await Promise.all(rows.map(hashed));
  const sha256s = hashedRows.map(({ sha256 }) => sha256);
  const accounts = rows.map(({ account }) => account);
  const known = await knownForImport(c.env.DB, sha256s, accounts);
  const plan = planKeyImport(hashedRows, known, { newKeyId, allowShort });
  if (plan.answer.imported > 0) await importKeys(c.env.DB, plan, byOf(c));
  return ok<wire.KeysImported>(plan.answer);
});

async function hashed(row: wire.KeyImportRowParsed): Promise<HashedRow> {
  const { key } = row;
  if (key === undefined) return { sha256: row.sha256 ?? "", firstCharacters: "", row };
  return { sha256: await hashKey(key), firstCharacters: firstCharacters(key), row };
}

/** Returns the refusal for an unknown key id. An id of another form is not quoted, because it may be a key. */
function noKey(keyId: string): AdminRefusal {
  if (/^key_[0-9A-Za-z]*$/.test(keyId)) return absent("key", keyId);
  return { reason: "absent", what: "key with this id; ids begin with key_" };
}

/** Returns the key whose id is in the path, or a refusal. */
async function keyOf(c: AdminContext): Promise<Answered<ApiKey>> {
  const keyId = c.req.param("keyId") ?? "";
  const key = await findKey(c.env.DB, keyId);
  return key === null ? refused(noKey(keyId)) : ok(key);
}

async function revoke(c: AdminContext): Promise<Answered<wire.KeySummary>> {
  await revokeKey(c.env.DB, c.req.param("keyId") ?? "", byOf(c));
  const key = await keyOf(c);
  return key.ok ? ok(readable(key.value)) : key;
}

const roll = reading([keyOf, bodyOf(wire.rollKeySchema)], async (c, old, { overlapMs }) => {
  const by = byOf(c);
  const isOver = old.revokedAtMs !== null || (old.expiresAtMs !== null && old.expiresAtMs <= by.nowMs);
  if (isOver) return refused({ reason: "key_over", keyId: old.keyId });
  const key = generateKey();
  const keyId = newKeyId();
  const fresh = { keyId, sha256: await hashKey(key), firstCharacters: firstCharacters(key) };
  const rolled = await rollKey(c.env.DB, old, { fresh, oldExpiresAtMs: by.nowMs + overlapMs }, by);
  if (!rolled) return refused({ reason: "changed_meanwhile", what: `key ${old.keyId}` });
  const { accountId, expiresAtMs } = (await findKey(c.env.DB, old.keyId)) ?? old;
  const replacedUntil = beijingTimestamp(expiresAtMs ?? by.nowMs);
  return ok<wire.RolledKey>({ keyId, key, accountId, replaces: old.keyId, replacedUntil });
});

export const KEY_ROUTES: Routes = {
  "POST /keys/import": [ADMIN_ONLY, importRows],
  "POST /keys/:keyId/roll": [ADMIN_ONLY, roll, 201],
  "POST /keys/:keyId/revoke": [ADMIN_ONLY, revoke],
};
