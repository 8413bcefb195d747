/** Admin bodies about the deployment itself: its health, its backups, its operators and the audit of what they did. */

import * as z from "zod";
import { ACTOR_KINDS, TOKEN_SCOPES } from "../entitlement/operators.ts";
import { adoptableDaySchema } from "./wire-days.ts";
import { beijingDateSchema, countSchema, sha256Schema } from "./wire-fields.ts";

/** Something an operator should know: see `upkeep/finding.ts`. */
const findingSchema = z.strictObject({
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

/** What the platform gives a request where the worker runs. */
export const placeReportSchema = z.strictObject({
  /** The caller's address as the worker is told it (`CF-Connecting-IP`), by which the drive's guard counts; null: none. */
  address: z.string().nullable(),
  /** Whether the Cache API keeps what it is given. */
  cache: answersSchema,
  /** Milliseconds of a call to each store, medians. */
  storesMs: z.strictObject({ d1: z.number(), gate: z.number(), r2: z.number() }),
});
export type PlaceReport = z.infer<typeof placeReportSchema>;

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

const scheduledRunSchema = z.strictObject({
  findings: z.array(findingSchema),
  /** Whether the webhook took them; null without findings or without a webhook. */
  told: z.boolean().nullable(),
});
export type ScheduledRun = z.infer<typeof scheduledRunSchema>;

/** Names of columns by table, in the order in which rows have their values. */
const tablesSchema = z.record(z.string(), z.array(z.string()));

/** HMAC-SHA-256 under a version of `BACKUP_SECRET`, as 64 hex digits. */
export const backupSealSchema = z.strictObject({
  version: z.int().min(0),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupSeal = z.infer<typeof backupSealSchema>;

/** Which backup it is. The seals of its pages name its id. */
export const backupIdentitySchema = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{24}$/),
  /** When it was begun, by the service's clock, Unix milliseconds. */
  takenAtMs: countSchema,
  /** Of the id, the instant and the tables; null where the service has no `BACKUP_SECRET`. */
  seal: backupSealSchema.nullable(),
});
export type BackupIdentity = z.infer<typeof backupIdentitySchema>;

/** What a backup will hold. */
export const backupPlanSchema = z.strictObject({
  version: z.string(),
  identity: backupIdentitySchema,
  /** The same before and after a backup of one moment. */
  moment: countSchema,
  /** In the order in which they are to be read. */
  order: z.array(z.string()),
  tables: tablesSchema,
});
export type BackupPlan = z.infer<typeof backupPlanSchema>;

const valueSchema = z.union([z.string(), z.number(), z.null()]);
export type BackupValue = z.infer<typeof valueSchema>;

/** Rows of one table; `next` is to be given as `after` (JSON) for those behind them, null at the end. */
export const backupPageSchema = z.strictObject({
  rows: z.array(z.array(valueSchema)),
  next: z.array(valueSchema).nullable(),
  /** Of the page in its place; null where the service has no `BACKUP_SECRET` or no backup was named. */
  seal: backupSealSchema.nullable(),
});
export type BackupPage = z.infer<typeof backupPageSchema>;

/** Opens a restore, or takes up the one of the same backup. */
export const beginRestoreSchema = z.strictObject({
  /** SHA-256 of the backup. */
  restoreId: sha256Schema,
  chunks: countSchema,
  tables: tablesSchema,
  /** Null of a backup from before there were seals. */
  identity: backupIdentitySchema.nullable().default(null),
  /** Also where the deployment holds something, which is lost. */
  force: z.boolean().default(false),
  /** Without looking at its seals: anybody may have written it. */
  unauthenticated: z.boolean().default(false),
});
export type BeginRestoreParsed = z.output<typeof beginRestoreSchema>;

/** What stays revoked, disabled, ended or cleared although the backup had it in force, or did not know it. */
const keptRevocationSchema = z.strictObject({
  kind: z.enum(["token", "account", "key", "key_end", "share", "external", "plans"]),
  subject: z.string(),
  /** RFC 3339, Beijing time. */
  at: z.string(),
});
export type KeptRevocation = z.infer<typeof keptRevocationSchema>;

/** `done`: this backup has been restored, nothing is left to do. */
export const restoreStateSchema = z.strictObject({
  state: z.enum(["open", "done"]),
  /** Numbers of the chunks that need not be sent again. */
  present: z.array(z.int().min(1)),
  /** When done: days with packs in R2 that are newer than the backup, to be adopted. */
  adoptable: z.array(adoptableDaySchema).default([]),
  kept: z.array(keptRevocationSchema).default([]),
  /** When done: whether the deployment held nothing, so that revocations since the backup are unknown. */
  overEmpty: z.boolean().default(false),
});
export type RestoreState = z.infer<typeof restoreStateSchema>;

/** Rows of one table; a page as it was sealed, unless seals are not looked at. */
export const restoreChunkSchema = z.strictObject({
  table: z.string(),
  rows: z.array(z.array(valueSchema)),
  after: z.array(valueSchema).nullable().default(null),
  next: z.array(valueSchema).nullable().default(null),
  seal: backupSealSchema.nullable().default(null),
});
export type RestoreChunk = z.infer<typeof restoreChunkSchema>;

/** Objects looked at in one request: the index rows of packs are made from them. */
export const MAX_RESTORED_OBJECTS = 20;

/** Ids of packs and files as the backup has them. */
export const restoreObjectsSchema = z.strictObject({
  objectIds: z.array(z.int().min(1)).min(1).max(MAX_RESTORED_OBJECTS),
});

export const restoredObjectsSchema = z.strictObject({
  objects: z.array(
    z.strictObject({
      objectId: z.int().min(1),
      /** Why it cannot be served from what lies in R2, as a clause; null when it can. */
      problem: z.string().nullable(),
    }),
  ),
});
export type RestoredObjects = z.infer<typeof restoredObjectsSchema>;

/** Packs that were replaced by the restore and still have index rows to be deleted. */
export const sweptSchema = z.strictObject({ left: countSchema });
export type Swept = z.infer<typeof sweptSchema>;

export { ACTOR_KINDS, TOKEN_SCOPES, type TokenScope } from "../entitlement/operators.ts";

const scopeSchema = z.enum(TOKEN_SCOPES);

export const newTokenSchema = z.strictObject({
  /** Who holds it; the audit speaks of this name, so none is given twice. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}/]+$/u, "expected printable characters without a slash"),
  /** What it opens. The least unless asked for. */
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
  /** At most an hour behind; null: never used. */
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type TokenSummary = z.infer<typeof tokenSummarySchema>;

export const tokenListSchema = z.strictObject({ tokens: z.array(tokenSummarySchema) });
export type TokenList = z.infer<typeof tokenListSchema>;

/** Newest first. `before` and `after` are JSON values that differ by action; null for nothing. */
export const auditListSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      id: z.int().min(1),
      at: z.string(),
      actorKind: z.enum(ACTOR_KINDS),
      /** The name of a token, an account's id, `ADMIN_TOKEN` or `service`: what it is, `actorKind` says. */
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
