/**
 * Authorises a request to a share: first the password, then whether the share is still valid (contract 8.6). Without
 * the right password, the answer reveals nothing about the share, not even by its timing. For an unknown share, a
 * password is derived, compared and guarded as for an existing one.
 */
import { ok, type Result, refused } from "../base/result.ts";
import { sameText } from "../base/same-text.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type HeldShare, heldShareOf, heldShareStatement, type Share } from "../catalog/shares.ts";
import { entitleShare } from "../entitlement/entitle.ts";
import type { Env, Settings } from "../env.ts";
import { basicCredentials, type Caller, hasShareCookie, keyedHash } from "./credentials.ts";
import type { DriveDenial } from "./drive-refusal.ts";
import { shareEndMs } from "./identity.ts";
import { sharePassword } from "./secrets.ts";

/** A share that the request may read. */
export interface OpenShare {
  share: Share;
  /** The database in which the share's files are looked up. */
  db: D1Database;
  /** The time of the request (Unix milliseconds). */
  nowMs: number;
  /** The instant (exclusive, Unix milliseconds) at which the share expires. */
  endMs: number;
  /** The first and last day that the share covers now; null when its year is outside the plan's window. */
  days: { from: BeijingDate; to: BeijingDate } | null;
  /** The secret that signs the share's cookies. */
  secret: string;
  /** The result of the statement `ShareAccess.alongside`, if there was one. */
  read: D1Result | undefined;
}

/** The inputs of the authorisation. */
export interface ShareAccess {
  env: Env;
  settings: Settings;
  nowMs: number;
  shareId: string;
  caller: Caller;
  /** A further statement, which runs in the same round trip as the statement that reads the share. */
  alongside: D1PreparedStatement | null;
}

/** The number of guard objects for unknown ids: several share the load, and requests cannot create more. */
const UNKNOWN_GUARDS = 256;

/**
 * After the guard admitted a caller, requests of that caller with the right password skip the guard for this time. Of
 * the 8 connections of a download, usually only the first calls the guard.
 */
const ADMITTED_MS = 60_000;
const MAX_ADMITTED = 5_000;
const admitted = new Map<string, number>();

/** Opens the share for Basic credentials or a cookie. Wrong credentials are refused even with a valid cookie. */
export async function openShare(
  request: Request,
  access: ShareAccess,
): Promise<Result<OpenShare, DriveDenial>> {
  const authorization = request.headers.get("Authorization");
  const cookie = request.headers.get("Cookie");
  if (authorization === null && cookie === null) return refused({ reason: "password_wrong", given: false });

  if (authorization !== null) {
    const basic = basicCredentials(authorization);
    const given = basic?.user === access.shareId ? basic.password : null;
    return withPassword(given, access);
  }
  const { held, read } = await readShare(access);
  const { secret } = secretOf(held, access.settings);
  const carried = hasShareCookie(secret, { header: cookie, ...access });
  if (!carried || held === null) return refused({ reason: "password_wrong", given: false });
  return judged(held, { ...access, secret, read });
}

/** Opens the share for `password`; null means that the credentials cannot be right. */
export async function withPassword(
  password: string | null,
  access: ShareAccess,
): Promise<Result<OpenShare, DriveDenial>> {
  const { settings, shareId } = access;
  const { held, read } = await readShare(access);
  // For an unknown share id, the check takes as long as for the id of an existing share.
  const { secret, version } = secretOf(held, settings);
  const isSame = sameText(password ?? "", sharePassword(secret, version, shareId));
  const right = isSame && password !== null && held !== null;
  const lockedSeconds = await askGuard(access, { known: held !== null, right, secret });
  if (lockedSeconds !== null) return refused({ reason: "password_locked", retryAfterSeconds: lockedSeconds });
  return right
    ? judged(held, { ...access, secret, read })
    : refused({ reason: "password_wrong", given: true });
}

async function readShare({ env, shareId, alongside }: ShareAccess) {
  const statements = [heldShareStatement(env.DB, shareId), ...(alongside === null ? [] : [alongside])];
  const [share, read] = await env.DB.batch(statements);
  return { held: heldShareOf(share), read };
}

/** Returns the guard object of a share, which also records the downloads that clients began. */
export function guardOf({ env, settings }: ShareAccess, name: string) {
  return env.GUARD.getByName(name, { locationHint: settings.LOCATION_HINT });
}

/** Returns the seconds for which the caller's address is locked out; null when it is not locked out. */
async function askGuard(
  access: ShareAccess,
  { known, right, secret }: { known: boolean; right: boolean; secret: string },
): Promise<number | null> {
  const { shareId, caller, nowMs } = access;
  const address = keyedHash(secret, `guard ${shareId} ${caller.address}`);
  if (right && (admitted.get(address) ?? 0) > nowMs) return null;
  const number = Number.parseInt(address.slice(0, 4), 16) % UNKNOWN_GUARDS;
  const name = known ? shareId : `unknown ${number}`;
  const lockedSeconds = await guardOf(access, name).attempt({ address, right });
  admitted.delete(address);
  if (right && lockedSeconds === null) {
    if (admitted.size >= MAX_ADMITTED) admitted.clear();
    admitted.set(address, nowMs + ADMITTED_MS);
  }
  return lockedSeconds;
}

/** Decides whether the share is still valid; called only after the right password or cookie. */
function judged(
  held: HeldShare,
  { env, nowMs, secret, read }: ShareAccess & Pick<OpenShare, "secret" | "read">,
): Result<OpenShare, DriveDenial> {
  const { share, disabled, subscriptions } = held;
  if (share.revokedAtMs !== null) return over("revoked");
  if (disabled) return over("account_disabled");
  const { dataType: service, year } = share;
  const grant = entitleShare({ subscriptions }, { service, year }, nowMs);
  // When the plan's window no longer overlaps the year, the share stays valid but covers no files.
  if (!grant.ok && grant.refusal.reason !== "outside_window") return over("plan_ended");
  const endMs = shareEndMs(share, grant.ok ? grant.value.endMs : Number.POSITIVE_INFINITY);
  if (nowMs >= endMs) return over("expired");
  const days = grant.ok ? { from: grant.value.from, to: grant.value.to } : null;
  return ok({ share, db: env.DB, nowMs, endMs, days, secret, read });
}

function over(why: Extract<DriveDenial, { reason: "share_over" }>["why"]) {
  return refused<DriveDenial>({ reason: "share_over", why });
}

/**
 * Returns the secret from which the share's password is derived; the current secret if there is no such share or its
 * secret was removed.
 */
function secretOf(held: HeldShare | null, { SHARE_SECRET: { secrets, current } }: Settings) {
  const version = held !== null && secrets.has(held.share.secretVersion) ? held.share.secretVersion : current;
  return { secret: secrets.get(version) ?? "", version };
}
