/**
 * The checks and the clean-up that are scheduled a few times a day. When a check throws, the error becomes a finding
 * and the other checks still run.
 */
import { addDays, beijingDate } from "../calendar/beijing.ts";
import { forgetRefusals, REFUSALS_KEPT_MS } from "../catalog/refusals.ts";
import { sweepIndexRows } from "../catalog/restores.ts";
import { forgetUsage, USAGE_KEPT_DAYS } from "../catalog/usage.ts";
import { checkCalendar, checkDays, checkGapsAhead } from "./days-and-calendar.ts";
import type { Finding } from "./finding.ts";
import * as objects from "./objects.ts";

export interface ScheduledPlace extends objects.Upkeep {
  /** The due time of a trading day, in milliseconds after midnight in Beijing. */
  dueMs: number;
}

/** Runs every check and returns the findings in the order of the checks. */
export async function runScheduled(place: ScheduledPlace): Promise<Finding[]> {
  const { db, nowMs } = place;
  return runChecks([
    ["days", () => checkDays(db, place)],
    ["calendar", async () => [...(await checkCalendar(db, nowMs)), ...(await checkGapsAhead(db, nowMs))]],
    ["uploads", () => objects.endAbandoned(place)],
    ["objects", () => checkObjects(place)],
    ["index", () => forget(sweepIndexRows(db))],
    ["refusals", () => forget(forgetRefusals(db, nowMs - REFUSALS_KEPT_MS))],
    ["usage", () => forget(forgetUsage(db, addDays(beijingDate(nowMs), -USAGE_KEPT_DAYS)))],
  ]);
}

/** Runs checks in sequence. When a check throws, the error becomes a finding. */
export async function runChecks(
  checks: [name: string, check: () => Promise<Finding[]>][],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of checks) {
    findings.push(...(await check().catch((error) => [failed(name, error)])));
  }
  return findings;
}

/** Checks R2 for missing and changed objects and deletes expired ones, with a single listing of the bucket. */
async function checkObjects(place: ScheduledPlace): Promise<Finding[]> {
  const judged = await objects.judgedObjects(place);
  return [
    ...objects.objectFindings(judged),
    ...(await objects.deleteExpired(place, judged)),
    ...(await objects.deleteUnserved(place, judged)),
  ];
}

/** Waits for a deletion that is not reported. */
async function forget(deletion: Promise<number>): Promise<Finding[]> {
  await deletion;
  return [];
}

function failed(check: string, error: unknown): Finding {
  const cause = error instanceof Error ? error.message : String(error);
  return {
    check,
    level: "failed",
    subject: "",
    sentence: `The check "${check}" failed: ${cause}.`,
    advice: "Read the log, and run `edgetape doctor`.",
    zh: { sentence: `检查 ${check} 未能完成：${cause}。`, advice: "请查看日志，并运行 `edgetape doctor`。" },
  };
}
