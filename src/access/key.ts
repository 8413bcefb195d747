/**
 * The form of our own keys: `et_`, 30 random base62 characters, 6 base62 characters of the CRC-32 of all
 * before them (contract 7.6). A typo is refused without a read, and scanners can find leaked keys.
 * Imported keys have any form; only those that begin with `et_` are asked for the checksum. Operators' tokens
 * are made alike, with `eta_`.
 */
import { crc32 } from "node:zlib";
import { base62Number, randomBase62 } from "../base/base62.ts";

const KEY_PREFIX = "et_";
/** Operators' tokens look alike but for this, so that neither can be mistaken for the other. */
const TOKEN_PREFIX = "eta_";
const SECRET_LENGTH = 30;
const CHECK_LENGTH = 6;

/** A new key. 30 characters of base62 are 178 bits. */
export function generateKey(): string {
  return checked(KEY_PREFIX + randomBase62(SECRET_LENGTH));
}

/** A new operator's token, as hard to guess as a key. */
export function generateToken(): string {
  return checked(TOKEN_PREFIX + randomBase62(SECRET_LENGTH));
}

/** Whether `apikey` can be a key at all: false only for one of our form whose checksum is wrong. */
export function isPlausibleKey(apikey: string): boolean {
  return !apikey.startsWith(KEY_PREFIX) || isWhole(apikey, KEY_PREFIX);
}

/** Whether `token` has the form and the checksum of an operator's token. */
export function isPlausibleToken(token: string): boolean {
  return token.startsWith(TOKEN_PREFIX) && isWhole(token, TOKEN_PREFIX);
}

/** `body` with its CRC-32 as six base62 digits (62^6 exceeds 2^32). */
function checked(body: string): string {
  return body + base62Number(crc32(body), CHECK_LENGTH);
}

function isWhole(text: string, prefix: string): boolean {
  const length = prefix.length + SECRET_LENGTH + CHECK_LENGTH;
  return text.length === length && text === checked(text.slice(0, -CHECK_LENGTH));
}

/** SHA-256 of the key's UTF-8 bytes as 64 lower-case hex digits: what is stored instead of the key. */
export async function hashKey(apikey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apikey));
  return Buffer.from(digest).toString("hex");
}

/**
 * The key's beginning, for people to tell keys apart: 8 characters at most, and never more than a quarter
 * of an imported key, which may be short.
 */
export function firstCharacters(apikey: string): string {
  return apikey.slice(0, Math.min(8, Math.floor(apikey.length / 4)));
}
