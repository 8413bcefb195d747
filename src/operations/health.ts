/** `GET /health`: the version, and whether the stores answer. */

import { inTime } from "../base/in-time.ts";
import { type Env, lacksPublicBase, type Settings, VERSION } from "../env.ts";

/** A store that takes longer counts as failed. */
const PATIENCE_MS = 5_000;

/** The gate object for health checks; no account has this name. */
const HEALTH_GATE = "health:health";

type Answers = "ok" | "failed";

export interface Health {
  status: Answers;
  version: string;
  d1: Answers;
  r2: Answers;
  gate: Answers;
  /** `failed` when a setting that production requires is missing; `edgetape doctor` names it. */
  settings: Answers;
}

/** The route is public, so each isolate calls the stores at most once in this time. */
const FRESH_MS = 5_000;

let last: { health: StoresHealth; askedMs: number } | undefined;

type StoresHealth = Pick<Health, "d1" | "r2" | "gate">;

/**
 * Returns the answer of `GET /health` at `origin`; `status` is `ok` when all stores and the settings are `ok`. The
 * stores' answers are cached for 5 s and served to other requests while they are refreshed. `nowMs` is the machine's
 * time in Unix milliseconds.
 */
export async function healthOf(
  env: Env,
  settings: Settings,
  { origin, nowMs }: { origin: string; nowMs: number },
): Promise<Health> {
  let stores = last?.health;
  if (last === undefined || stores === undefined || nowMs - last.askedMs >= FRESH_MS) {
    // Only the value is shared, never the promise, because the platform forbids waiting for another request's I/O.
    if (last !== undefined) last.askedMs = nowMs;
    stores = await storesHealthOf(env, settings);
    last = { health: stores, askedMs: nowMs };
  }
  const settingsAnswer = lacksPublicBase(settings, origin) ? "failed" : "ok";
  const status = [...Object.values(stores), settingsAnswer].every((each) => each === "ok") ? "ok" : "failed";
  return { status, version: VERSION, ...stores, settings: settingsAnswer };
}

/** Calls D1, R2 and a gate object concurrently, each for at most 5 s. */
export async function storesHealthOf(env: Env, settings: Settings): Promise<StoresHealth> {
  const calls = storeCalls(env, settings);
  const [d1, r2, gate] = await Promise.all([answers(calls.d1), answers(calls.r2), answers(calls.gate)]);
  return { d1, r2, gate };
}

/** Returns a minimal call for each store. */
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

/** Returns only whether a store answers; the reason for a failure is logged. */
async function answers(ask: () => Promise<unknown>): Promise<Answers> {
  try {
    await inTime(ask(), PATIENCE_MS);
    return "ok";
  } catch (error) {
    console.error(JSON.stringify({ event: "health", fault: String(error) }));
    return "failed";
  }
}
