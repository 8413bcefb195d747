/** `/admin/doctor`: the deployment's checks of itself, and repairs that lose no data. A thrown error is a finding. */
import { ok, refused } from "../base/result.ts";
import { upperMedian } from "../base/upper-median.ts";
import { type IndexedPack, servedPack } from "../catalog/day-securities.ts";
import { builtDays, type DatasetDay } from "../catalog/days.ts";
import { secretVersionUse } from "../catalog/secret-versions.ts";
import { appliedMigrations } from "../catalog/upkeep.ts";
import { type Env, isLoopback, nowMs, type Settings, settingsOf, VERSION } from "../env.ts";
import { storeCalls, storesHealthOf } from "../operations/health.ts";
import { checkCalendar, checkDays } from "../upkeep/days-and-calendar.ts";
import { done, type Finding, finding } from "../upkeep/finding.ts";
import * as objects from "../upkeep/objects.ts";
import { runChecks } from "../upkeep/upkeep.ts";
import { checkIndex, rebuildIndex } from "./arrival.ts";
import type { AdminContext, Routes } from "./context.ts";
import { bodyOf, byOf, dayOf, reading } from "./context.ts";
import { noDay } from "./day-publishing.ts";
import { deleteLeft, deleteUnknown, giveUpLost, unknownFindings, unknownObjects } from "./doctor-objects.ts";
import { judgeSettings } from "./doctor-settings.ts";
import { type Answered, calledOf } from "./refusal.ts";
import { storesOf } from "./uploads.ts";
import { dueMsOf, watch } from "./watch.ts";
import * as wire from "./wire.ts";

const deleteObjects = reading([bodyOf(wire.deleteObjectsSchema)], async (c, { keys }) =>
  ok<wire.FindingList>({ findings: await deleteUnknown(doctorsPlace(c.env), keys) }),
);

const scheduled = reading([bodyOf(wire.runScheduledSchema)], async (c, asked) =>
  ok<wire.ScheduledRun>(await watch(c.env, asked)),
);

type Served = { day: DatasetDay; pack: IndexedPack & { revision: number } };

/** Returns the served pack of the day in the path, or a refusal. */
const servedOf = reading([dayOf], async (c, day): Promise<Answered<Served>> => {
  const pack = await servedPack(c.env.DB, day);
  return pack === null ? refused(noDay(day)) : ok({ day, pack });
});

async function indexReport(c: AdminContext, { day, pack }: Served): Promise<wire.IndexReport> {
  const checked = await checkIndex(storesOf(c), day, pack);
  return { tradedate: day.tradedate, revision: pack.revision, ...checked };
}

const showIndex = reading([servedOf], async (c, served) => ok(await indexReport(c, served)));

/** Rebuilds wrong index rows and reports what is still wrong. */
const repairIndex = reading([servedOf], async (c, served) => {
  const before = await indexReport(c, served);
  if (before.findings.length === 0) return ok(before);
  const { day, pack } = served;
  await rebuildIndex(storesOf(c), pack, day.dataset);
  const after = await indexReport(c, served);
  if (after.findings.length > 0) return ok(after);
  const subject = calledOf(day);
  const sentence = `The index rows of ${subject} were rebuilt from its pack.`;
  return ok<wire.IndexReport>({ ...after, findings: [done("index", subject, sentence)] });
});

/** `--repair` ends uploads that are older than this; they cannot be resumed afterwards. */
const REPAIRED_AFTER_MS = 24 * 3_600_000;

/** Returns the whole report without changing anything. */
async function doctorReport(c: AdminContext): Promise<Answered<wire.DoctorReport>> {
  const settings = settingsOf(c.env);
  const place = doctorsPlace(c.env);
  const { db, nowMs } = place;
  const checkSettings = async () => {
    const shareVersions = (await secretVersionUse(db, nowMs)).map(({ version }) => version);
    const isLocal = settings.ENVIRONMENT === "demo" || isLoopback(new URL(c.req.url).hostname);
    return judgeSettings(settings, { nowMs, shareVersions, isLocal });
  };
  const [stores, migrations, loaded, findings] = await Promise.all([
    storesHealth(c.env, settings),
    appliedMigrations(db),
    builtDays(db, "orders"),
    runChecks([
      ["settings", checkSettings],
      ["days", () => checkDays(db, { nowMs, dueMs: dueMsOf(settings) })],
      ["calendar", () => checkCalendar(db, nowMs, null)],
      ["objects", () => checkObjects(place)],
      ["uploads", () => objects.waitingUploads(place, REPAIRED_AFTER_MS)],
    ]),
  ]);
  const days = loaded.map(({ tradedate }) => tradedate);
  const publicBaseUrl = settings.PUBLIC_BASE_URL ?? null;
  return ok({ version: VERSION, nowMs, stores, migrations, publicBaseUrl, days, findings });
}

/**
 * Makes repairs that lose no data. Ends uploads older than a day, and deletes orphaned and expired objects. Content
 * that is not served is marked as lost when its object is missing.
 */
async function repair(c: AdminContext): Promise<Answered<wire.FindingList>> {
  const place = doctorsPlace(c.env);
  const by = byOf(c);
  const repairObjects = async () => {
    const judged = await objects.judgedObjects(place);
    const unserved = await objects.deleteUnserved(place, judged, REPAIRED_AFTER_MS);
    return [
      ...(await objects.deleteExpired(place, judged)),
      ...unserved,
      ...(await deleteLeft(place, judged)),
      ...(await giveUpLost(place, judged, by)),
    ];
  };
  const findings = await runChecks([
    ["uploads", () => objects.endAbandoned(place, REPAIRED_AFTER_MS)],
    ["objects", repairObjects],
  ]);
  return ok({ findings });
}

/** Returns the stores and the current time for the doctor. */
function doctorsPlace(env: Env): objects.Upkeep {
  return { db: env.DB, bucket: env.PACKS, nowMs: nowMs(settingsOf(env)) };
}

async function storesHealth(env: Env, settings: Settings): Promise<wire.DoctorReport["stores"]> {
  const { LOCATION_HINT: locationHint } = settings;
  const attempt = { address: "health", right: true };
  const [stores, guard, rate] = await Promise.all([
    storesHealthOf(env, settings),
    answers(async () => env.GUARD.getByName("health", { locationHint }).attempt(attempt)),
    answers(() => env.RATE.limit({ key: "health" })),
  ]);
  return { ...stores, guard, rate };
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

async function checkObjects(place: objects.Upkeep): Promise<Finding[]> {
  const judged = await objects.judgedObjects(place);
  const findings = [...objects.objectFindings(judged), ...(await unknownFindings(place, judged))];
  // Younger objects may still be in use, and no repair deletes them.
  const unserved = objects.unservedSince(place, judged, REPAIRED_AFTER_MS);
  const left = judged.expired.length + unserved.length;
  if (left === 0) return findings;
  const sentence = `${left} objects have expired or were never served.`;
  const advice =
    "`edgetape doctor --repair` deletes the objects now; otherwise the scheduled task deletes them later.";
  return [...findings, finding("objects", "warning", "", { en: [sentence, advice] })];
}

/**
 * Number of calls to each store, one after another. The median of their durations is reported, because the first call
 * may open a connection and then takes longer.
 */
const CALLS = 5;

/**
 * Returns the report for this request: the caller's address as the worker receives it, whether the cache works, and the
 * median milliseconds of a call to each store.
 */
async function placeReport(c: AdminContext): Promise<Answered<wire.PlaceReport>> {
  const cache = await cacheAnswers(new URL(c.req.url).origin);
  const { d1, gate, r2 } = storeCalls(c.env, settingsOf(c.env));
  return ok({
    address: c.req.header("CF-Connecting-IP") ?? null,
    cache: cache ? "ok" : "failed",
    storesMs: { d1: await medianMs(d1), gate: await medianMs(gate), r2: await medianMs(r2) },
  });
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

export const DOCTOR_ROUTES: Routes = {
  "GET /doctor": ["read", doctorReport],
  "GET /doctor/place": ["read", placeReport],
  "POST /doctor/repair": ["admin", repair],
  "GET /doctor/objects": ["read", async (c) => ok(await unknownObjects(doctorsPlace(c.env)))],
  "POST /doctor/objects/delete": ["admin", deleteObjects],
  "POST /doctor/scheduled": ["admin", scheduled],
  "GET /doctor/index/:date": ["read", showIndex],
  "POST /doctor/index/:date/repair": ["admin", repairIndex],
};
