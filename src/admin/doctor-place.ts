/**
 * Reports what the platform provides to a request at the worker's location. The results can change when the worker runs
 * at a different location.
 */
import { upperMedian } from "../base/upper-median.ts";
import { type Env, type Settings, settingsOf } from "../env.ts";
import { storeCalls } from "../operations/health.ts";
import type { AdminContext } from "./context.ts";
import type { PlaceReport } from "./wire.ts";

/**
 * Number of calls to each store, one after another. The median of their durations is reported, because the first call
 * may open a connection and then takes longer.
 */
const CALLS = 5;

/**
 * Returns the report for this request: the caller's address as the worker receives it, whether the cache works, and the
 * duration of a call to each store.
 */
export async function placeReport(c: AdminContext): Promise<PlaceReport> {
  const cache = await cacheAnswers(new URL(c.req.url).origin);
  return {
    address: c.req.header("CF-Connecting-IP") ?? null,
    cache: cache ? "ok" : "failed",
    storesMs: await storesMs(c.env, settingsOf(c.env)),
  };
}

/** Returns whether the cache returns an entry that was put into it. */
async function cacheAnswers(origin: string): Promise<boolean> {
  const key = `${origin}/.place/${crypto.randomUUID()}`;
  try {
    const cache = await caches.open("edgetape-place");
    await cache.put(key, new Response("kept", { headers: { "Cache-Control": "max-age=60" } }));
    return (await (await cache.match(key))?.text()) === "kept";
  } catch {
    return false;
  }
}

/** Returns the median milliseconds of a call to each store. */
async function storesMs(env: Env, settings: Settings): Promise<PlaceReport["storesMs"]> {
  const { d1, gate, r2 } = storeCalls(env, settings);
  return { d1: await medianMs(d1), gate: await medianMs(gate), r2: await medianMs(r2) };
}

async function medianMs(call: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    // The platform's clock advances only after I/O: here, when a store responds.
    const beganMs = Date.now();
    await call();
    taken.push(Date.now() - beganMs);
  }
  return upperMedian(taken);
}
