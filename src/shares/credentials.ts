/**
 * Identifies the caller by the network address, which is hashed irreversibly, and by a share's password. Tools send the
 * password in a Basic `Authorization` header; people enter it in the page's form. The answer to the form sets a signed
 * cookie. No cookie and no URL contains the password itself.
 */
import { createHmac } from "node:crypto";
import { sameText } from "../base/same-text.ts";

/** The largest form that is read; no form with a valid password is larger. */
const MAX_FORM_BYTES = 4_096;

/** Returns user and password of a Basic `Authorization` header; null when it is absent or malformed. */
export function basicCredentials(authorization: string | null): { user: string; password: string } | null {
  const encoded = /^Basic\s+([A-Za-z0-9+/]*={0,2})$/i.exec((authorization ?? "").trim())?.[1];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon < 0 ? null : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/**
 * Returns the trimmed password of a posted form; null when the body is not a URL-encoded form with a password, is too
 * large or is incomplete.
 */
export async function formPassword(request: Request): Promise<string | null> {
  const type = request.headers.get("Content-Type") ?? "";
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type) || !(length <= MAX_FORM_BYTES)) return null;
  const text = await request.text().catch(() => null);
  return text === null ? null : (new URLSearchParams(text).get("password")?.trim() ?? null);
}

/**
 * Returns whether a form was sent from the service's own page, judging by the origin that browsers send with a POST. A
 * client that sends no origin is not a browser and has no cookies that another site could misuse.
 */
export function isOwnForm(request: Request): boolean {
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = request.headers.get("Origin");
  return origin === null || origin === new URL(request.url).origin;
}

/**
 * Returns the `Set-Cookie` that opens only the share `shareId`, until `endMs`. `Max-Age` is used because a browser's
 * clock can be wrong.
 */
export function shareCookie(
  secret: string,
  { shareId, nowMs, endMs, secure }: { shareId: string; nowMs: number; endMs: number; secure: boolean },
): string {
  const value = `${endMs}.${cookieSignature(secret, shareId, endMs)}`;
  const seconds = Math.ceil((endMs - nowMs) / 1000);
  const attributes = `Path=/s/${shareId}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return `edgetape_share=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}

/** Returns whether a `Cookie` header holds a valid, unexpired cookie of the share. */
export function hasShareCookie(
  secret: string,
  { header, shareId, nowMs }: { header: string | null; shareId: string; nowMs: number },
): boolean {
  return (header ?? "").split(";").some((pair) => {
    const [, end, signature] = /^\s*edgetape_share=(\d{1,16})\.([0-9a-f]{64})\s*$/.exec(pair) ?? [];
    if (end === undefined || signature === undefined || Number(end) <= nowMs) return false;
    return sameText(signature, cookieSignature(secret, shareId, Number(end)));
  });
}

function cookieSignature(secret: string, shareId: string, endMs: number): string {
  return keyedHash(secret, `cookie ${shareId} ${endMs}`);
}

/** The length of a hash in hex digits: 64 bits, which suffice to distinguish addresses. */
const HASH_DIGITS = 16;

export interface Caller {
  /**
   * Hash of the network address. Only the first half of an IPv6 address is used, because the whole second half belongs
   * to one subscriber.
   */
  address: string;
  /** Hash of address and `User-Agent`: two programs at one address are two clients. */
  client: string;
}

/**
 * Returns the caller of a request with `headers`. The hashes are keyed with `secret`, so that addresses cannot be found
 * by hashing every possible address.
 */
export function callerOf(headers: Pick<Headers, "get">, secret: string): Caller {
  // The platform sets this header, so callers cannot forge it. It is absent only when no edge is in front of the
  // worker.
  const address = networkOf(headers.get("CF-Connecting-IP") ?? "");
  const agent = headers.get("User-Agent") ?? "";
  return {
    address: keyedHash(secret, `address ${address}`).slice(0, HASH_DIGITS),
    client: keyedHash(secret, `client ${address} ${agent}`).slice(0, HASH_DIGITS),
  };
}

/** Returns the HMAC-SHA-256 of `message` as 64 hex digits. */
export function keyedHash(secret: string, message: string): string {
  return createHmac("sha256", secret).update(message).digest("hex");
}

/**
 * Returns the part of an address that identifies a subscriber: an IPv4 address, or the /64 of an IPv6 address.
 *
 * @example networkOf("2001:db8::1") // "2001:db8:0:0"
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groupsOf = (text: string) => text.split(":").filter((group) => group !== "");
  const front = groupsOf(head);
  const back = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array<string>(missing).fill("0"), ...back];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
