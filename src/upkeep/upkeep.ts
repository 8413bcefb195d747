/**
 * The checks and the clean-up that are scheduled a few times a day. When a check throws, the error becomes a finding
 * and the other checks still run.
 */
import { addDays, beijingDate } from "../calendar/beijing.ts";
import { forgetRefusals, REFUSALS_KEPT_MS } from "../catalog/refusals.ts";
import { sweepIndexRows } from "../catalog/restores.ts";
import { forgetUsage, USAGE_KEPT_DAYS } from "../catalog/usage.ts";
import { checkCalendar, checkDays } from "./days-and-calendar.ts";
import { type Finding, finding } from "./finding.ts";
import * as objects from "./objects.ts";

export interface ScheduledPlace extends objects.Upkeep {
  /** The due time of a trading day, in milliseconds after midnight in Beijing. */
  dueMs: number;
}

/**
 * How many days scheduled checks look back. They ignore older gaps of the calendar, because only a gap after the newest
 * trading day makes requests without a date fail.
 */
const LOOKED_BACK_DAYS = 30;

/** Runs every check and returns the findings in the order of the checks. */
export async function runScheduled(place: ScheduledPlace): Promise<Finding[]> {
  const { db, nowMs } = place;
  return runChecks([
    ["days", () => checkDays(db, place)],
    ["calendar", () => checkCalendar(db, nowMs, addDays(beijingDate(nowMs), -LOOKED_BACK_DAYS))],
    ["uploads", () => objects.endAbandoned(place)],
    ["objects", () => checkObjects(place)],
    ["index", () => unreported(sweepIndexRows(db))],
    ["refusals", () => unreported(forgetRefusals(db, nowMs - REFUSALS_KEPT_MS))],
    ["usage", () => unreported(forgetUsage(db, addDays(beijingDate(nowMs), -USAGE_KEPT_DAYS)))],
  ]);
}

/** Waits for a deletion whose success is not reported. */
async function unreported(deletion: Promise<unknown>): Promise<Finding[]> {
  await deletion;
  return [];
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

function failed(check: string, error: unknown): Finding {
  const cause = error instanceof Error ? error.message : String(error);
  return finding(check, "failed", "", {
    en: [`The check "${check}" failed: ${cause}.`, "Read the log, and run `edgetape doctor`."],
    zh: [`检查 ${check} 未能完成：${cause}。`, "请查看日志，并运行 `edgetape doctor`。"],
  });
}
