/**
 * What the service looks after by itself, a few times a day: is everything there that should be, and does what
 * is past its time go. Every check stands for itself: one that fails is a finding and stops no other.
 */
import { forgetRefusals, REFUSALS_KEPT_MS } from "../catalog/refusals.ts";
import { sweepIndexRows } from "../catalog/restores.ts";
import { checkGapsAhead } from "./calendar-gaps.ts";
import { checkCalendar, checkDays } from "./days-and-calendar.ts";
import type { Finding } from "./finding.ts";
import { deleteExpired, deleteUnserved, judgedObjects, objectFindings, type Upkeep } from "./objects.ts";
import { endAbandoned } from "./uploads.ts";

export interface ScheduledPlace extends Upkeep {
  /** Time of day, in milliseconds after midnight in Beijing, by which a trading day is published. */
  dueMs: number;
}

/** Runs every check and returns what they found, in their order. */
export async function runScheduled(place: ScheduledPlace): Promise<Finding[]> {
  const { db, nowMs } = place;
  return runChecks([
    ["days", () => checkDays(db, place)],
    ["calendar", async () => [...(await checkCalendar(db, nowMs)), ...(await checkGapsAhead(db, nowMs))]],
    ["uploads", () => endAbandoned(place)],
    ["objects", () => checkObjects(place)],
    ["index", () => forgetUnknownIndexRows(place)],
    ["refusals", () => forgetOldRefusals(place)],
  ]);
}

/** Makes checks one after the other; one that throws is a finding by itself. */
export async function runChecks(
  checks: [name: string, check: () => Promise<Finding[]>][],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of checks) {
    findings.push(...(await check().catch((error) => [failed(name, error)])));
  }
  return findings;
}

/** One look at R2 serves what must be there and what must go. */
async function checkObjects(place: ScheduledPlace): Promise<Finding[]> {
  const judged = await judgedObjects(place);
  return [
    ...objectFindings(judged),
    ...(await deleteExpired(place, judged)),
    ...(await deleteUnserved(place, judged)),
  ];
}

/** What restores have replaced and not swept. */
async function forgetUnknownIndexRows({ db }: ScheduledPlace): Promise<Finding[]> {
  await sweepIndexRows(db);
  return [];
}

async function forgetOldRefusals({ db, nowMs }: ScheduledPlace): Promise<Finding[]> {
  await forgetRefusals(db, nowMs - REFUSALS_KEPT_MS);
  return [];
}

function failed(check: string, error: unknown): Finding {
  const cause = error instanceof Error ? error.message : String(error);
  return {
    check,
    level: "failed",
    subject: "",
    sentence: `The check could not be made: ${cause}.`,
    advice: "Look at the log, and run `edgetape doctor`.",
    zh: { sentence: `检查 ${check} 未能完成：${cause}。`, advice: "请查看日志，并运行 `edgetape doctor`。" },
  };
}
