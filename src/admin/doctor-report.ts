/**
 * What a deployment can say of itself: everything that needs no look from outside. Every check stands for
 * itself, so that one that fails is a finding beside the others.
 */
import { addDays } from "../calendar/beijing.ts";
import { loadedDays } from "../catalog/index-rows.ts";
import { appliedMigrations, calendarGaps, secretVersionsInUse } from "../catalog/self-report.ts";
import { type Env, nowMs, type Settings, settingsOf, VERSION } from "../env.ts";
import { healthOf } from "../operations/health.ts";
import { checkCalendar, checkDays } from "../operations/scheduled/days-and-calendar.ts";
import { abridged, type Finding } from "../operations/scheduled/finding.ts";
import {
  deleteExpired,
  deleteUnserved,
  judgedObjects,
  objectFindings,
  type Upkeep,
} from "../operations/scheduled/objects.ts";
import { runChecks } from "../operations/scheduled/scheduled.ts";
import { endAbandoned, waitingUploads } from "../operations/scheduled/uploads.ts";
import { judgeSettings } from "./doctor-settings.ts";
import { dueMsOf } from "./watch.ts";
import type { DoctorReport } from "./wire.ts";

/** `--repair` ends uploads of this age: nobody goes on with one of yesterday. */
const REPAIRED_AFTER_MS = 24 * 3_600_000;
/** Objects that appear while one looks are an upload's. */
const STRANGER_AFTER_MS = 24 * 3_600_000;

type Stores = DoctorReport["stores"];

/** The whole report. Changes nothing. */
export async function doctorReport(env: Env): Promise<DoctorReport> {
  const settings = settingsOf(env);
  const place = upkeepOf(env, settings);
  const { db } = place;
  const [stores, migrations, days, findings] = await Promise.all([
    storesOf(env, settings),
    appliedMigrations(db),
    loadedDays(db),
    runChecks([
      ["settings", () => checkSettings(settings, place)],
      ["days", () => checkDays(db, { nowMs: place.nowMs, dueMs: dueMsOf(settings) })],
      ["calendar", async () => [...(await checkCalendar(db, place.nowMs)), ...(await checkGaps(place))]],
      ["objects", () => checkObjects(place)],
      ["uploads", () => waitingUploads(place, REPAIRED_AFTER_MS)],
    ]),
  ]);
  const publicBaseUrl = settings.PUBLIC_BASE_URL ?? null;
  return { version: VERSION, nowMs: nowMs(settings), stores, migrations, publicBaseUrl, days, findings };
}

/** What can be put right without loss: uploads of before yesterday end, objects past their time go. */
export async function repair(env: Env): Promise<Finding[]> {
  const place = upkeepOf(env, settingsOf(env));
  return runChecks([
    ["uploads", () => endAbandoned(place, REPAIRED_AFTER_MS)],
    [
      "objects",
      async () => {
        const judged = await judgedObjects(place);
        const unserved = await deleteUnserved(place, judged, REPAIRED_AFTER_MS);
        return [...(await deleteExpired(place, judged)), ...unserved];
      },
    ],
  ]);
}

function upkeepOf(env: Env, settings: Settings): Upkeep {
  return { db: env.DB, bucket: env.PACKS, nowMs: nowMs(settings) };
}

async function storesOf(env: Env, settings: Settings): Promise<Stores> {
  const [{ d1, r2, gate }, guard, rate] = await Promise.all([
    healthOf(env, settings),
    answers(() =>
      env.GUARD.getByName("health", { locationHint: settings.LOCATION_HINT }).attempt({
        address: "health",
        right: true,
      }),
    ),
    answers(() => env.RATE.limit({ key: "health" })),
  ]);
  return { d1, r2, gate, guard, rate };
}

async function answers(ask: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await ask();
    return "ok";
  } catch (failure) {
    console.error(JSON.stringify({ event: "doctor", failure: String(failure) }));
    return "failed";
  }
}

async function checkSettings(settings: Settings, { db, nowMs }: Upkeep): Promise<Finding[]> {
  const shareVersions = await secretVersionsInUse(db, nowMs);
  return judgeSettings(settings, { nowMs, shareVersions });
}

/** A day that the calendar leaves out between others may have been a trading day. */
async function checkGaps({ db }: Upkeep): Promise<Finding[]> {
  const gaps = await calendarGaps(db);
  return abridged(
    gaps.map(({ after, before }) => {
      const first = addDays(after, 1);
      const last = addDays(before, -1);
      return {
        check: "calendar",
        level: "warning",
        subject: first,
        sentence: `The calendar leaves out ${first === last ? first : `${first} to ${last}`}.`,
        advice: `\`edgetape calendar load --year ${first.slice(0, 4)}\`.`,
      };
    }),
  );
}

async function checkObjects(place: Upkeep): Promise<Finding[]> {
  const judged = await judgedObjects(place);
  const strangers = judged.unknown.filter(({ uploadedMs }) => place.nowMs - uploadedMs > STRANGER_AFTER_MS);
  const findings = objectFindings(judged);
  findings.push(
    ...abridged(
      strangers.map(({ key }) => ({
        check: "objects",
        level: "warning",
        subject: key,
        sentence: `The catalog does not know the object ${key}.`,
        advice: `It may be of before a restore: publish its day again, or \`npx wrangler r2 object delete\`.`,
      })),
    ),
  );
  const left = judged.expired.length + judged.unserved.length;
  if (left > 0) {
    findings.push({
      check: "objects",
      level: "warning",
      subject: "",
      sentence: `${left} objects are past their time or were never served.`,
      advice: "The scheduled task deletes them at its next run, `edgetape doctor --repair` now.",
    });
  }
  return findings;
}
