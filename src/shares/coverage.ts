/**
 * What shares cover, kept at the edge under the catalog revision that the request itself has read: after a
 * file was published or withdrawn the number is another one, and so is the answer.
 */
import {
  type Coverage,
  type CoverageQuestion,
  type CoveredFile,
  coverageOf,
  coveredFiles,
} from "../catalog/files.ts";

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

/** `coverageOf`, kept at the edge. */
export function cachedCoverage(cache: CoverageCache, question: CoverageQuestion): Promise<Coverage> {
  return kept(cache, keyOf("sums", question), () => coverageOf(cache.db, question));
}

/** `coveredFiles`, kept at the edge. */
export function cachedFiles(cache: CoverageCache, question: CoverageQuestion): Promise<CoveredFile[]> {
  return kept(cache, keyOf("files", question), () => coveredFiles(cache.db, question));
}

function keyOf(what: "sums" | "files", { dataType, from, to }: CoverageQuestion): string {
  return `${what}/${dataType}/${from}-${to}`;
}

/** The value kept under `name`, or what `read` gives, which is kept then. A failing cache costs a read only. */
async function kept<T>(
  { catalogRevision, origin, ctx }: CoverageCache,
  name: string,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${origin}/.coverage/${FORM}/${catalogRevision}/${name}`;
  const cache = await caches.open(CACHE_NAME).catch(() => null);
  const found = await cache?.match(key).catch(() => undefined);
  if (found !== undefined) return (await found.json()) as T;
  const value = await read();
  const entry = Response.json(value, { headers: { "Cache-Control": `max-age=${MAX_AGE_SECONDS}` } });
  if (cache !== null) ctx.waitUntil(cache.put(key, entry).catch(() => undefined));
  return value;
}
