/** `GET /health`: which version runs, and whether the stores it stands on answer. */

import { inTime } from "../base/in-time.ts";
import { type Env, lacksPublicBase, type Settings, VERSION } from "../env.ts";

/** A store that has not answered by then counts as not answering. */
const PATIENCE_MS = 5_000;

/** The gate object that only health checks ask; no account has this name. */
const HEALTH_GATE = "health:health";

type Answers = "ok" | "failed";

export interface Health {
  status: Answers;
  version: string;
  d1: Answers;
  r2: Answers;
  gate: Answers;
  /** `failed` where a setting that production requires is absent; `edgetape doctor` names it. */
  settings: Answers;
}

/** Anybody may ask: the stores are asked once in so many milliseconds an isolate. */
const FRESH_MS = 5_000;

let last: { health: StoresHealth; askedMs: number } | undefined;

type StoresHealth = Pick<Health, "d1" | "r2" | "gate">;

/**
 * Returns the answer of `GET /health` at `origin`; `status` is `ok` when the stores and the settings are. What the
 * stores answered is kept for 5 s; while they are asked again, other requests get what was kept. `nowMs` is the
 * machine's clock.
 */
export async function healthOf(
  env: Env,
  settings: Settings,
  { origin, nowMs }: { origin: string; nowMs: number },
): Promise<Health> {
  let stores = last?.health;
  if (last === undefined || stores === undefined || nowMs - last.askedMs >= FRESH_MS) {
    // Only the value is shared, never the promise: the platform forbids waiting for another request's I/O.
    if (last !== undefined) last.askedMs = nowMs;
    stores = await storesHealthOf(env, settings);
    last = { health: stores, askedMs: nowMs };
  }
  const settingsAnswer = lacksPublicBase(settings, origin) ? "failed" : "ok";
  const status = [...Object.values(stores), settingsAnswer].every((each) => each === "ok") ? "ok" : "failed";
  return { status, version: VERSION, ...stores, settings: settingsAnswer };
}

/** Asks D1, R2 and a gate object at once; each has 5 s. */
export async function storesHealthOf(env: Env, settings: Settings): Promise<StoresHealth> {
  const calls = storeCalls(env, settings);
  const [d1, r2, gate] = await Promise.all([answers(calls.d1), answers(calls.r2), answers(calls.gate)]);
  return { d1, r2, gate };
}

/** The smallest question to each store. */
export function storeCalls(
  env: Env,
  { LOCATION_HINT: locationHint }: Settings,
): Record<keyof StoresHealth, () => Promise<unknown>> {
  return {
    d1: () => env.DB.prepare("SELECT 1 FROM plans LIMIT 1").first(),
    r2: () => env.PACKS.head("health"),
    gate: async () => env.GATE.getByName(HEALTH_GATE, { locationHint }).state(),
  };
}

/** The public answer says only whether; why a store failed is the log's. */
async function answers(ask: () => Promise<unknown>): Promise<Answers> {
  try {
    await inTime(ask(), PATIENCE_MS);
    return "ok";
  } catch (error) {
    console.error(JSON.stringify({ event: "health", fault: String(error) }));
    return "failed";
  }
}
