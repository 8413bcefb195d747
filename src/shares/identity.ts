/**
 * Chooses the share of an account and returns its coverage. There is one share for each account, data type and year, so
 * that a sync job keeps its URL. It is replaced only when it was revoked, when its secret was removed, or when it is
 * about to end and a new one would end later.
 */
import { randomBase62 } from "../base/base62.ts";
import { type Coverage, type CoverageQuestion, coverageOf } from "../catalog/files.ts";
import { makeShare, SHARE_LIFE_MS, type Share, type ShareOwner } from "../catalog/shares.ts";
import type { ShareSecrets } from "./secrets.ts";

/** A share that expires sooner than this is replaced on the next request if the new share would expire later. */
const RENEWED_BELOW_MS = 24 * 3_600_000;

/** The number of base62 characters in an id; they hold 119 bits. */
const ID_LENGTH = 20;

/** Returns when a share expires (exclusive): 7 days after its creation, or at `planEndMs` if that is earlier. */
export function shareEndMs({ createdAtMs }: Pick<Share, "createdAtMs">, planEndMs: number): number {
  return Math.min(createdAtMs + SHARE_LIFE_MS, planEndMs);
}

/** Returns whether `share` is reused at `nowMs`; otherwise a new one is created. */
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
 * Returns the share for `owner`: the `newest` existing one if it is reused, else a new one. Two concurrent requests get
 * the same new share.
 */
export async function shareFor(
  db: D1Database,
  owner: ShareOwner,
  newest: Share | null,
  at: { nowMs: number; planEndMs: number; secrets: ShareSecrets },
): Promise<Share> {
  if (newest !== null && isKept(newest, at)) return newest;
  return makeShare(db, {
    ...owner,
    shareId: randomBase62(ID_LENGTH),
    generation: (newest?.generation ?? 0) + 1,
    secretVersion: at.secrets.current,
    createdAtMs: at.nowMs,
  });
}

const CACHE_NAME = "edgetape-coverage";

/** The format version of cache entries; a new number invalidates old entries. */
const FORM = 1;

/**
 * How long a cache entry may be used. The catalog revision in the key keeps entries correct, except after an older
 * database was restored, because revisions then repeat. This limit bounds how long an entry can be wrong.
 */
const MAX_AGE_SECONDS = 600;

/** The cache, and the values that its keys depend on. */
interface CoverageCache {
  db: D1Database;
  /** The catalog revision, read from the primary in the same request. */
  catalogRevision: number;
  /** The service's own origin: a cache key on another host would cost a name look-up. */
  origin: string;
  ctx: Pick<ExecutionContext, "waitUntil">;
}

/** Returns the result of `coverageOf`, cached at the edge. If the cache fails, reads the catalog. */
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
