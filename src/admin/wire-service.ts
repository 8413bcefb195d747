/** Admin bodies about the deployment: its health, backups, operators and audit. */

import * as z from "zod";
import { ACTOR_KINDS, TOKEN_SCOPES } from "../entitlement/operators.ts";
import { findingSchema } from "../upkeep/finding.ts";
import { adoptableDaySchema } from "./wire-days.ts";
import { beijingDateSchema, countSchema, sha256Schema } from "./wire-fields.ts";

export type { Finding } from "../upkeep/finding.ts";

const answersSchema = z.enum(["ok", "failed"]);

/** The deployment's report about itself, without secrets. */
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
  /** Names of the applied migrations; null when wrangler's table of migrations is missing. */
  migrations: z.array(z.string()).nullable(),
  /** `PUBLIC_BASE_URL`, or null. */
  publicBaseUrl: z.string().nullable(),
  /** Every day that was ever loaded, ascending. */
  days: z.array(beijingDateSchema),
  findings: z.array(findingSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

/** What the platform provides to a request at the worker's location. */
export const placeReportSchema = z.strictObject({
  /**
   * The caller's address in the header `CF-Connecting-IP`; null without the header. The guard of shares counts attempts
   * by this address.
   */
  address: z.string().nullable(),
  /** Whether the Cache API stores entries. */
  cache: answersSchema,
  /** Median milliseconds of a call to each store. */
  storesMs: z.strictObject({ d1: z.number(), gate: z.number(), r2: z.number() }),
});
export type PlaceReport = z.infer<typeof placeReportSchema>;

export const findingListSchema = z.strictObject({ findings: z.array(findingSchema) });
export type FindingList = z.infer<typeof findingListSchema>;

/**
 * Objects in R2 that are not in the catalog, sorted by key. Objects that were stored in the last 24 hours are left out,
 * because they may belong to an upload.
 */
export const unknownObjectsSchema = z.strictObject({
  objects: z.array(z.strictObject({ key: z.string(), sizeBytes: countSchema, uploadedAt: z.string() })),
});
export type UnknownObjects = z.infer<typeof unknownObjectsSchema>;

/** The maximum number of objects that one request may delete. */
export const MAX_DELETED_OBJECTS = 500;

/** Deletes the objects with these keys from R2, except those that are in the catalog or younger than a day. */
export const deleteObjectsSchema = z.strictObject({
  keys: z.array(z.string().min(1).max(1024)).max(MAX_DELETED_OBJECTS),
});

/** The differences between the index rows of a day's served pack and the index region of its object. */
export const indexReportSchema = z.strictObject({
  tradedate: beijingDateSchema,
  revision: z.int().min(1),
  securities: countSchema,
  findings: z.array(findingSchema),
});
export type IndexReport = z.infer<typeof indexReportSchema>;

/** Runs the scheduled task now. With `tell`, its findings are also sent to the webhook. */
export const runScheduledSchema = z.strictObject({ tell: z.boolean().default(false) });

const scheduledRunSchema = z.strictObject({
  findings: z.array(findingSchema),
  /** Whether the webhook accepted the findings; null without findings or without a webhook. */
  told: z.boolean().nullable(),
});
export type ScheduledRun = z.infer<typeof scheduledRunSchema>;

/** The names of each table's columns, in the order of the values in its rows. */
const tablesSchema = z.record(z.string(), z.array(z.string()));

/** HMAC-SHA-256 under a version of `BACKUP_SECRET`, as 64 hex digits. */
export const backupSealSchema = z.strictObject({
  version: z.int().min(0),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupSeal = z.infer<typeof backupSealSchema>;

/** Identifies a backup. The seal of each page also covers this `id`. */
export const backupIdentitySchema = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{24}$/),
  /** When the backup began, by the service's clock, Unix milliseconds. */
  takenAtMs: countSchema,
  /** The seal over the id, the time and the tables; null when the service has no `BACKUP_SECRET`. */
  seal: backupSealSchema.nullable(),
});
export type BackupIdentity = z.infer<typeof backupIdentitySchema>;

/** The content of a backup, and the order in which its tables are read. */
export const backupPlanSchema = z.strictObject({
  version: z.string(),
  identity: backupIdentitySchema,
  /**
   * A number that changes with every audited change. The backup is consistent if the number is the same before and
   * after the backup is read.
   */
  moment: countSchema,
  /** The tables in the order in which to read them. */
  order: z.array(z.string()),
  tables: tablesSchema,
});
export type BackupPlan = z.infer<typeof backupPlanSchema>;

const valueSchema = z.union([z.string(), z.number(), z.null()]);
export type BackupValue = z.infer<typeof valueSchema>;

/** Rows of one table. `next`, as JSON, is `after` of the request for the following rows; null at the table's end. */
export const backupPageSchema = z.strictObject({
  rows: z.array(z.array(valueSchema)),
  next: z.array(valueSchema).nullable(),
  /**
   * The seal of the rows and of the page's position. Null when the service has no `BACKUP_SECRET`, or when the request
   * did not name a backup.
   */
  seal: backupSealSchema.nullable(),
});
export type BackupPage = z.infer<typeof backupPageSchema>;

/** Opens a restore, or resumes the open restore of the same backup. */
export const beginRestoreSchema = z.strictObject({
  /** SHA-256 of the backup. */
  restoreId: sha256Schema,
  chunks: countSchema,
  tables: tablesSchema,
  /** The backup's identity; null for a backup of an earlier version, which has no seals. */
  identity: backupIdentitySchema.nullable().default(null),
  /** Restores even when the deployment contains data, which is then lost. */
  force: z.boolean().default(false),
  /** Restores without verifying seals, so anyone may have written the backup. */
  unauthenticated: z.boolean().default(false),
});

/** A revocation or other change that stays in force although the backup contains the state before it. */
const keptRevocationSchema = z.strictObject({
  kind: z.enum(["token", "account", "key", "key_end", "share", "external", "plans"]),
  subject: z.string(),
  /** RFC 3339, Beijing time. */
  at: z.string(),
});
export type KeptRevocation = z.infer<typeof keptRevocationSchema>;

/** `done`: this backup has been restored. */
export const restoreStateSchema = z.strictObject({
  state: z.enum(["open", "done"]),
  /** Numbers of the chunks that are already stored. */
  present: z.array(z.int().min(1)),
  /** Days whose packs in R2 are newer than the backup and can be adopted; set when the restore is done. */
  adoptable: z.array(adoptableDaySchema).default([]),
  kept: z.array(keptRevocationSchema).default([]),
  /**
   * Whether the deployment was empty before the restore; set when the restore is done. If it was empty, revocations
   * after the backup are unknown.
   */
  overEmpty: z.boolean().default(false),
});
export type RestoreState = z.infer<typeof restoreStateSchema>;

/** Rows of one table. When seals are verified, `rows` must be exactly the rows of one sealed page. */
export const restoreChunkSchema = z.strictObject({
  table: z.string(),
  rows: z.array(z.array(valueSchema)),
  after: z.array(valueSchema).nullable().default(null),
  next: z.array(valueSchema).nullable().default(null),
  seal: backupSealSchema.nullable().default(null),
});
export type RestoreChunk = z.infer<typeof restoreChunkSchema>;

/** The maximum number of objects in one request. It is small, because the index rows of every pack are rebuilt. */
export const MAX_RESTORED_OBJECTS = 20;

/** Ids of packs and files in the backup. */
export const restoreObjectsSchema = z.strictObject({
  objectIds: z.array(z.int().min(1)).min(1).max(MAX_RESTORED_OBJECTS),
});

export const restoredObjectsSchema = z.strictObject({
  objects: z.array(
    z.strictObject({
      objectId: z.int().min(1),
      /** The reason why the object cannot be served from R2, as a clause; null when it can. */
      problem: z.string().nullable(),
    }),
  ),
});
export type RestoredObjects = z.infer<typeof restoredObjectsSchema>;

/** Number of replaced packs whose index rows still have to be deleted after a restore. */
export const sweptSchema = z.strictObject({ left: countSchema });
export type Swept = z.infer<typeof sweptSchema>;

export { ACTOR_KINDS, TOKEN_SCOPES, type TokenScope } from "../entitlement/operators.ts";

const scopeSchema = z.enum(TOKEN_SCOPES);

export const newTokenSchema = z.strictObject({
  /** The holder's name. A name is never reused, because the audit refers to it. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}/]+$/u, "expected printable characters without a slash"),
  /** The scope; `read` by default. */
  scope: scopeSchema.default("read"),
});

/** The only answer that ever contains a token. */
export const issuedTokenSchema = z.strictObject({
  name: z.string(),
  scope: scopeSchema,
  token: z.string(),
});
export type IssuedToken = z.infer<typeof issuedTokenSchema>;

export const tokenSummarySchema = z.strictObject({
  name: z.string(),
  scope: scopeSchema,
  firstCharacters: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  /** The last recorded use, at most an hour before the actual one; null when the token was never used. */
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type TokenSummary = z.infer<typeof tokenSummarySchema>;

export const tokenListSchema = z.strictObject({ tokens: z.array(tokenSummarySchema) });
export type TokenList = z.infer<typeof tokenListSchema>;

/**
 * The entries of the audit, newest first. `before` and `after` are JSON values whose form depends on the action. A
 * value that does not exist is null.
 */
export const auditListSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      id: z.int().min(1),
      at: z.string(),
      actorKind: z.enum(ACTOR_KINDS),
      /** The name of a token, an account's id, `ADMIN_TOKEN` or `service`, according to `actorKind`. */
      actor: z.string(),
      /** `<noun>.<verb>`. */
      action: z.string(),
      subject: z.string(),
      before: z.unknown(),
      after: z.unknown(),
    }),
  ),
});
export type AuditList = z.infer<typeof auditListSchema>;
