/** Admin bodies of backups and restores. */
import * as z from "zod";
import { adoptableDaySchema } from "./wire-adopt.ts";
import { countSchema, sha256Schema } from "./wire-fields.ts";

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
export type BeginRestore = z.input<typeof beginRestoreSchema>;
export type BeginRestoreParsed = z.output<typeof beginRestoreSchema>;

/** What stays revoked, disabled, ended or cleared although the backup had it in force, or did not know it. */
export const keptRevocationSchema = z.strictObject({
  kind: z.enum(["token", "account", "key", "key_end", "share", "external"]),
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

export type RestoreObjects = z.infer<typeof restoreObjectsSchema>;

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
