/**
 * Admin bodies about days, uploads, adopted packs and the trading calendar. A body about a day refers to one dataset,
 * which `dataset` in the query names; the default is orders.
 */

import * as z from "zod";
import { beijingDateSchema, countSchema, datasetSchema, sha256Schema } from "./wire-fields.ts";

/**
 * The size of every part except the last, in bytes. R2 requires parts of equal size, and many parts of 8 MiB fit into a
 * worker's memory.
 */
export const PART_SIZE_BYTES = 8 * 1024 * 1024;

/** The maximum size of a pack or file: 78 GiB, because R2 accepts at most 10,000 parts. */
const MAX_SIZE_BYTES = 10_000 * PART_SIZE_BYTES;

/** The header of a part upload with the SHA-256 of the part's bytes, as 64 hex digits. */
export const PART_SHA256_HEADER = "X-Content-SHA256";

/** Numbers of securities by result of a check: passed, failed, or not provable from the data. */
const countsSchema = z.strictObject({ passed: countSchema, failed: countSchema, not_provable: countSchema });

/** The maximum number of checks in a builder's result. The builder chooses their names. */
const MAX_CHECKS = 40;

/**
 * The result of the builder's quality check: the verdict, a clause that names what failed, and for each check the
 * numbers of securities by result.
 */
export const qualitySchema = z.strictObject({
  verdict: z.enum(["passed", "failed", "not_provable"]),
  summary: z.string().max(300),
  checks: z
    .record(z.string().regex(/^[a-z_]{1,40}$/), countsSchema)
    .refine((checks) => Object.keys(checks).length <= MAX_CHECKS, `expected at most ${MAX_CHECKS} checks`)
    .optional(),
});

/** What an upload announces about its content: the size, and the checksum of the whole pack or file. */
export const announcedContent = {
  sizeBytes: z.int().min(1).max(MAX_SIZE_BYTES),
  sha256: sha256Schema,
};

/** Opens an upload of a day pack, or resumes an interrupted one. */
export const beginUploadSchema = z.strictObject({
  ...announcedContent,
  /** The build id in the pack's index region. */
  buildId: z.string().regex(/^[0-9a-f]{32}$/, "expected 32 hex digits"),
  rows: countSchema,
  securities: countSchema,
  /** Whether the build left out broken rows. Such a day is served and marked as degraded. */
  degraded: z.boolean().default(false),
  /** What a degraded build lacks, as a clause for operators; absent when the publisher did not say. */
  shortfall: z.string().trim().min(1).max(300).exactOptional(),
  /** Absent when no quality check ran. A day that failed the check is refused before the upload, unless forced. */
  quality: qualitySchema.exactOptional(),
  /**
   * Publishes a new revision even when this content is already served, is implausible or repeated, failed the quality
   * check, or is smaller than what it replaces. Also replaces withdrawn content with different content. Content that
   * was itself withdrawn is still refused.
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

/** A revision of a day, with properties of its pack. */
const revisionFacts = {
  revision: z.int().min(1),
  degraded: z.boolean(),
  rows: countSchema,
  /** Number of securities in the index, including those without rows. */
  securities: countSchema,
  sizeBytes: countSchema,
  sha256: sha256Schema,
  buildId: z.string(),
  /** RFC 3339, Beijing time. */
  publishedAt: z.string(),
};

/** The current revision of a day, in any state. */
const daySummarySchema = z.strictObject({
  ...revisionFacts,
  /** Absent for orders, because earlier versions of the CLI refuse unknown properties. */
  dataset: datasetSchema.optional(),
  tradedate: beijingDateSchema,
  state: z.enum(DAY_STATES),
  /** The reason for the withdrawal or the damage, or what a degraded day lacks; otherwise empty. */
  note: z.string(),
  /** Milliseconds until this revision is announced to customers (contract 9); 0 after the announcement. */
  announcedInMs: countSchema,
});
export type DaySummary = z.infer<typeof daySummarySchema>;

/** The command must send the missing parts and then complete the upload. */
export const uploadingSchema = z.strictObject({
  state: z.literal("uploading"),
  uploadId: z.string(),
  /** The revision number under which the content will be served. */
  revision: z.int().min(1),
  partSizeBytes: z.int().min(1),
  partCount: z.int().min(1),
  /** Parts that are already stored, in order of `n`. */
  parts: z.array(storedPartSchema),
});
export type Uploading = z.infer<typeof uploadingSchema>;

/** `uploading`: the command must send the missing parts and complete the upload. `served`: nothing is left to do. */
export const uploadBegunSchema = z.discriminatedUnion("state", [
  uploadingSchema,
  z.strictObject({ state: z.literal("served"), day: daySummarySchema }),
]);
export type UploadBegun = z.infer<typeof uploadBegunSchema>;

/** `newRevision` is false when this content was already served, for example after a lost answer. */
export const publishedSchema = z.strictObject({ day: daySummarySchema, newRevision: z.boolean() });
export type Published = z.infer<typeof publishedSchema>;

/**
 * `degraded`: served, but the build left out rows. `pending`: not loaded yet (today, or a day that is being uploaded).
 * `missing`: any other trading day that is not loaded.
 */
const OVERVIEW_STATES = [...DAY_STATES, "degraded", "pending", "missing"] as const;

/** A day of a month, loaded or not. The properties that can be null are null when the day was never loaded. */
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

/** The datasets, each with the newest day that is served; null when no day is served. */
export const datasetListSchema = z.strictObject({
  datasets: z.array(z.strictObject({ dataset: datasetSchema, newest: beijingDateSchema.nullable() })),
});
export type DatasetList = z.infer<typeof datasetListSchema>;

/** The days that were ever loaded for a dataset, ascending. */
export const loadedDaysSchema = z.strictObject({ days: z.array(beijingDateSchema) });
export type LoadedDays = z.infer<typeof loadedDaysSchema>;

/** Loaded days whose pack was built by a version before `version` or does not name its version, oldest first. */
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

/** A day's counts by exchange, compared with the medians of the nearest loaded days. */
const comparisonSchema = z.strictObject({
  /** Number of compared days, at most 20; with fewer than 5 every day is plausible. */
  days: countSchema,
  markets: z.array(
    z.strictObject({
      market: z.enum(["SH", "SZ"]),
      /** Number of securities with rows. */
      securities: countSchema,
      rows: countSchema,
      medianSecurities: z.number(),
      medianRows: z.number(),
      /** Whether the numbers of rows and of securities are each 90 % to 200 % (inclusive) of their median. */
      plausible: z.boolean(),
    }),
  ),
});

/** The revision and the state that the operator saw. The request is refused with 409 when the day has changed. */
const seenFacts = {
  revision: z.int().min(1),
  /** Any state when absent, because earlier versions of the command omit it. */
  state: z.enum(DAY_STATES).optional(),
  /** Earlier versions of the command send this property; it is ignored. */
  force: z.boolean().optional(),
};

export const withdrawDaySchema = z.strictObject({
  revision: seenFacts.revision,
  /** The reason, for other operators. */
  note: z.string().trim().max(500).default(""),
});

/** Serves the content of an earlier revision as a new revision. */
export const restoreDaySchema = z.strictObject({
  ...seenFacts,
  /**
   * The revision whose content is served again, even when withdrawn. The default is the latest content before the
   * current one that is neither withdrawn nor damaged.
   */
  to: z.int().min(1).optional(),
});

/** Serves the current content as a new revision, even when withdrawn, but not when its pack is damaged. */
export const publishDaySchema = z.strictObject(seenFacts);

/** `changed` is false when the day was already in this state; `actor` made the latest change. */
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
  /** Codes (such as 600519.SH) that differ from the previous revision; null when there is no such revision. */
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

/** A revision in a day's history. `replacedAt` is null for the current revision. */
const dayRevisionSchema = z.strictObject({
  ...revisionFacts,
  objectKey: z.string(),
  replacedAt: z.string().nullable(),
  /** Null for packs without a builder version. */
  builderVersion: z.string().nullable(),
  /** A checksum over the SHA-256 values of all source files; null when the pack has none. */
  sourcesSha256: z.string().nullable(),
  /** The operator's withdrawal of this content, or null. */
  withdrawn: z.strictObject({ at: z.string(), by: z.string(), note: z.string() }).nullable(),
  /** The time of a failed checksum in the pack, and the error message; null when no block has failed its checksum. */
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
  /** The source of the days, shown to operators. For example a library and its version, or the name of a file. */
  source: z.string().trim().min(1).max(200),
  /** Whether a Saturday or Sunday is accepted as a trading day. */
  force: z.boolean().default(false),
});
export type CalendarChange = z.input<typeof calendarChangeSchema>;

export const calendarChangedSchema = z.strictObject({
  /** Number of days that were added, or that changed from open to closed or from closed to open. */
  changed: countSchema,
  /**
   * The last day up to which the calendar has no gap. The search for gaps begins at the newest calendar day that is not
   * after today, or at the first calendar day when all are later.
   */
  knownUntil: beijingDateSchema,
});
export type CalendarChanged = z.infer<typeof calendarChangedSchema>;

export const calendarSchema = z.strictObject({
  year: z.int(),
  days: z.array(calendarDaySchema.extend({ source: z.string() })),
  knownUntil: beijingDateSchema.nullable(),
});
export type Calendar = z.infer<typeof calendarSchema>;

/** A day with packs in R2 that can be adopted. */
export const adoptableDaySchema = z.strictObject({
  /** Absent for orders. */
  dataset: datasetSchema.optional(),
  tradedate: beijingDateSchema,
  /** The current revision; null when the day is not loaded. */
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
  /** The pack's checksum; needed only if an earlier version uploaded the object and did not store it. */
  sha256: sha256Schema.optional(),
  /** Whether the pack's build left rows out. When absent, the value from the pack's upload is used. */
  degraded: z.boolean().optional(),
  /** Publishes the pack even when the day is implausible, or when different content of the day was withdrawn. */
  force: z.boolean().default(false),
});
export type AdoptDay = z.input<typeof adoptDaySchema>;
