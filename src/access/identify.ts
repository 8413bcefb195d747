/**
 * Key → principal. Kept per isolate for at most 30 s, so a revocation, a disabled account or a changed
 * limit is in force everywhere within that time. Only settled values are kept, never a promise in flight:
 * the platform forbids one request to wait for another's I/O.
 */
import { type KeyHolder, keyHolderOf, keyHolderStatement } from "../catalog/key-holder.ts";
import type { AccessDenial } from "../entitlement/denial.ts";
import type { Principal } from "../entitlement/principal.ts";
import { hashKey, isPlausibleKey } from "./key.ts";

/** How long a principal may be served from memory. */
export const PRINCIPAL_MAX_AGE_MS = 30_000;

/** Holders kept per isolate; about 1 KB each. The oldest goes first. */
const MAX_HOLDERS = 5_000;

const holders = new Map<string, { holder: KeyHolder; readAtMs: number }>();

export interface Identified {
  /** Who is asking, or why the key does not let anybody in. */
  caller: Principal | AccessDenial;
  /**
   * The results of the statements given alongside. After a cold start they came with the key in one D1
   * batch; else they are read now, so a caller turned away for another reason costs no read.
   */
  alongside(): Promise<D1Result[]>;
}

/**
 * Finds the holder of `apikey` at `nowMs` (Unix milliseconds). Unless it is in memory, the key and the
 * statements `alongside` are read in one D1 batch. Refuses `key_unknown`, `key_revoked` and
 * `account_disabled`; unknown keys are not kept, so a new key works at once.
 */
export async function identify(
  db: D1Database,
  apikey: string,
  nowMs: number,
  alongside: D1PreparedStatement[],
): Promise<Identified> {
  const later = () => (alongside.length === 0 ? Promise.resolve([]) : db.batch(alongside));
  if (apikey === "" || !isPlausibleKey(apikey))
    return { caller: { reason: "key_unknown" }, alongside: later };

  const sha256 = await hashKey(apikey);
  const kept = recall(sha256, nowMs);
  if (kept !== null) return { caller: callerOf(kept, nowMs), alongside: later };

  const [keyResult, ...results] = await db.batch([keyHolderStatement(db, sha256), ...alongside]);
  const holder = keyResult === undefined ? null : keyHolderOf(keyResult);
  if (holder !== null) remember(sha256, holder, nowMs);
  return {
    caller: holder === null ? { reason: "key_unknown" } : callerOf(holder, nowMs),
    alongside: () => Promise.resolve(results),
  };
}

/** Forgets every principal of this isolate: for tests. */
export function forgetPrincipals(): void {
  holders.clear();
}

function recall(sha256: string, nowMs: number): KeyHolder | null {
  const kept = holders.get(sha256);
  if (kept === undefined) return null;
  const ageMs = nowMs - kept.readAtMs;
  return ageMs >= 0 && ageMs < PRINCIPAL_MAX_AGE_MS ? kept.holder : null;
}

function remember(sha256: string, holder: KeyHolder, readAtMs: number): void {
  // Deleting first moves the entry to the end of the map's order: the first one is the oldest.
  holders.delete(sha256);
  holders.set(sha256, { holder, readAtMs });
  for (const oldest of holders.keys()) {
    if (holders.size <= MAX_HOLDERS) break;
    holders.delete(oldest);
  }
}

/** Judged at every request: a key that expires while it is in memory is refused from that instant on. */
function callerOf(holder: KeyHolder, nowMs: number): Principal | AccessDenial {
  const { keyId, accountId, revokedAtMs, expiresAtMs, disabled, subscriptions, planLimits, ownLimits } =
    holder;
  if (revokedAtMs !== null && revokedAtMs <= nowMs) return { reason: "key_revoked" };
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return { reason: "key_revoked" };
  if (disabled) return { reason: "account_disabled" };
  return { accountId, keyId, keyRevoked: false, disabled: false, subscriptions, planLimits, ownLimits };
}
