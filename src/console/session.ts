/**
 * A key holder's session: a token that cannot be guessed in a cookie that no script reads, of which the catalog keeps the hash.
 * Forms carry a second text that is derived from the token, so that a page of somebody else cannot post them.
 */
import { hashKey } from "../access/key.ts";
import { base62, randomBase62 } from "../base/base62.ts";
import { findSessions } from "../catalog/console-access.ts";
import { principalOfAccount } from "../catalog/key-holder.ts";
import type { Principal } from "../entitlement/principal.ts";
import { keyedHash, sameText } from "../shares/credentials.ts";

/** 12 hours: a working day. */
export const SESSION_MS = 12 * 3_600_000;

/** On https with the prefix that only this host itself can set: no subdomain and no plain HTTP page plants a session. */
const COOKIE = { secure: "__Host-edgetape_console", plain: "edgetape_console" } as const;

/** 43 base62 characters are 256 bits. */
const TOKEN_LENGTH = 43;

/** A holder who is signed in. */
export interface SignedIn {
  principal: Principal;
  /** Hash of the session's token. */
  sha256: string;
  /** What every form of the session carries. */
  formToken: string;
  expiresAtMs: number;
}

/** A new text for the form of a link: as hard to guess as a session. */
export function newPress(): string {
  return randomBase62(TOKEN_LENGTH);
}

/**
 * The token of the session that the link with `invite` becomes when the button of the form with `press` is pressed:
 * the same for both presses of a double click. Neither the link nor the form alone gives it.
 */
export async function sessionOfPress(invite: string, press: string): Promise<string> {
  const bytes = Buffer.from(await keyedHash(press, `console session of ${invite}`), "hex");
  return base62(bytes, TOKEN_LENGTH);
}

/** `Set-Cookie` that keeps `token` until `endMs`; `secure` on https. */
export function sessionCookie(token: string, { endMs, secure }: { endMs: number; secure: boolean }): string {
  // Lax, so that a link to the console finds its holder signed in; no GET of the console changes anything.
  const attributes = `Expires=${new Date(endMs).toUTCString()}; HttpOnly; SameSite=Lax`;
  return secure
    ? `${COOKIE.secure}=${token}; Path=/; ${attributes}; Secure`
    : `${COOKIE.plain}=${token}; Path=/console; ${attributes}`;
}

/**
 * Returns the session tokens of a request, in the order of its `Cookie` header. There may be several: a browser
 * sends cookies of one name for every path and domain they were set for, and any of them may be the live one.
 */
export function sessionTokens(request: Request): string[] {
  const name = isSecure(request) ? COOKIE.secure : COOKIE.plain;
  return (request.headers.get("Cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value.length === TOKEN_LENGTH && /^[0-9A-Za-z]+$/.test(value));
}

/** Returns whether the request came over https. */
export function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === "https:";
}

/** Returns who sent `request` at `nowMs`; null without a session, and for a disabled account. */
export async function signedIn(db: D1Database, request: Request, nowMs: number): Promise<SignedIn | null> {
  const tokens = sessionTokens(request);
  if (tokens.length === 0) return null;
  const sha256s = await Promise.all(tokens.map(hashKey));
  for (const { sha256, accountId, expiresAtMs } of await findSessions(db, sha256s, nowMs)) {
    const principal = await principalOfAccount(db, accountId);
    if (principal === null || principal.disabled) continue;
    const token = tokens[sha256s.indexOf(sha256)] ?? "";
    return { principal, sha256, formToken: await formTokenOf(token), expiresAtMs };
  }
  return null;
}

/** The text that forms of the session with this token carry; the token cannot be read out of it. */
export function formTokenOf(token: string): Promise<string> {
  return hashKey(`form of ${token}`);
}

/** Whether `given` is the session's form token. */
export function isFormToken(given: string | null, { formToken }: SignedIn): Promise<boolean> {
  return sameText(given ?? "", formToken);
}

/**
 * Whether a POST was sent by a page of this origin. Browsers send `Origin` with every POST; a session is
 * for browsers only, so one without it is refused.
 */
export function isSameOrigin(request: Request): boolean {
  return request.headers.get("Origin") === new URL(request.url).origin;
}
