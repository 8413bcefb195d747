/** `GET /health`: which version runs, and whether the stores it stands on answer. */
import { type Env, type Settings, VERSION } from "../env.ts";
import { inTime } from "../http/in-time.ts";

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
}

/** Asks D1, R2 and a gate object at once; `status` is `ok` when all three answer within 5 s. */
export async function healthOf(env: Env, settings: Settings): Promise<Health> {
  const gate = () => env.GATE.getByName(HEALTH_GATE, { locationHint: settings.LOCATION_HINT });
  const [d1, r2, gateAnswer] = await Promise.all([
    answers(() => env.DB.prepare("SELECT 1 FROM plans LIMIT 1").first()),
    answers(() => env.PACKS.head("health")),
    answers(() => gate().state()),
  ]);
  const status = d1 === "ok" && r2 === "ok" && gateAnswer === "ok" ? "ok" : "failed";
  return { status, version: VERSION, d1, r2, gate: gateAnswer };
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
