/**
 * `/admin/backup` and `/admin/restores`: send the catalog page by page for the operator's backup file, and receive a
 * backup in chunks. A restore rebuilds the index rows of the backup's packs from R2. The last step of a restore
 * replaces the catalog. Every step can be repeated.
 */
import * as z from "zod";
import { randomBase62 } from "../base/base62.ts";
import { parsedJson } from "../base/json.ts";
import { ok, refused } from "../base/result.ts";
import { sameText } from "../base/same-text.ts";
import { BACKUP_TABLES, type BackupTable, backupMoment, backupPage, tablesInUse } from "../catalog/backup.ts";
import * as catalog from "../catalog/restores.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";
import { settingsOf, VERSION } from "../env.ts";
import { parsePackObjectKey } from "../packs/layout.ts";
import { keyedHash } from "../shares/credentials.ts";
import { checkBytes, rebuildIndex } from "./arrival.ts";
import { type AdminContext, bodyOf, byOf, queryOf, type Routes, readable, reading } from "./context.ts";
import { adoptableDays } from "./day-publishing.ts";
import type { AdminRefusal, Answered, SealProblem } from "./refusal.ts";
import { type Stores, storesOf } from "./uploads.ts";
import * as wire from "./wire.ts";
import { textOf } from "./wire-fields.ts";

/** The length of a backup's id: 24 base62 characters hold 142 random bits. */
const ID_LENGTH = 24;

const keySchema = z.array(z.union([z.string(), z.number()])).min(1);

const pageQuerySchema = z.object({
  backup: wire.backupIdentitySchema.shape.id.optional(),
  after: textOf(
    (text) => keySchema.safeParse(parsedJson(text)).data ?? null,
    "the key of a row as JSON",
  ).optional(),
});

async function plan(c: AdminContext): Promise<Answered<wire.BackupPlan>> {
  const tables = Object.fromEntries(BACKUP_TABLES.map(({ name, columns }) => [name, [...columns]]));
  const named = { id: randomBase62(ID_LENGTH), takenAtMs: byOf(c).nowMs };
  const seal = sealOf(c, headText(named, tables));
  return ok({
    version: VERSION,
    identity: { ...named, seal },
    moment: await backupMoment(c.env.DB),
    // A table is read before the tables that its rows refer to. Referenced rows are never deleted, so
    // they still exist when their own table is read.
    order: BACKUP_TABLES.map(({ name }) => name).reverse(),
    tables,
  });
}

/** Returns the table that the path names, or a refusal. */
async function tableOf(c: AdminContext): Promise<Answered<BackupTable>> {
  const table = BACKUP_TABLES.find(({ name }) => name === c.req.param("table"));
  return table === undefined ? refused({ reason: "absent", what: "such table in a backup" }) : ok(table);
}

const page = reading([tableOf, queryOf(pageQuerySchema)], async (c, table, { backup, after = null }) => {
  if (after !== null && after.length !== table.key.length) {
    const problem = `the key must have ${table.key.length} values`;
    return refused({ reason: "malformed", what: "after", place: "", problem });
  }
  const page = await backupPage(c.env.DB, table, after);
  if (backup === undefined) return ok<wire.BackupPage>({ ...page, seal: null });
  const text = pageText(backup, table.columns, { table: table.name, after, ...page });
  return ok<wire.BackupPage>({ ...page, seal: sealOf(c, text) });
});

const begin = reading([bodyOf(wire.beginRestoreSchema)], async (c, body) => {
  const db = c.env.DB;
  const { restoreId, force, unauthenticated, identity, tables } = body;
  const problem = misfit(tables);
  if (problem !== null) return refused({ reason: "backup_unfit", problem });
  if (!unauthenticated) {
    const sealed = identity && { text: headText(identity, tables), seal: identity.seal };
    const unsealed = sealRefusal(c, "The backup", sealed);
    if (unsealed !== null) return refused(unsealed);
  }
  const backupId = unauthenticated ? null : (identity?.id ?? null);
  const known = await catalog.findRestore(db, restoreId);
  // The command may ask again because it did not receive the last answer. Repeating the restore would change nothing.
  if (known?.state === "done" && !force) return ok(await done(c, known));
  const holds = await tablesInUse(db);
  if (holds.length > 0 && !force) return refused({ reason: "not_empty", holds });
  if (known?.state === "open" && known.backupId === backupId) {
    return ok(openState(await catalog.restoreChunks(db, restoreId)));
  }
  await catalog.beginRestore(db, { ...body, backupId, overEmpty: holds.length === 0 }, byOf(c).nowMs);
  return ok(openState([]));
});

function openState(present: number[]): wire.RestoreState {
  return { state: "open", present, adoptable: [], kept: [], overEmpty: false };
}

/** Returns why this service cannot restore a backup with these tables, as a clause, or null. */
function misfit(tables: catalog.Restore["tables"]): string | null {
  for (const [name, columns] of Object.entries(tables)) {
    const table = BACKUP_TABLES.find((each) => each.name === name);
    if (table === undefined) return `it has a table ${name}, which this version does not support`;
    const strange = columns.find((column) => !table.columns.includes(column));
    if (strange !== undefined)
      return `its table ${name} has a column ${strange}, which this version does not support`;
    const needed = [...table.key, ...(table.id === undefined ? [] : [table.id])];
    const lacking = needed.find((column) => !columns.includes(column) && !table.defaulted?.includes(column));
    if (lacking !== undefined) return `its table ${name} has no column ${lacking}`;
  }
  return null;
}

async function restoreOf(c: AdminContext): Promise<Answered<catalog.Restore>> {
  const restore = await catalog.findRestore(c.env.DB, c.req.param("id") ?? "");
  if (restore !== null) return ok(restore);
  return refused({ reason: "absent", what: "restore of this backup; begin again" });
}

const openRestore = reading([restoreOf], (_, restore): Answered<catalog.Restore> => {
  if (restore.state === "open") return ok(restore);
  return refused({ reason: "absent", what: "open restore of this backup" });
});

const putChunk = reading([openRestore, bodyOf(wire.restoreChunkSchema)], async (c, restore, body) => {
  const asked = c.req.param("n");
  const n = Number(asked);
  if (!Number.isInteger(n) || n < 1 || n > restore.chunks) {
    const what = `chunk ${asked}: the restore has chunks 1 to ${restore.chunks}`;
    return refused({ reason: "absent", what });
  }
  const columns = restore.tables[body.table];
  if (columns === undefined || body.rows.some((row) => row.length !== columns.length)) {
    const problem = `the columns of chunk ${n} differ from those of the backup's table ${body.table}`;
    return refused({ reason: "backup_unfit", problem });
  }
  if (restore.backupId !== null) {
    const sealed = { text: pageText(restore.backupId, columns, body), seal: body.seal };
    const unsealed = sealRefusal(c, `Page ${n} (${body.table})`, sealed);
    if (unsealed !== null) return refused(unsealed);
  }
  await catalog.addRestoreChunk(c.env.DB, restore.restoreId, { n, ...body });
  return ok(openState([n]));
});

/** Looks up the objects of packs and files in R2, and rebuilds the index rows of the packs that it finds. */
const lookForObjects = reading(
  [openRestore, bodyOf(wire.restoreObjectsSchema)],
  async (c, restore, { objectIds }) => {
    const db = c.env.DB;
    const ready = await catalog.readyObjects(db, restore.restoreId, objectIds);
    const objects: wire.RestoredObjects["objects"] = [...ready].map((objectId) => ({
      objectId,
      problem: null,
    }));
    const waiting = objectIds.filter((objectId) => !ready.has(objectId));
    for (const object of await catalog.restoredObjects(db, restore, waiting)) {
      const { objectId, kind, objectKey } = object;
      const pack = { ...object, packId: objectId + restore.idShift };
      const dataset = parsePackObjectKey(objectKey)?.dataset ?? "orders";
      const stores = storesOf(c);
      const found = await (kind === "pack" ? rebuildIndex(stores, pack, dataset) : wholeFile(stores, object));
      if (!("problem" in found))
        await catalog.markReady(db, restore.restoreId, { objectId, etag: found.etag });
      objects.push({ objectId, problem: "problem" in found ? found.problem : null });
    }
    return ok<wire.RestoredObjects>({ objects });
  },
);

/**
 * Returns the etag of a file's object in R2, or why the object cannot be used. If the object's etag or size differs
 * from the backup, the object may have been copied to R2, so its content is read and verified.
 */
async function wholeFile(
  { bucket }: Pick<Stores, "bucket">,
  file: { objectKey: string; sizeBytes: number; etag: string; sha256: string },
): Promise<{ etag: string } | { problem: string }> {
  const head = await bucket.head(file.objectKey);
  if (head === null) return { problem: "its object is not in R2" };
  const { etag } = head;
  if (etag === file.etag && head.size === file.sizeBytes) return { etag };
  return (await checkBytes(bucket, { upload: file, etag })) ?? { etag };
}

const complete = reading([restoreOf], async (c, restore) => {
  const { restoreId, chunks, backupId } = restore;
  if (restore.state === "open") {
    const { length } = await catalog.restoreChunks(c.env.DB, restoreId);
    if (length < chunks) return refused({ reason: "restore_incomplete", missing: chunks - length });
    const [broken] = backupId === null ? [] : await catalog.brokenTables(c.env.DB, restore);
    if (broken !== undefined) {
      const what = `The table ${broken} of the backup`;
      return refused({ reason: "backup_unauthenticated", problem: "edited", what });
    }
    await catalog.completeRestore(c.env.DB, restore, byOf(c));
  }
  return ok(await done(c, (await catalog.findRestore(c.env.DB, restoreId)) ?? restore));
});

/** Returns the state of a finished restore, with the packs in R2 that the restored catalog lacks. */
async function done(c: AdminContext, { kept, overEmpty }: catalog.Restore): Promise<wire.RestoreState> {
  return {
    state: "done",
    present: [],
    adoptable: (await Promise.all(DATASET_NAMES.map((name) => adoptableDays(storesOf(c), name)))).flat(),
    kept: readable(kept),
    overEmpty,
  };
}

async function sweep(c: AdminContext): Promise<Answered<wire.Swept>> {
  return ok({ left: await catalog.sweepIndexRows(c.env.DB) });
}

type Columns = BackupTable["columns"];

/**
 * Returns the text that the seal of a backup's head covers. The head is the backup's id, its time and its tables.
 * `tables` maps the name of each table to the table's columns.
 */
function headText(
  { id, takenAtMs }: Pick<wire.BackupIdentity, "id" | "takenAtMs">,
  tables: Readonly<Record<string, Columns>>,
): string {
  return JSON.stringify(["edgetape backup", id, takenAtMs, Object.entries(tables)]);
}

/**
 * Returns the text that the seal of a page covers. `after` is the key of the last row before the page; null at the
 * start of the table. `next` is the key of the page's last row; null at the end of the table.
 */
export function pageText(
  backupId: string,
  columns: Columns,
  { table, after, next, rows }: Pick<wire.RestoreChunk, "table" | "after" | "next" | "rows">,
): string {
  return JSON.stringify(["edgetape backup page", backupId, table, columns, after, next, rows]);
}

/** Returns the seal of `text` under the current version of `BACKUP_SECRET`; null without this setting. */
function sealOf(c: AdminContext, text: string): wire.BackupSeal | null {
  const { BACKUP_SECRET: secrets } = settingsOf(c.env);
  const secret = secrets?.secrets.get(secrets.current);
  if (secrets === undefined || secret === undefined) return null;
  return { version: secrets.current, mac: keyedHash(secret, text) };
}

/** Returns the refusal of `what`, a backup or a page, whose `seal` is absent or not valid for `text`; else null. */
function sealRefusal(
  c: AdminContext,
  what: string,
  sealed: { text: string; seal: wire.BackupSeal | null } | null,
): AdminRefusal | null {
  const { text, seal } = sealed ?? { text: "", seal: null };
  const refusal = (problem: SealProblem) => ({ reason: "backup_unauthenticated", what, problem }) as const;
  if (seal === null) return refusal("unsealed");
  const secret = settingsOf(c.env).BACKUP_SECRET?.secrets.get(seal.version);
  if (secret === undefined) return refusal("no_secret");
  return sameText(keyedHash(secret, text), seal.mac) ? null : refusal("edited");
}

/** Backups need `admin`, because they contain hashes of keys and encrypted passwords. */
export const BACKUP_ROUTES: Routes = {
  "GET /backup": ["admin", plan],
  "GET /backup/:table": ["admin", page],
  "POST /restores": ["admin", begin],
  "POST /restores/sweep": ["admin", sweep],
  "PUT /restores/:id/chunks/:n": ["admin", putChunk],
  "POST /restores/:id/objects": ["admin", lookForObjects],
  "POST /restores/:id/complete": ["admin", complete],
};
