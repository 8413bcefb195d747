/**
 * Resolves a key to a principal, and limits how often its account may send requests (contract 2.1, steps 3 and 4). An
 * isolate caches principals for at most 30 s, so a revocation, a disabled account or a changed limit takes effect
 * everywhere within that time. Only settled values are cached, never a pending promise, because on this platform a
 * request cannot wait for the I/O of another request.
 */
import { ok, type Result, refused } from "../base/result.ts";
import * as keys from "../catalog/keys.ts";
import type { AccessDenial } from "../entitlement/caller-denial.ts";
import type { Principal } from "../entitlement/principal.ts";
import { hashKey, isPlausibleKey } from "./key.ts";

/** How long a cached principal may be used. */
const PRINCIPAL_MAX_AGE_MS = 30_000;

/** The maximum number of key holders that an isolate caches. Each takes about 1 KB. The oldest is evicted first. */
const MAX_HOLDERS = 5_000;

interface Kept {
  holder: keys.KeyHolder;
  readAtMs: number;
  /** When this isolate last recorded a use of the key; null if it has not done so since it read the holder. */
  notedAtMs: number | null;
}

const holders = new Map<string, Kept>();

export interface Identified {
  /** The caller, or why the key is refused. */
  caller: Result<Principal, AccessDenial>;
  /**
   * Returns the results of the statements passed as `alongside`. If `identify` read the key from D1, it ran the
   * statements in the same batch. Otherwise this call runs them, so a request that is refused earlier costs no query.
   */
  alongside(): Promise<D1Result[]>;
  /**
   * Records in the catalog that the key was used; null when the caller is refused or a use was recorded within the last
   * hour. Await it only after the answer is sent. It never rejects.
   */
  noteUse: (() => Promise<void>) | null;
}

/**
 * Finds the holder of `apikey` at `nowMs` (Unix milliseconds). Unless the holder is cached, the key and the statements
 * `alongside` are read in one D1 batch. Refuses `key_unknown`, `key_revoked` and `account_disabled`. Unknown keys are
 * not cached, so a new key works immediately.
 */
export async function identify(
  db: D1Database,
  apikey: string,
  nowMs: number,
  alongside: D1PreparedStatement[],
): Promise<Identified> {
  const later = () => (alongside.length === 0 ? Promise.resolve([]) : db.batch(alongside));
  if (apikey === "" || !isPlausibleKey(apikey))
    return { caller: refused({ reason: "key_unknown" }), alongside: later, noteUse: null };

  const sha256 = await hashKey(apikey);
  const kept = recall(sha256, nowMs);
  if (kept !== null) return { ...identifiedAs(db, kept, nowMs), alongside: later };

  const [keyResult, ...results] = await db.batch([keys.keyHolderStatement(db, sha256), ...alongside]);
  const holder = keyResult === undefined ? null : keys.keyHolderOf(keyResult);
  const read = () => Promise.resolve(results);
  if (holder === null) return { caller: refused({ reason: "key_unknown" }), alongside: read, noteUse: null };
  return { ...identifiedAs(db, remember(sha256, holder, nowMs), nowMs), alongside: read };
}

/** Clears this isolate's cache. For tests only. */
export function forgetPrincipals(): void {
  holders.clear();
}

function recall(sha256: string, nowMs: number): Kept | null {
  const kept = holders.get(sha256);
  if (kept === undefined) return null;
  const ageMs = nowMs - kept.readAtMs;
  return ageMs >= 0 && ageMs < PRINCIPAL_MAX_AGE_MS ? kept : null;
}

function remember(sha256: string, holder: keys.KeyHolder, readAtMs: number): Kept {
  const kept: Kept = { holder, readAtMs, notedAtMs: null };
  // Deleting first moves the entry to the end of the map's order, so that the first entry is the oldest.
  holders.delete(sha256);
  holders.set(sha256, kept);
  for (const oldest of holders.keys()) {
    if (holders.size <= MAX_HOLDERS) break;
    holders.delete(oldest);
  }
  return kept;
}

function identifiedAs(db: D1Database, kept: Kept, nowMs: number): Pick<Identified, "caller" | "noteUse"> {
  const { holder } = kept;
  const { keyId } = holder.principal;
  const caller = callerOf(holder, nowMs);
  const notedAtMs = kept.notedAtMs ?? holder.lastUsedAtMs;
  if (!caller.ok || (notedAtMs !== null && nowMs - notedAtMs < keys.USE_NOTED_EVERY_MS)) {
    return { caller, noteUse: null };
  }
  const noteUse = async () => {
    kept.notedAtMs = nowMs;
    try {
      await keys.noteKeyUse(db, keyId, nowMs);
    } catch (error) {
      console.warn(JSON.stringify({ event: "key_use_not_noted", error: String(error) }));
    }
  };
  return { caller, noteUse };
}

/** Returns the principal of `holder`, or why the key is refused. A cached key is refused as soon as it expires. */
function callerOf(holder: keys.KeyHolder, nowMs: number): Result<Principal, AccessDenial> {
  const { revokedAtMs, expiresAtMs, principal } = holder;
  // The time of the revocation is not compared with the clock, because clocks differ and a revocation must take effect
  // at once.
  if (revokedAtMs !== null) return refused({ reason: "key_revoked" });
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return refused({ reason: "key_revoked" });
  return principal.disabled ? refused({ reason: "account_disabled" }) : ok(principal);
}

/** The period of the rate-limit binding in `wrangler.toml`; a refused caller is asked to wait this long. */
const PERIOD_SECONDS = 10;

/**
 * Returns `rate_limited` when the account exceeds the general per-second limit (contract 7.4), else null. The
 * platform's binding counts approximately, per account and location. If `switched` is "off", there is no limit.
 */
export async function checkRate(
  rate: RateLimit,
  switched: "on" | "off",
  accountId: string,
): Promise<AccessDenial | null> {
  if (switched === "off") return null;
  const { success } = await rate.limit({ key: accountId });
  return success ? null : { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS };
}
