/**
 * `/admin/days`, `/admin/changes` and `/admin/calendar`: the loaded days, publishing in three steps (begin, send parts,
 * complete), withdrawing and restoring days, and the trading calendar.
 */
import * as z from "zod";
import { ok, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate, isWeekend } from "../calendar/beijing.ts";
import { calendarDays, calendarReach, setCalendarDays } from "../catalog/calendar-days.ts";
import { changesSince, type DayChange } from "../catalog/day-changes.ts";
import * as overview from "../catalog/day-overview.ts";
import * as catalog from "../catalog/days.ts";
import { comparisonOf } from "../catalog/plausibility.ts";
import { type PackClaims, restateClaims, setForced } from "../catalog/publish-day.ts";
import type { Content } from "../catalog/uploads.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import { announcedUntilMs, settingsOf } from "../env.ts";
import { BUILDER_VERSION, compareBuilderVersions } from "../packs/origin.ts";
import type { AdminContext, Routes } from "./context.ts";
import { bodyOf, byOf, datasetOf, dayOf, inQuery, nameOf, queryOf, readable, reading } from "./context.ts";
import * as publishing from "./day-publishing.ts";
import { type Answered, calledOf } from "./refusal.ts";
import * as uploads from "./uploads.ts";
import * as wire from "./wire.ts";
import * as fields from "./wire-fields.ts";

async function listDatasets(c: AdminContext) {
  const { newest } = await catalog.servedSpans(c.env.DB);
  const datasets = DATASET_NAMES.map((dataset) => ({ dataset, newest: newest[dataset] }));
  return ok<wire.DatasetList>({ datasets });
}

const listLoaded = reading([datasetOf], async (c, dataset) => {
  const days = await catalog.builtDays(c.env.DB, dataset);
  return ok<wire.LoadedDays>({ days: days.map(({ tradedate }) => tradedate) });
});

const listAdoptable = reading([datasetOf], async (c, dataset) =>
  ok<wire.AdoptableList>({ days: await publishing.adoptableDays(uploads.storesOf(c), dataset) }),
);

const listMonth = reading([inQuery("month", fields.monthSchema), datasetOf], async (c, month, dataset) => {
  // Days are compared as text, so 31 is a valid upper bound for shorter months too.
  const [first, last] = [`${month}01`, `${month}31`] as [BeijingDate, BeijingDate];
  const span = { first, last, today: beijingDate(byOf(c).nowMs), dataset };
  const days = await overview.overviewOf(c.env.DB, span);
  return ok<wire.DayList>({ month, days: days.map(overviewOf) });
});

/** Lists the days whose pack was built by an older builder than `?version=`, by default the service's own version. */
const listBuiltBefore = reading(
  [inQuery("version", fields.builderVersionSchema.default(BUILDER_VERSION)), datasetOf],
  async (c, version, dataset) => {
    const days = await catalog.builtDays(c.env.DB, dataset);
    const older = days.filter(({ builderVersion }) => compareBuilderVersions(builderVersion, version) < 0);
    return ok<wire.BuiltBefore>({ version, days: older });
  },
);

const showDay = reading([dayOf], async (c, of) => {
  const day = await catalog.servedDay(c.env.DB, of);
  if (day === null) return refused(publishing.noDay(of));
  const comparison = await comparisonOf(c.env.DB, of, day.packId);
  const revisions = await catalog.dayRevisions(c.env.DB, of);
  return ok<wire.DayDetail>({
    day: summaryOf(c, day, of.dataset),
    comparison,
    revisions: revisions.map(revisionOf),
  });
});

const withdrawDay = reading([dayOf, bodyOf(wire.withdrawDaySchema)], async (c, day, body) =>
  acted(c, day, await publishing.withdraw(uploads.storesOf(c), { ...day, ...body }, byOf(c))),
);

const restoreDay = reading([bodyOf(wire.restoreDaySchema), dayOf], (c, { revision, state, to }, day) =>
  serveAgain(c, { ...day, revision, state, content: to ?? "previous" }),
);

const publishDay = reading([bodyOf(wire.publishDaySchema), dayOf], (c, { revision, state }, day) =>
  serveAgain(c, { ...day, revision, state, content: "present" }),
);

async function serveAgain(c: AdminContext, ask: publishing.ServeAgainAsk) {
  return acted(c, ask, await publishing.serveContentAgain(uploads.storesOf(c), ask, byOf(c)));
}

function acted(c: AdminContext, { dataset }: catalog.DatasetDay, result: Answered<publishing.ActedOn>) {
  if (!result.ok) return result;
  return ok<wire.DayChanged>({ ...result.value, day: summaryOf(c, result.value.day, dataset) });
}

const beginUpload = reading([dayOf, bodyOf(wire.beginUploadSchema)], async (c, day, body) => {
  const { force, sizeBytes, sha256, ...claims } = body;
  const { buildId, quality } = claims;
  const content = { sizeBytes, sha256, claims };
  const already = await servedAlready(c, day, content, force);
  if (already !== null) return ok(already);
  if (quality?.verdict === "failed" && !force) {
    return refused({ reason: "quality_failed", day, summary: quality.summary });
  }
  const decision = await publishing.dayDecision(c.env.DB, day, buildId, force);
  if (decision !== null) return refused(decision);
  const stores = uploads.storesOf(c);
  const begun = await uploads.begin(stores, publishing.packUpload(day), content, byOf(c).nowMs);
  // While this upload was being opened, another publisher may have served the same content.
  const meanwhile = await servedAlready(c, day, content, force);
  if (meanwhile !== null) {
    if (begun.ok) await uploads.discard(stores, begun.value.upload);
    return ok(meanwhile);
  }
  if (!begun.ok) return begun;
  await setForced(c.env.DB, begun.value.upload.uploadId, force);
  return ok<wire.UploadBegun>(uploads.uploadingAnswer(begun.value));
});

/** Returns the answer if the publisher's rows are already served; null otherwise, and always with `force`. */
async function servedAlready(
  c: AdminContext,
  day: catalog.DatasetDay,
  content: Content<PackClaims>,
  force: boolean,
): Promise<wire.UploadBegun | null> {
  const { DB, PACKS } = c.env;
  const served = force ? null : await catalog.servedDay(DB, day);
  if (served === null || !isServed(served, content)) return null;
  const pack = (await catalog.dayRevisions(DB, day)).find(({ packId }) => packId === served.packId);
  // A pack of an older builder is replaced even if the new pack has the same rows, so that the day is no longer listed
  // for rebuilding. A pack whose object is lost is uploaded again.
  const isOlder = compareBuilderVersions(pack?.builderVersion ?? null, BUILDER_VERSION) < 0;
  if (isOlder && served.sha256 !== content.sha256) return null;
  if (pack === undefined || (await PACKS.head(pack.objectKey))?.etag !== pack.etag) return null;
  await restateClaims(DB, { ...day, packId: served.packId }, content.claims, byOf(c));
  const note = served.degraded ? (content.claims.shortfall ?? served.note) : served.note;
  return { state: "served", day: summaryOf(c, { ...served, note }, day.dataset) };
}

/**
 * Returns whether the served revision has the announced rows, so that nothing needs to be uploaded. The build id is
 * computed from the rows; packs with the same rows can differ in their record of the source files.
 */
function isServed(served: catalog.ServedDay, { claims }: Content<PackClaims>): boolean {
  return (
    served.state === "available" &&
    served.buildId === claims.buildId &&
    served.rows === claims.rows &&
    served.securities === claims.securities &&
    served.degraded === claims.degraded
  );
}

const putPart = reading([dayOf], (c, day) => uploads.receivePart(c, publishing.packUpload(day)));

const completeUpload = reading([dayOf], async (c, day) =>
  published(c, day, await uploads.complete(c, publishing.packUpload(day))),
);

const adoptDay = reading([dayOf, bodyOf(wire.adoptDaySchema)], async (c, day, body) =>
  published(c, day, await publishing.adoptPack(uploads.storesOf(c), day, body, byOf(c))),
);

async function published(c: AdminContext, of: catalog.DatasetDay, completed: Answered<uploads.Completed>) {
  if (!completed.ok) return completed;
  const day = await catalog.servedDay(c.env.DB, of);
  if (day === null) throw new Error(`${calledOf(of)} was served, but its row is missing`);
  const { newRevision } = completed.value;
  return ok<wire.Published>({ day: summaryOf(c, day, of.dataset), newRevision });
}

function summaryOf(
  c: AdminContext,
  { packId: _, ...day }: catalog.ServedDay,
  dataset: DatasetName,
): wire.DaySummary {
  const untilMs = announcedUntilMs(settingsOf(c.env), byOf(c).nowMs);
  return {
    ...nameOf(dataset),
    ...readable(day),
    announcedInMs: Math.max(0, day.publishedAtMs - untilMs),
  };
}

function revisionOf({ packId: _, etag: __, withdrawn, ...revision }: catalog.DayRevision): wire.DayRevision {
  const decision = withdrawn && { atMs: withdrawn.atMs, by: withdrawn.actor, note: withdrawn.note };
  return readable({ ...revision, withdrawn: decision });
}

const NOT_LOADED = { revision: null, rows: null, securities: null, sizeBytes: null, publishedAtMs: null };

function overviewOf({ loaded, ...day }: overview.DayOverview): wire.DayOverview {
  const { revision, rows, securities, sizeBytes, publishedAtMs } = loaded ?? NOT_LOADED;
  return readable({ ...day, revision, rows, securities, sizeBytes, publishedAtMs });
}

/** The default and maximum number of changes in one answer. */
const MAX_CHANGES = 100;

const querySchema = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_CHANGES).default(MAX_CHANGES),
  since: fields.instantTextSchema.default(0),
  dataset: fields.datasetSchema.default("orders"),
});

const listChanges = reading([queryOf(querySchema)], async (c, { after, since, limit, dataset }) => {
  // One row more than requested is read, to know whether another page follows.
  const question = { changeId: after, sinceMs: since, from: null, count: limit + 1, dataset };
  const found = await changesSince(c.env.DB, question);
  const shown = found.slice(0, limit);
  return ok<wire.ChangeList>({
    changes: shown.map(changeOf),
    nextAfter: shown.at(-1)?.changeId ?? after,
    hasMore: found.length > shown.length,
  });
});

function changeOf({ changeId, dataset, buildId: _, ...facts }: DayChange): wire.Change {
  const { added, removed, changed, ...rest } = facts;
  const securities =
    added === null || removed === null || changed === null ? null : { added, removed, changed };
  return { change: changeId, ...nameOf(dataset), ...readable(rest), securities };
}

const showYear = reading([inQuery("year", fields.yearSchema)], async (c, year) => {
  const digits = String(year).padStart(4, "0");
  const [first, last] = [`${digits}0101`, `${digits}1231`] as [BeijingDate, BeijingDate];
  const days = await calendarDays(c.env.DB, first, last);
  return ok<wire.Calendar>({ year, days, knownUntil: await knownUntil(c) });
});

const setDays = reading([bodyOf(wire.calendarChangeSchema)], async (c, { force, ...change }) => {
  const [weekend, ...more] = change.days.filter(({ day, open }) => open && isWeekend(day));
  if (weekend !== undefined && !force)
    return refused({ reason: "weekend_open", day: weekend.day, more: more.length });
  const changed = await setCalendarDays(c.env.DB, change, byOf(c));
  const until = await knownUntil(c);
  if (until === null) throw new Error("the calendar is empty after it was loaded");
  return ok<wire.CalendarChanged>({ changed, knownUntil: until });
});

async function knownUntil(c: AdminContext): Promise<BeijingDate | null> {
  return (await calendarReach(c.env.DB, beijingDate(byOf(c).nowMs))).knownUntil;
}

export const DAY_ROUTES: Routes = {
  "GET /days": ["read publish", listMonth],
  "GET /days/datasets": ["read publish", listDatasets],
  "GET /days/loaded": ["read publish", listLoaded],
  "GET /days/adoptable": ["read publish", listAdoptable],
  "GET /days/built-before": ["read publish", listBuiltBefore],
  "GET /days/:date": ["read publish", showDay],
  "POST /days/:date/withdraw": ["publish", withdrawDay],
  "POST /days/:date/restore": ["publish", restoreDay],
  "POST /days/:date/publish": ["publish", publishDay],
  "POST /days/:date/adopt": ["publish", adoptDay],
  "POST /days/:date/uploads": ["publish", beginUpload],
  "PUT /days/:date/uploads/:uploadId/parts/:n": ["publish", putPart],
  "POST /days/:date/uploads/:uploadId/complete": ["publish", completeUpload],
  "GET /changes": ["read publish", listChanges],
  "GET /calendar": ["read publish", showYear],
  "PUT /calendar": ["publish", setDays],
};
