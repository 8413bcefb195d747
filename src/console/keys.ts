/** The holder's own keys: shown, made, rolled, revoked. Keys of other accounts are as good as absent. */
import { firstCharacters, generateKey, hashKey, randomBase62 } from "../access/key.ts";
import { type ApiKey, addKey, findKey, keysOfAccount, revokeKey, rollKey } from "../catalog/keys.ts";
import { byHolder, type Desk, html } from "./exchange.ts";
import { isInForce, type KeysFacts, keysPage } from "./keys-page.tsx";

/** Keys an account may have in force at once, so that nobody fills the table by a script. */
const MAX_KEYS = 50;
const MAX_NAME = 60;
const HOUR_MS = 3_600_000;

/** Overlaps that a roll offers, in hours; 7 days at most. */
const OVERLAPS = ["0", "1", "24", "168"];

/** The page of the keys. */
export function showKeys(desk: Desk): Promise<Response> {
  return page(desk, {});
}

/** Makes a key, and shows it in this one answer. */
export async function createKey(desk: Desk, form: URLSearchParams): Promise<Response> {
  const { env } = desk;
  const { accountId } = desk.who.principal;
  const { fresh, key } = await freshKey();
  const stored = { ...fresh, accountId, name: nameIn(form), expiresAtMs: null };
  const added = await addKey(env.DB, stored, byHolder(desk), MAX_KEYS);
  return added ? page(desk, { fresh: key }, 201) : page(desk, { said: { problem: "keys_full" } }, 409);
}

/** Makes a key in the place of one, which holds on for the overlap that was chosen. */
export async function roll(desk: Desk, form: URLSearchParams): Promise<Response> {
  const old = await ownKey(desk);
  const hours = form.get("hours") ?? "";
  if (old === null || !OVERLAPS.includes(hours)) return page(desk, { said: { problem: "key_gone" } }, 404);
  const { fresh, key } = await freshKey();
  const oldExpiresAtMs = desk.nowMs + Number(hours) * HOUR_MS;
  const change = { fresh, oldExpiresAtMs, most: MAX_KEYS };
  if (await rollKey(desk.env.DB, old, change, byHolder(desk))) return page(desk, { fresh: key }, 201);
  const said = (await ownKey(desk)) === null ? "key_gone" : "keys_full";
  return page(desk, { said: { problem: said } }, 409);
}

/** Revokes a key at once. */
export async function revoke(desk: Desk): Promise<Response> {
  const key = await ownKey(desk);
  if (key === null) return page(desk, { said: { problem: "key_gone" } }, 404);
  await revokeKey(desk.env.DB, key.keyId, byHolder(desk));
  return page(desk, { said: { done: "revoked" } });
}

/** The key of the path if it is the holder's and in force. */
async function ownKey({ c, env, who, nowMs }: Desk): Promise<ApiKey | null> {
  const key = await findKey(env.DB, c.req.param("keyId") ?? "");
  return key !== null && key.accountId === who.principal.accountId && isInForce(key, nowMs) ? key : null;
}

async function freshKey() {
  const key = generateKey();
  const keyId = `key_${randomBase62(12)}`;
  return { key, fresh: { keyId, sha256: await hashKey(key), firstCharacters: firstCharacters(key) } };
}

/** A name is for people: control characters are not, and it stays short. */
function nameIn(form: URLSearchParams): string {
  return (form.get("name") ?? "")
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
}

async function page(desk: Desk, { fresh = null, said = null }: Partial<KeysFacts>, status = 200) {
  const { c, env, nowMs, reader, who } = desk;
  const keys = await keysOfAccount(env.DB, who.principal.accountId);
  return html(c, keysPage({ reader, keys, nowMs, fresh, said }), status);
}
