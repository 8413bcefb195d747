/** Admin bodies about the health of a deployment. */
import * as z from "zod";
import { beijingDateSchema, countSchema } from "./wire-fields.ts";

/** Something an operator should know: see `operations/scheduled/finding.ts`. */
export const findingSchema = z.strictObject({
  check: z.string(),
  level: z.enum(["failed", "warning", "done"]),
  subject: z.string(),
  sentence: z.string(),
  advice: z.string(),
  /** The same in Chinese, of what the webhook is told. */
  zh: z.strictObject({ sentence: z.string(), advice: z.string() }).exactOptional(),
});
export type Finding = z.infer<typeof findingSchema>;

const answersSchema = z.enum(["ok", "failed"]);

/** What a deployment says of itself. No secret is in it. */
export const doctorReportSchema = z.strictObject({
  version: z.string(),
  /** The service's clock, Unix milliseconds. */
  nowMs: z.number(),
  stores: z.strictObject({
    d1: answersSchema,
    r2: answersSchema,
    gate: answersSchema,
    guard: answersSchema,
    rate: answersSchema,
  }),
  /** Names of the migrations that were applied; null when the platform's list of them is not there. */
  migrations: z.array(z.string()).nullable(),
  /** `PUBLIC_BASE_URL`; null when it is not set. */
  publicBaseUrl: z.string().nullable(),
  /** Every day that was ever loaded, ascending. */
  days: z.array(beijingDateSchema),
  findings: z.array(findingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

export const findingListSchema = z.strictObject({ findings: z.array(findingSchema) });
export type FindingList = z.infer<typeof findingListSchema>;

/** Objects that the catalog does not know, by their keys; those of the last 24 hours may be an upload's and are left out. */
export const unknownObjectsSchema = z.strictObject({
  objects: z.array(z.strictObject({ key: z.string(), sizeBytes: countSchema, uploadedAt: z.string() })),
});
export type UnknownObjects = z.infer<typeof unknownObjectsSchema>;

/** As many as one request may delete. */
export const MAX_DELETED_OBJECTS = 500;

/** Deletes objects of R2 by their keys, where the catalog does not know them; others stay. */
export const deleteObjectsSchema = z.strictObject({
  keys: z.array(z.string().min(1).max(1024)).max(MAX_DELETED_OBJECTS),
});
export type DeleteObjects = z.input<typeof deleteObjectsSchema>;

/** The index rows of a day's served pack against the index region of its object. */
export const indexReportSchema = z.strictObject({
  tradedate: beijingDateSchema,
  revision: z.int().min(1),
  securities: countSchema,
  findings: z.array(findingSchema),
});
export type IndexReport = z.infer<typeof indexReportSchema>;

/** Runs the scheduled task now; with `tell` its findings go to the webhook as they do on its own times. */
export const runScheduledSchema = z.strictObject({ tell: z.boolean().default(false) });

export type RunScheduled = z.input<typeof runScheduledSchema>;

export const scheduledRunSchema = z.strictObject({
  findings: z.array(findingSchema),
  /** Whether the webhook took them; null when there was nothing to tell, or nobody. */
  told: z.boolean().nullable(),
});
export type ScheduledRun = z.infer<typeof scheduledRunSchema>;
