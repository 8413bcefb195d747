/**
 * A key holder's session: a random token in an HttpOnly cookie. The catalog stores only the token's hash. Forms contain
 * a second token, derived from the first, so that pages of other sites cannot post forms.
 */
import { hashKey } from "../access/key.ts";
import { base62, randomBase62 } from "../base/base62.ts";
import { sameText } from "../base/same-text.ts";
import { findSessions } from "../catalog/console-access.ts";
import { principalOfAccount } from "../catalog/keys.ts";
import type { Principal } from "../entitlement/principal.ts";
import { keyedHash } from "../shares/credentials.ts";

/** 12 hours: a working day. */
export const SESSION_MS = 12 * 3_600_000;

/**
 * The cookie's names. On https the name has a prefix that only this host can set, so that no subdomain or plain HTTP
 * page can set a session.
 */
const COOKIE = { secure: "__Host-edgetape_console", plain: "edgetape_console" } as const;

/** 43 base62 characters are 256 bits. */
const TOKEN_LENGTH = 43;

/** A signed-in holder. */
export interface SignedIn {
  principal: Principal;
  /** The hash of the session's token. */
  sha256: string;
  /** The token in every form of the session. */
  formToken: string;
  expiresAtMs: number;
}

/** Returns a new token for the form on a link's sign-in page. It is as random as a session token. */
export function newPress(): string {
  return randomBase62(TOKEN_LENGTH);
}

/**
 * Returns the session token for the link `invite` and the form token `press`. The token depends on both, and both
 * clicks of a double click get the same token.
 */
export function sessionOfPress(invite: string, press: string): string {
  const bytes = Buffer.from(keyedHash(press, `console session of ${invite}`), "hex");
  return base62(bytes, TOKEN_LENGTH);
}

/** Returns the `Set-Cookie` for `token` until `endMs`; `secure` on https. */
export function sessionCookie(token: string, { endMs, secure }: { endMs: number; secure: boolean }): string {
  // `Lax` sends the cookie when the holder follows a link to the console. This is safe, because no GET of the console
  // changes anything.
  const attributes = `Expires=${new Date(endMs).toUTCString()}; HttpOnly; SameSite=Lax`;
  return secure
    ? `${COOKIE.secure}=${token}; Path=/; ${attributes}; Secure`
    : `${COOKIE.plain}=${token}; Path=/console; ${attributes}`;
}

/**
 * Returns the session tokens of a request in the order of its `Cookie` header. There can be several, because a browser
 * sends the cookies of all matching paths and domains, and any of them can be the valid one.
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

/** Returns the signed-in holder of `request` at `nowMs`; null without a session or for a disabled account. */
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

/** Derives the form token of a session from the session's `token`, irreversibly. */
function formTokenOf(token: string): Promise<string> {
  return hashKey(`form of ${token}`);
}

/** Returns whether `given` is the session's form token. */
export function isFormToken(given: string | null, { formToken }: SignedIn): boolean {
  return sameText(given ?? "", formToken);
}

/**
 * Returns whether a POST was sent by a page of this origin. Browsers send `Origin` with every POST, and sessions are
 * for browsers only, so a POST without it is refused.
 */
export function isSameOrigin(request: Request): boolean {
  return request.headers.get("Origin") === new URL(request.url).origin;
}
