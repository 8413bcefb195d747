/**
 * A key holder's session: a random token in a cookie that no script reads, of which the catalog keeps the hash.
 * Forms carry a second text that is derived from the token, so that a page of somebody else cannot post them.
 */
import { hashKey, randomBase62 } from "../access/key.ts";
import { findSession } from "../catalog/console-access.ts";
import { principalOfAccount } from "../catalog/key-holder.ts";
import type { Principal } from "../entitlement/principal.ts";
import { sameText } from "../shares/credentials.ts";

/** 12 hours: a working day. */
export const SESSION_MS = 12 * 3_600_000;

const COOKIE = "edgetape_console";

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

/** A new session's token. */
export function newSessionToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/** `Set-Cookie` that keeps `token` until `endMs`; `secure` on https. */
export function sessionCookie(token: string, { endMs, secure }: { endMs: number; secure: boolean }): string {
  // Lax, so that a link to the console finds its holder signed in; no GET of the console changes anything.
  const attributes = `Path=/console; Expires=${new Date(endMs).toUTCString()}; HttpOnly; SameSite=Lax`;
  return `${COOKIE}=${token}; ${attributes}${secure ? "; Secure" : ""}`;
}

/** The session token in a `Cookie` header, or null. */
export function sessionToken(cookie: string | null): string | null {
  return /(?:^|;\s*)edgetape_console=([0-9A-Za-z]{43})\s*(?:;|$)/.exec(cookie ?? "")?.[1] ?? null;
}

/** Who is signed in with this `Cookie` header at `nowMs`; null for nobody, and for a disabled account. */
export async function signedIn(
  db: D1Database,
  cookie: string | null,
  nowMs: number,
): Promise<SignedIn | null> {
  const token = sessionToken(cookie);
  if (token === null) return null;
  const sha256 = await hashKey(token);
  const session = await findSession(db, sha256, nowMs);
  if (session === null) return null;
  const principal = await principalOfAccount(db, session.accountId);
  if (principal === null || principal.disabled) return null;
  return { principal, sha256, formToken: await formTokenOf(token), expiresAtMs: session.expiresAtMs };
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
