/**
 * The form of generated keys: `et_`, 30 random base62 characters, then the CRC-32 of everything before it as 6 base62
 * characters (contract 7.6). With the checksum, a mistyped key is refused without reading the catalog, and secret
 * scanners recognise leaked keys. Imported keys may have any form; the checksum is verified only for keys that begin
 * with `et_`. Operators' tokens have the same form with the prefix `eta_`.
 */
import { crc32 } from "node:zlib";
import { base62Number, randomBase62 } from "../base/base62.ts";

const KEY_PREFIX = "et_";
/** The prefix of operators' tokens. It differs from the prefix of keys, so that the two cannot be confused. */
const TOKEN_PREFIX = "eta_";
const SECRET_LENGTH = 30;
const CHECK_LENGTH = 6;

/** Returns a new key with 178 random bits (30 base62 characters). */
export function generateKey(): string {
  return checked(KEY_PREFIX + randomBase62(SECRET_LENGTH));
}

/** Returns a new token for an operator, with as many random bits as a key. */
export function generateToken(): string {
  return checked(TOKEN_PREFIX + randomBase62(SECRET_LENGTH));
}

/** Returns false only when `apikey` begins with `et_` but does not have the length and checksum of a generated key. */
export function isPlausibleKey(apikey: string): boolean {
  return !apikey.startsWith(KEY_PREFIX) || isWhole(apikey, KEY_PREFIX);
}

/** Returns whether `token` has the form and the checksum of an operator's token. */
export function isPlausibleToken(token: string): boolean {
  return token.startsWith(TOKEN_PREFIX) && isWhole(token, TOKEN_PREFIX);
}

/** Appends the CRC-32 of `body` as six base62 digits (62^6 exceeds 2^32). */
function checked(body: string): string {
  return body + base62Number(crc32(body), CHECK_LENGTH);
}

function isWhole(text: string, prefix: string): boolean {
  const length = prefix.length + SECRET_LENGTH + CHECK_LENGTH;
  return text.length === length && text === checked(text.slice(0, -CHECK_LENGTH));
}

/** Returns the SHA-256 of the key's UTF-8 bytes as 64 lower-case hex digits, which the catalog stores instead. */
export async function hashKey(apikey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apikey));
  return Buffer.from(digest).toString("hex");
}

/** Returns the beginning of the key, by which people recognise it: 8 characters, but at most a quarter of the key. */
export function firstCharacters(apikey: string): string {
  return apikey.slice(0, Math.min(8, Math.floor(apikey.length / 4)));
}
