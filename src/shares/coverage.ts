/**
 * What shares cover, kept at the edge under the catalog revision that the request itself has read: after a
 * file was published or withdrawn the number is another one, and so is the answer.
 */
import { type Coverage, type CoverageQuestion, coverageOf } from "../catalog/files.ts";

const CACHE_NAME = "edgetape-coverage";

/** The form of what is kept; another number after a change of it keeps old entries from being read. */
const FORM = 1;

/**
 * The number alone keeps entries right, save after an older copy of the database was restored, when numbers
 * come a second time: then an entry is wrong for this long at most.
 */
const MAX_AGE_SECONDS = 600;

/** Where entries live and what they stand on. */
export interface CoverageCache {
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
