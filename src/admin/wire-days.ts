/**
 * Admin bodies about days, uploads, adopted packs and the trading calendar. A day is that of one dataset, which
 * `dataset` in the query names; orders when absent.
 */

import * as z from "zod";
import { beijingDateSchema, countSchema, datasetSchema, sha256Schema } from "./wire-fields.ts";

/** Bytes of every part except the last. R2 requires equal parts; 8 MiB fit in a worker's memory many times. */
export const PART_SIZE_BYTES = 8 * 1024 * 1024;

/** R2's maximum number of parts, so a pack has at most 78 GiB. */
export const MAX_PARTS = 10_000;

/** Header of a part upload: SHA-256 of the part's bytes, 64 hex digits. */
export const PART_SHA256_HEADER = "X-Content-SHA256";

/** Number of securities that passed and failed a check, and for which it is not provable. */
const checkCountsSchema = z.strictObject({
  passed: countSchema,
  failed: countSchema,
  not_provable: countSchema,
});

/** The maximum number of a builder's checks; the builder chooses their names. */
const MAX_CHECKS = 40;

/** The verdict of the builder's quality check, one sentence on what failed, and the numbers of securities by check. */
export const qualitySchema = z.strictObject({
  verdict: z.enum(["passed", "failed", "not_provable"]),
  summary: z.string().max(300),
  checks: z
    .record(z.string().regex(/^[a-z_]{1,40}$/), checkCountsSchema)
    .refine((checks) => Object.keys(checks).length <= MAX_CHECKS, `more than ${MAX_CHECKS} checks`)
    .optional(),
});

/** Opens an upload of a day pack, or resumes an interrupted one. */
export const beginUploadSchema = z.strictObject({
  sizeBytes: z
    .int()
    .min(1)
    .max(MAX_PARTS * PART_SIZE_BYTES),
  /** The checksum of the whole pack. */
  sha256: sha256Schema,
  /** The build id in the pack's index region. */
  buildId: z.string().regex(/^[0-9a-f]{32}$/, "expected 32 hex digits"),
  rows: countSchema,
  securities: countSchema,
  /** The build left out broken rows: the day is served and marked. */
  degraded: z.boolean().default(false),
  /** What a degraded build lacks, as a clause for operators; absent where no quality sheet says it. */
  shortfall: z.string().trim().min(1).max(300).optional(),
  /** Absent where no quality check ran. A day that failed is refused unless forced, before anything is sent. */
  quality: qualitySchema.optional(),
  /**
   * Publishes a new revision even when this content is already served, and even when it is implausible, repeated, of
   * failed quality, smaller than what it replaces, or other content of a withdrawn day. Withdrawn content itself stays refused.
   */
  force: z.boolean().default(false),
});
export type BeginUpload = z.input<typeof beginUploadSchema>;

/** A part that is already stored. `n` counts from 1. */
export const storedPartSchema = z.strictObject({
  n: z.int().min(1),
  sizeBytes: countSchema,
  sha256: sha256Schema,
});
export type StoredPart = z.infer<typeof storedPartSchema>;

const DAY_STATES = ["available", "withdrawn", "damaged"] as const;

/** The served revision of a day. */
const daySummarySchema = z.strictObject({
  /** Absent for orders: commands of earlier versions refuse a member that they do not know. */
  dataset: datasetSchema.optional(),
  tradedate: beijingDateSchema,
  revision: z.int().min(1),
  state: z.enum(DAY_STATES),
  /** The reason for the withdrawal or the damage, or what a degraded day lacks; otherwise empty. */
  note: z.string(),
  degraded: z.boolean(),
  rows: countSchema,
  /** Securities of the index, those without rows included. */
  securities: countSchema,
  sizeBytes: countSchema,
  sha256: sha256Schema,
  buildId: z.string(),
  /** RFC 3339, Beijing time. */
  publishedAt: z.string(),
  /** Milliseconds until this revision is announced to customers (contract 9); 0 when it has been. */
  announcedInMs: countSchema,
});
export type DaySummary = z.infer<typeof daySummarySchema>;

/** The command must send the missing parts and then complete the upload. */
export const uploadingSchema = z.strictObject({
  state: z.literal("uploading"),
  uploadId: z.string(),
  /** The revision number of this content. */
  revision: z.int().min(1),
  partSizeBytes: z.int().min(1),
  partCount: z.int().min(1),
  /** Parts that are already stored, in order of `n`. */
  parts: z.array(storedPartSchema),
});
export type Uploading = z.infer<typeof uploadingSchema>;

/** Either the command sends the missing parts and completes, or nothing is left to do. */
export const uploadBegunSchema = z.discriminatedUnion("state", [
  uploadingSchema,
  z.strictObject({ state: z.literal("served"), day: daySummarySchema }),
]);
export type UploadBegun = z.infer<typeof uploadBegunSchema>;

/** `newRevision` is false when this content was already served, for example after a lost answer. */
export const publishedSchema = z.strictObject({ day: daySummarySchema, newRevision: z.boolean() });
export type Published = z.infer<typeof publishedSchema>;

/** `degraded` is served with rows left out; `pending` is today or being uploaded; `missing` is not loaded. */
const OVERVIEW_STATES = [...DAY_STATES, "degraded", "pending", "missing"] as const;

/** A day of a month, loaded or not; numbers are null when it was never loaded. */
const dayOverviewSchema = z.strictObject({
  tradedate: beijingDateSchema,
  state: z.enum(OVERVIEW_STATES),
  note: z.string(),
  revision: z.int().min(1).nullable(),
  rows: countSchema.nullable(),
  securities: countSchema.nullable(),
  sizeBytes: countSchema.nullable(),
  publishedAt: z.string().nullable(),
});
export type DayOverview = z.infer<typeof dayOverviewSchema>;

/** Every loaded day of the month and every trading day up to today, oldest first. */
export const dayListSchema = z.strictObject({ month: z.string(), days: z.array(dayOverviewSchema) });
export type DayList = z.infer<typeof dayListSchema>;

/** The datasets, each with the newest day that is served; null when none is. */
export const datasetListSchema = z.strictObject({
  datasets: z.array(z.strictObject({ dataset: datasetSchema, newest: beijingDateSchema.nullable() })),
});
export type DatasetList = z.infer<typeof datasetListSchema>;

/** Every day of a dataset that was ever loaded, ascending. */
export const loadedDaysSchema = z.strictObject({ days: z.array(beijingDateSchema) });
export type LoadedDays = z.infer<typeof loadedDaysSchema>;

/** Loaded days, oldest first, whose pack was built by a version before `version` or without a version. */
export const builtBeforeSchema = z.strictObject({
  version: z.string(),
  days: z.array(
    z.strictObject({
      tradedate: beijingDateSchema,
      revision: z.int().min(1),
      state: z.enum(DAY_STATES),
      builderVersion: z.string().nullable(),
    }),
  ),
});
export type BuiltBefore = z.infer<typeof builtBeforeSchema>;

/** A day's counts by exchange compared with the median of its nearest loaded days. */
const comparisonSchema = z.strictObject({
  /** Number of compared days, at most 20; with fewer than 5 every day is plausible. */
  days: countSchema,
  markets: z.array(
    z.strictObject({
      market: z.enum(["SH", "SZ"]),
      /** Securities with rows. */
      securities: countSchema,
      rows: countSchema,
      medianSecurities: z.number(),
      medianRows: z.number(),
      /** Whether rows and securities are each at least 90 % and at most twice their median. */
      plausible: z.boolean(),
    }),
  ),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** The revision that the operator saw; refused with 409 when the day has another one. */
const seenRevisionSchema = z.int().min(1);

/** The state that the operator saw; refused with 409 when it has changed. */
const seenStateSchema = z.enum(DAY_STATES).optional();

/** Earlier versions of the command send this member; it is ignored. */
const unneededForceSchema = z.boolean().optional();

export const withdrawDaySchema = z.strictObject({
  revision: seenRevisionSchema,
  /** The reason, for other operators. */
  note: z.string().trim().max(500).default(""),
});

/** Serves the content of an earlier revision under a new number. */
export const restoreDaySchema = z.strictObject({
  revision: seenRevisionSchema,
  state: seenStateSchema,
  /**
   * The revision whose content is served again, even when withdrawn; absent for the newest content that is older than
   * the current one and neither withdrawn nor damaged.
   */
  to: z.int().min(1).optional(),
  force: unneededForceSchema,
});

/** Serves the current content under a new number, even when withdrawn, but not when its pack is damaged. */
export const publishDaySchema = z.strictObject({
  revision: seenRevisionSchema,
  state: seenStateSchema,
  force: unneededForceSchema,
});

/** `changed` is false when the day already was in this state; `actor` is who caused it. */
export const dayChangedSchema = z.strictObject({
  day: daySummarySchema,
  changed: z.boolean(),
  actor: z.string(),
});
export type DayChanged = z.infer<typeof dayChangedSchema>;

/** One change of the content that a day serves. */
const changeSchema = z.strictObject({
  /** Increases with every change of any day. */
  change: z.int().min(1),
  at: z.string(),
  /** Absent for orders, as in the summary of a day. */
  dataset: datasetSchema.optional(),
  tradedate: beijingDateSchema,
  kind: z.enum(["published", "restored", "withdrawn", "damaged"]),
  revision: z.int().min(1),
  previous: z.int().min(1).nullable(),
  /** Codes such as 600519.SH that differ from the previous revision; null without one. */
  securities: z
    .strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    })
    .nullable(),
});
export type Change = z.infer<typeof changeSchema>;

/** Changes in order; `nextAfter` is the value of `after` for the next request. */
export const changeListSchema = z.strictObject({
  changes: z.array(changeSchema),
  nextAfter: countSchema,
  hasMore: z.boolean(),
});
export type ChangeList = z.infer<typeof changeListSchema>;

/** A revision of a day's history, newest first; `replacedAt` is null for the served one. */
const dayRevisionSchema = z.strictObject({
  revision: z.int().min(1),
  buildId: z.string(),
  sha256: sha256Schema,
  rows: countSchema,
  securities: countSchema,
  sizeBytes: countSchema,
  degraded: z.boolean(),
  objectKey: z.string(),
  publishedAt: z.string(),
  replacedAt: z.string().nullable(),
  /** Null for packs without a builder version. */
  builderVersion: z.string().nullable(),
  /** A checksum over the SHA-256 of the source files. */
  sourcesSha256: z.string().nullable(),
  /** The operator's withdrawal of this content. */
  withdrawn: z.strictObject({ at: z.string(), by: z.string(), note: z.string() }).nullable(),
  /** The failed checksum of a block of its object. */
  damaged: z.strictObject({ at: z.string(), note: z.string() }).nullable(),
});
export type DayRevision = z.infer<typeof dayRevisionSchema>;

export const dayDetailSchema = z.strictObject({
  day: daySummarySchema,
  comparison: comparisonSchema,
  revisions: z.array(dayRevisionSchema),
});
export type DayDetail = z.infer<typeof dayDetailSchema>;

/** One calendar day: `open` when the exchanges trade on it. */
const calendarDaySchema = z.strictObject({ day: beijingDateSchema, open: z.boolean() });

/** Sets open and closed calendar days. Listed days are overwritten, others stay. */
export const calendarChangeSchema = z.strictObject({
  days: z
    .array(calendarDaySchema)
    .min(1)
    .max(4_000)
    .refine((days) => new Set(days.map(({ day }) => day)).size === days.length, "a day is listed twice"),
  /** The source of the days, for operators: a library and its version, a file's name. */
  source: z.string().trim().min(1).max(200),
  /** Whether a Saturday or Sunday is accepted as a trading day. */
  force: z.boolean().default(false),
});
export type CalendarChange = z.input<typeof calendarChangeSchema>;

export const calendarChangedSchema = z.strictObject({
  /** Number of days that are new or changed between open and closed. */
  changed: countSchema,
  /** The last day without a gap before it, counted from today or from the calendar's first day if that is later. */
  knownUntil: beijingDateSchema,
});
export type CalendarChanged = z.infer<typeof calendarChangedSchema>;

export const calendarSchema = z.strictObject({
  year: z.int(),
  days: z.array(calendarDaySchema.extend({ source: z.string() })),
  knownUntil: beijingDateSchema.nullable(),
});
export type Calendar = z.infer<typeof calendarSchema>;

/** A day with adoptable packs. */
export const adoptableDaySchema = z.strictObject({
  /** Absent for orders. */
  dataset: datasetSchema.optional(),
  tradedate: beijingDateSchema,
  /** The served revision, or null. */
  served: z.int().min(1).nullable(),
  /** Newest first. */
  packs: z
    .array(
      z.strictObject({
        objectKey: z.string(),
        sizeBytes: countSchema,
        /** RFC 3339, Beijing time. */
        uploadedAt: z.string(),
      }),
    )
    .min(1),
});
export type AdoptableDay = z.infer<typeof adoptableDaySchema>;

/** Oldest day first. */
export const adoptableListSchema = z.strictObject({ days: z.array(adoptableDaySchema) });
export type AdoptableList = z.infer<typeof adoptableListSchema>;

/** Serves the pack in `objectKey` as the day's next revision after checking it. The answer is `Published`. */
export const adoptDaySchema = z.strictObject({
  objectKey: z.string().min(1).max(200),
  /** The pack's checksum; needed only when its object has none, as in earlier versions. */
  sha256: sha256Schema.optional(),
  /** Whether the pack's build left rows out; absent: as its upload announced. */
  degraded: z.boolean().optional(),
  /** Publishes the pack even when the day is implausible. */
  force: z.boolean().default(false),
});
export type AdoptDay = z.input<typeof adoptDaySchema>;
