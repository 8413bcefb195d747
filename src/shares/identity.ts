/**
 * Which share an account is answered with, and what that covers. One share per (account, data type, year) at a time, so
 * that a sync job keeps its address; a new one only when the old one is about to end and the new one would live longer.
 */
import { base62 } from "../base/base62.ts";
import { type Coverage, type CoverageQuestion, coverageOf } from "../catalog/files.ts";
import { makeShare, SHARE_LIFE_MS, type Share, type ShareOwner } from "../catalog/shares.ts";
import type { ShareSecrets } from "./secrets.ts";

/** With less than this left, asking again makes a new share, if that one would live longer. */
const RENEWED_BELOW_MS = 24 * 3_600_000;

/** 20 base62 characters are 119 bits; 16 random bytes are 128. */
const ID_LENGTH = 20;
const ID_BYTES = 16;

/** The instant (exclusive) at which a share stops being valid: its life is over or the plan ends at `planEndMs`. */
export function shareEndMs({ createdAtMs }: Pick<Share, "createdAtMs">, planEndMs: number): number {
  return Math.min(createdAtMs + SHARE_LIFE_MS, planEndMs);
}

/** Whether `share` is answered once more at `nowMs`, or a new one is to be made. */
export function isKept(
  share: Share,
  { nowMs, planEndMs, secrets }: { nowMs: number; planEndMs: number; secrets: ShareSecrets },
): boolean {
  if (share.revokedAtMs !== null || !secrets.secrets.has(share.secretVersion)) return false;
  const endMs = shareEndMs(share, planEndMs);
  if (endMs - nowMs >= RENEWED_BELOW_MS) return true;
  return endMs > nowMs && shareEndMs({ createdAtMs: nowMs }, planEndMs) <= endMs;
}

/**
 * The share to answer `owner` with, given the `newest` one there is: that one if it is kept, else a new one.
 * Of two requests that make one at once both get the same.
 */
export async function shareFor(
  db: D1Database,
  owner: ShareOwner,
  newest: Share | null,
  at: { nowMs: number; planEndMs: number; secrets: ShareSecrets },
): Promise<Share> {
  if (newest !== null && isKept(newest, at)) return newest;
  return makeShare(db, {
    accountId: owner.accountId,
    dataType: owner.dataType,
    year: owner.year,
    shareId: base62(crypto.getRandomValues(new Uint8Array(ID_BYTES)), ID_LENGTH),
    generation: (newest?.generation ?? 0) + 1,
    secretVersion: at.secrets.current,
    createdAtMs: at.nowMs,
  });
}

const CACHE_NAME = "edgetape-coverage";

/** The form of what is kept; another number after a change of it keeps old entries from being read. */
const FORM = 1;

/**
 * The number alone keeps entries right, save after an older copy of the database was restored, when numbers
 * come a second time: then an entry is wrong for this long at most.
 */
const MAX_AGE_SECONDS = 600;

/** Where entries live and what they stand on. */
interface CoverageCache {
  db: D1Database;
  /** Read in the same request, from the primary. */
  catalogRevision: number;
  /** The service's own address: a cache key on another host costs a name look-up. */
  origin: string;
  ctx: Pick<ExecutionContext, "waitUntil">;
}

/** `coverageOf`, kept at the edge. A failing cache costs a read only. */
export async function cachedCoverage(
  { db, catalogRevision, origin, ctx }: CoverageCache,
  question: CoverageQuestion,
): Promise<Coverage> {
  const { dataType, from, to } = question;
  const key = `${origin}/.coverage/${FORM}/${catalogRevision}/${dataType}/${from}-${to}`;
  const cache = await caches.open(CACHE_NAME).catch(() => null);
  const found = await cache?.match(key).catch(() => undefined);
  if (found !== undefined) return (await found.json()) as Coverage;
  const coverage = await coverageOf(db, question);
  const entry = Response.json(coverage, { headers: { "Cache-Control": `max-age=${MAX_AGE_SECONDS}` } });
  if (cache !== null) ctx.waitUntil(cache.put(key, entry).catch(() => undefined));
  return coverage;
}
