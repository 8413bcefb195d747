/** Admin bodies about days, uploads and the trading calendar. */
import * as z from "zod";
import { beijingDateSchema, countSchema, sha256Schema } from "./wire-fields.ts";

/** Bytes of every part but the last. R2 wants equal parts; 8 MiB fit a worker's memory many times over. */
export const PART_SIZE_BYTES = 8 * 1024 * 1024;

/** R2 takes at most this many parts, so a pack is at most 78 GiB. */
export const MAX_PARTS = 10_000;

/** Header of a part upload: SHA-256 of the part's bytes, 64 hex digits. */
export const PART_SHA256_HEADER = "X-Content-SHA256";

/** Opens an upload of a whole day pack, or takes up the one that was interrupted. */
export const beginUploadSchema = z.strictObject({
  sizeBytes: z
    .int()
    .min(1)
    .max(MAX_PARTS * PART_SIZE_BYTES),
  /** Of the whole pack. */
  sha256: sha256Schema,
  /** As in the pack's index region. */
  buildId: z.string().regex(/^[0-9a-f]{32}$/, "expected 32 hex digits"),
  rows: countSchema,
  securities: countSchema,
  /** The build left broken rows out: the day is served, and marked. */
  degraded: z.boolean().default(false),
  /** Publish as a new revision even when the served revision has this very content. */
  force: z.boolean().default(false),
});
export type BeginUpload = z.input<typeof beginUploadSchema>;
export type BeginUploadParsed = z.output<typeof beginUploadSchema>;

/** A part that lies in R2 already. `n` counts from 1. */
export const storedPartSchema = z.strictObject({
  n: z.int().min(1),
  sizeBytes: countSchema,
  sha256: sha256Schema,
});
export type StoredPart = z.infer<typeof storedPartSchema>;

export const DAY_STATES = ["available", "withdrawn", "damaged"] as const;

/** The revision of a day that is served now. */
export const daySummarySchema = z.strictObject({
  tradedate: beijingDateSchema,
  revision: z.int().min(1),
  state: z.enum(DAY_STATES),
  degraded: z.boolean(),
  rows: countSchema,
  /** Securities of the index, those without orders included. */
  securities: countSchema,
  sizeBytes: countSchema,
  sha256: sha256Schema,
  buildId: z.string(),
  /** RFC 3339, Beijing time. */
  publishedAt: z.string(),
});
export type DaySummary = z.infer<typeof daySummarySchema>;

/** The missing parts are to be sent, then the upload is to be completed. */
export const uploadingSchema = z.strictObject({
  state: z.literal("uploading"),
  uploadId: z.string(),
  /** The number this content will be served under. */
  revision: z.int().min(1),
  partSizeBytes: z.int().min(1),
  partCount: z.int().min(1),
  /** Parts that need not be sent again, in order of `n`. */
  parts: z.array(storedPartSchema),
});
export type Uploading = z.infer<typeof uploadingSchema>;

/** Either send the missing parts and complete, or nothing is left to do. */
export const uploadBegunSchema = z.discriminatedUnion("state", [
  uploadingSchema,
  z.strictObject({ state: z.literal("served"), day: daySummarySchema }),
]);
export type UploadBegun = z.infer<typeof uploadBegunSchema>;

/** `newRevision` is false when this very content was served already, for example after a lost answer. */
export const publishedSchema = z.strictObject({ day: daySummarySchema, newRevision: z.boolean() });
export type Published = z.infer<typeof publishedSchema>;

export const dayListSchema = z.strictObject({ month: z.string(), days: z.array(daySummarySchema) });
export type DayList = z.infer<typeof dayListSchema>;

/** A revision of a day's history, newest first; `replacedAt` is null for the one served now. */
export const dayRevisionSchema = z.strictObject({
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
});
export type DayRevision = z.infer<typeof dayRevisionSchema>;

export const dayDetailSchema = z.strictObject({
  day: daySummarySchema,
  revisions: z.array(dayRevisionSchema),
});
export type DayDetail = z.infer<typeof dayDetailSchema>;

/** One calendar day: `open` when the exchanges trade on it. */
const calendarDaySchema = z.strictObject({ day: beijingDateSchema, open: z.boolean() });

/**
 * Sets calendar days, closed ones too: only a day that is listed is known. Days already there are
 * overwritten, others stay.
 */
export const calendarChangeSchema = z.strictObject({
  days: z
    .array(calendarDaySchema)
    .min(1)
    .max(4_000)
    .refine((days) => new Set(days.map(({ day }) => day)).size === days.length, "a day is listed twice"),
  /** Where the days come from, for the operator: a library and its version, a file's name. */
  source: z.string().trim().min(1).max(200),
});
export type CalendarChange = z.input<typeof calendarChangeSchema>;

export const calendarChangedSchema = z.strictObject({
  /** Days that are new or changed between open and closed. */
  changed: countSchema,
  /** The last day the calendar knows now. */
  knownUntil: beijingDateSchema,
});
export type CalendarChanged = z.infer<typeof calendarChangedSchema>;

export const calendarSchema = z.strictObject({
  year: z.int(),
  days: z.array(calendarDaySchema.extend({ source: z.string() })),
  knownUntil: beijingDateSchema.nullable(),
});
export type Calendar = z.infer<typeof calendarSchema>;
