/**
 * Restores a backup: its rows are stored in chunks, its packs' index rows are loaded under new ids, and one transaction
 * replaces everything. Instants are Unix milliseconds.
 */
import { LAST_STORABLE_MS } from "../calendar/instant.ts";
import type { By } from "./accounts.ts";
import { BACKUP_TABLES, type BackupTable } from "./backup.ts";
import { keepDecisions, OBJECT_ABSENT, rememberSeen, tellSeen } from "./restore-marks.ts";
import { appendAudit, type KeptRevocation, rememberRevoked, revokeAgain } from "./restore-revocations.ts";
import { column, decoded, part, plain, sql, type Value } from "./sql.ts";

/**
 * The gap between the highest existing id and the ids of restored rows. Uploads that begin during the restore get ids
 * in this gap.
 */
const ID_GAP = 1_000_000;

/** The maximum number of packs whose index rows are deleted in one call; each has thousands of rows. */
const SWEPT_AT_ONCE = 20;

export interface Restore {
  restoreId: string;
  state: "open" | "done";
  idShift: number;
  chunks: number;
  /** The backup's columns by table. */
  tables: Record<string, string[]>;
  /** The identity of the backup that its seals contain; null when the seals are not verified. */
  backupId: string | null;
  /** Whether the deployment was empty when the restore began. */
  overEmpty: boolean;
  /** The revocations and changes that stay in force although the backup lacks them. Set once the restore is done. */
  kept: KeptRevocation[];
}

/** Returns the restore with this id, which is the SHA-256 of its backup, or null. */
export async function findRestore(db: D1Database, restoreId: string): Promise<Restore | null> {
  const row = await sql(db)`
    SELECT restore_id AS restoreId, state, id_shift AS idShift, chunks, tables, backup_id AS backupId,
      over_empty AS overEmpty, kept
    FROM restores WHERE restore_id = ${restoreId}`.first();
  return row && decoded<Restore>(row, ["tables", "kept"], ["overEmpty"]);
}

/** A new restore. */
export type NewRestore = Pick<Restore, "restoreId" | "chunks" | "tables"> &
  Partial<Pick<Restore, "backupId" | "overEmpty">>;

/** Opens a restore. Deletes any other open restore and the chunks that it had received. */
export async function beginRestore(db: D1Database, restore: NewRestore, nowMs: number): Promise<void> {
  const { restoreId, chunks, tables, backupId = null, overEmpty = false } = restore;
  await db.batch([
    sql(db)`DELETE FROM restore_chunks`,
    sql(db)`DELETE FROM restore_objects`,
    sql(db)`DELETE FROM restores WHERE restore_id = ${restoreId} OR state = 'open'`,
    sql(db)`
      INSERT INTO restores (restore_id, state, id_shift, chunks, tables, begun_at_ms, backup_id, over_empty)
      SELECT ${restoreId}, 'open', ${ID_GAP} + max(
        (SELECT coalesce(max(object_id), 0) FROM uploads),
        (SELECT coalesce(max(pack_id), 0) FROM day_packs),
        (SELECT coalesce(max(file_id), 0) FROM day_files),
        (SELECT coalesce(max(pack_id), 0) FROM day_securities)),
        ${chunks}, ${JSON.stringify(tables)}, ${nowMs}, ${backupId}, ${overEmpty ? 1 : 0}`,
  ]);
}

/** Returns the numbers (from 1) of the stored chunks. */
export async function restoreChunks(db: D1Database, restoreId: string): Promise<number[]> {
  return column<number>(sql(db)`
    SELECT n FROM restore_chunks WHERE restore_id = ${restoreId} ORDER BY n`);
}

export interface NewChunk {
  n: number;
  table: string;
  /** The key of the last row before a sealed page; null at the start of the table. */
  after?: Value[] | null;
  /** The key of the last row of a sealed page; null at the end of the table. */
  next?: Value[] | null;
  rows: Value[][];
}

/** Stores chunk `n` of an open restore. Idempotent. */
export async function addRestoreChunk(db: D1Database, restoreId: string, chunk: NewChunk): Promise<void> {
  const { n, table, after = null, next = null, rows } = chunk;
  const keyOf = (key: Value[] | null) => key && JSON.stringify(key);
  await sql(db)`
    INSERT OR REPLACE INTO restore_chunks (restore_id, n, table_name, rows, after_key, next_key)
    SELECT ${restoreId}, ${n}, ${table}, ${JSON.stringify(rows)}, ${keyOf(after)}, ${keyOf(next)}
    FROM restores WHERE restore_id = ${restoreId} AND state = 'open'`.run();
}

/** Returns the tables of the restore whose pages are incomplete or not consecutive. */
export async function brokenTables(db: D1Database, { restoreId, tables }: Restore): Promise<string[]> {
  const { results } = await sql(db)`
    SELECT table_name AS name, after_key AS after, next_key AS next
    FROM restore_chunks WHERE restore_id = ${restoreId} ORDER BY n`.all<{
    name: string;
    after: string | null;
    next: string | null;
  }>();
  return Object.keys(tables).filter((name) => {
    const pages = results.filter((page) => page.name === name);
    const follows = pages.every(({ after }, place) => after === (pages[place - 1]?.next ?? null));
    const ends = pages.map(({ next }) => next).indexOf(null) === pages.length - 1;
    return pages.length === 0 || !follows || !ends;
  });
}

/** A pack or file of the backup, with its id in the backup. */
export interface RestoredObject {
  objectId: number;
  kind: "pack" | "file";
  objectKey: string;
  sizeBytes: number;
  etag: string;
  sha256: string;
  /** The pack's build id; empty for files. */
  buildId: string;
}

/** Returns, from the restore's chunks, the packs and files that have these ids in the backup. */
export async function restoredObjects(
  db: D1Database,
  restore: Restore,
  objectIds: number[],
): Promise<RestoredObject[]> {
  const select = (name: "day_packs" | "day_files", kind: RestoredObject["kind"]) => {
    const columns = restore.tables[name] ?? [];
    const of = (column: string) =>
      columns.includes(column) ? `row.value ->> ${columns.indexOf(column)}` : "''";
    return `SELECT ${of(name === "day_packs" ? "pack_id" : "file_id")} AS objectId, '${kind}' AS kind,
        ${of("object_key")} AS objectKey, ${of("size_bytes")} AS sizeBytes, ${of("etag")} AS etag,
        ${of("sha256")} AS sha256, ${of("build_id")} AS buildId
      FROM restore_chunks c, json_each(c.rows) row WHERE c.restore_id = ?1 AND c.table_name = '${name}'`;
  };
  const { results } = await db
    .prepare(
      `SELECT * FROM (${select("day_packs", "pack")} UNION ALL ${select("day_files", "file")})
       WHERE objectId IN (SELECT value FROM json_each(?2))`,
    )
    .bind(restore.restoreId, JSON.stringify(objectIds))
    .all<RestoredObject>();
  return results;
}

/** Returns those of `objectIds` that `markReady` has recorded. */
export async function readyObjects(
  db: D1Database,
  restoreId: string,
  objectIds: number[],
): Promise<Set<number>> {
  return new Set(
    await column<number>(sql(db)`
    SELECT object_id AS id FROM restore_objects
    WHERE restore_id = ${restoreId}
      AND object_id IN (SELECT value FROM json_each(${JSON.stringify(objectIds)}))`),
  );
}

/** Records that the object is complete in R2 with this etag. */
export async function markReady(
  db: D1Database,
  restoreId: string,
  { objectId, etag }: { objectId: number; etag: string },
): Promise<void> {
  await sql(db)`
    INSERT OR REPLACE INTO restore_objects (restore_id, object_id, etag)
    VALUES (${restoreId}, ${objectId}, ${etag})`.run();
}

/** Tables that are emptied too, because their rows refer to replaced rows. */
const GO_TOO = ["console_sessions", "console_invites", "refusals"];

/**
 * Replaces the catalog with the backup in one transaction. A day whose pack is not in R2 is not served, a file whose
 * object is missing is withdrawn, and open uploads end. Idempotent.
 */
export async function completeRestore(db: D1Database, restore: Restore, by: By): Promise<void> {
  const { restoreId, idShift } = restore;
  const open = "EXISTS (SELECT 1 FROM restores WHERE restore_id = ?1 AND state = 'open')";
  const prepare = (sql: string) => db.prepare(sql).bind(restoreId);
  const present = BACKUP_TABLES.filter(({ name }) => name in restore.tables && name !== "audit");
  await db.batch([
    ...[...rememberSeen(open), ...rememberRevoked(open, restore.tables.audit)].map(prepare),
    ...[...GO_TOO, ...REPLACED.map(({ name }) => name).reverse()].map((name) =>
      prepare(`DELETE FROM ${name} WHERE ${open}`),
    ),
    db.prepare(`DELETE FROM pack_markets WHERE pack_id <= ?2 AND ${open}`).bind(restoreId, idShift),
    ...present.map((table) => prepare(insertOf(table, restore, open))),
    ...[...OPEN_UPLOADS_GO, ...presentEtags(restore), ...BOUNDED_ENDS].map((sql) =>
      prepare(`${sql} AND ${open}`),
    ),
    // `keepDecisions` comes after `appendAudit`, because it takes the names and times of earlier withdrawals from the
    // audit.
    ...[...appendAudit(restore.tables, open), ...keepDecisions(open)].map(prepare),
    ...tellSeen(open, by.nowMs).map(prepare),
    ...revokeAgain(open).map(prepare),
    auditOf(db, restore, by),
    sql(db)`
      UPDATE restores SET state = 'done', done_at_ms = ${by.nowMs}
      WHERE restore_id = ${restoreId} AND state = 'open'`,
    prepare("DELETE FROM restore_chunks WHERE restore_id = ?1"),
    prepare("DELETE FROM restore_objects WHERE restore_id = ?1"),
  ]);
}

/** Returns the statement that writes the restore's own audit entry, which lists the kept revocations. */
function auditOf(db: D1Database, { restoreId, idShift, backupId }: Restore, by: By): D1PreparedStatement {
  return sql(db)`
    INSERT INTO audit (at_ms, actor_kind, actor, action, subject, after)
    SELECT ${by.nowMs}, ${by.actor.kind}, ${by.actor.name}, 'backup.restore', ${restoreId},
      json_object('idShift', ${idShift}, 'authenticated', json(${String(backupId !== null)}),
        'kept', json(kept))
    FROM restores WHERE restore_id = ${restoreId} AND state = 'open'`;
}

/**
 * The tables that keep their rows and also receive the backup's: issued numbers (`rememberSeen`), decisions
 * (`keepDecisions`) and usage. The clause decides which values remain where both have a row with the same key.
 */
const KEPT: Record<string, string> = {
  revision_floors: "ON CONFLICT (target) DO UPDATE SET revision = max(revision, excluded.revision)",
  withdrawals: "ON CONFLICT (target, content) DO NOTHING",
  damaged_packs: "ON CONFLICT (object_key) DO NOTHING",
  usage: `ON CONFLICT (day, account_id, service) DO UPDATE SET requests = max(requests, excluded.requests),
    files = max(files, excluded.files), bytes = max(bytes, excluded.bytes)`,
};

/** The tables whose rows the backup replaces. The audit is not one of them, because entries are only appended to it. */
const REPLACED = BACKUP_TABLES.filter(({ name }) => !(name in KEPT) && name !== "audit");

/** Statements that end open uploads: R2 may have lost their parts, and their numbers may have been issued again. */
const OPEN_UPLOADS_GO = [
  "DELETE FROM upload_parts WHERE TRUE",
  "DELETE FROM uploads WHERE state IN ('uploading', 'completing')",
];

/** Older backups can contain end times beyond the storable range (migration 0015). */
const BOUNDED_ENDS = [
  `UPDATE subscriptions SET end_ms = max(start_ms + 1, ${LAST_STORABLE_MS}) WHERE end_ms > ${LAST_STORABLE_MS}`,
  ...["api_keys", "external_shares"].map(
    (table) =>
      `UPDATE ${table} SET expires_at_ms = ${LAST_STORABLE_MS} WHERE expires_at_ms > ${LAST_STORABLE_MS}`,
  ),
];

function insertOf({ name, id }: BackupTable, { tables, idShift }: Restore, open: string): string {
  const columns = tables[name] ?? [];
  const values = columns.map((column, n) =>
    column === id ? `(row.value ->> ${n}) + ${idShift}` : `row.value ->> ${n}`,
  );
  const idAt = `row.value ->> ${columns.indexOf(id ?? "")}`;
  const served = name === "order_days" ? `AND ${idAt} IN (${READY})` : "";
  return `INSERT INTO ${name} (${columns.join(", ")}) SELECT ${values.join(", ")}
    FROM restore_chunks c, json_each(c.rows) row
    WHERE c.restore_id = ?1 AND c.table_name = '${name}' ${served} AND ${open}
    ${KEPT[name] ?? ""}`;
}

const READY = "SELECT object_id FROM restore_objects WHERE restore_id = ?1";

/** Returns statements that set the etags of copied objects and withdraw files whose object is missing. */
function presentEtags({ idShift }: Restore): string[] {
  const etag = (id: string) =>
    `(SELECT o.etag FROM restore_objects o WHERE o.restore_id = ?1 AND o.object_id = ${id} - ${idShift})`;
  return [
    `UPDATE day_packs SET etag = ${etag("pack_id")} WHERE pack_id - ${idShift} IN (${READY})`,
    `UPDATE day_files SET etag = ${etag("file_id")} WHERE file_id - ${idShift} IN (${READY})`,
    `UPDATE day_files SET state = 'withdrawn', state_note = '${OBJECT_ABSENT}'
     WHERE state = 'published' AND replaced_at_ms IS NULL AND file_id - ${idShift} NOT IN (${READY})`,
  ];
}

/** Selects the id of every pack with index rows, without reading all of its thousands of rows. */
const INDEXED_PACKS = part`
  WITH RECURSIVE packs (id) AS (
    SELECT min(pack_id) FROM day_securities
    UNION ALL
    SELECT (SELECT min(pack_id) FROM day_securities WHERE pack_id > id) FROM packs WHERE id IS NOT NULL)`;

/**
 * Deletes index rows that restores left behind, for at most `SWEPT_AT_ONCE` packs that are no longer in the catalog.
 * Rows of an open restore stay. Returns the number of packs that remain.
 */
export async function sweepIndexRows(db: D1Database): Promise<number> {
  const { results } = await sql(db)`
    ${INDEXED_PACKS} SELECT id FROM packs
    WHERE id NOT IN (SELECT pack_id FROM day_packs) AND id NOT IN (SELECT object_id FROM uploads)
      AND id <= coalesce((SELECT id_shift FROM restores WHERE state = 'open'), id)`.all<{ id: number }>();
  const packs = JSON.stringify(results.slice(0, SWEPT_AT_ONCE).map(({ id }) => id));
  const sweep = (table: string) =>
    sql(db)`DELETE FROM ${plain(table)} WHERE pack_id IN (SELECT value FROM json_each(${packs}))`;
  await db.batch([sweep("day_securities"), sweep("pack_markets")]);
  return Math.max(0, results.length - SWEPT_AT_ONCE);
}
