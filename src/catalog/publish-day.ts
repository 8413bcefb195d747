/**
 * Changes what a day serves, each time in one transaction: a new pack goes live, an earlier pack is served again, a day
 * is withdrawn or marked as damaged.
 */
import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { By } from "./accounts.ts";
import { audited, auditStatement } from "./audit.ts";
import { revisionChangeStatement, strikeChangeStatement } from "./day-changes.ts";
import { type DatasetDay, ofDay } from "./days.ts";
import { allowedSql, packServed, servedStatement, soundSql, withdrawStatements } from "./decisions.ts";
import type { DayState, SectionRow } from "./order-day.ts";
import { type Part, part, sql } from "./sql.ts";
import type { Upload } from "./uploads.ts";

/** What the operator claims about a pack before sending it, in addition to size and checksum. */
export interface PackClaims {
  buildId: string;
  rows: number;
  securities: number;
  degraded: boolean;
  /** What a degraded build lacks, as a clause; absent when the publisher did not say. */
  shortfall?: string;
  /** The result of the builder's quality check; absent when none ran. */
  quality?: PackQuality;
}

/** The result of the builder's quality check for the day of a pack. */
export interface PackQuality {
  verdict: "passed" | "failed" | "not_provable";
  /** The verdict and the first failed checks, as text without a full stop. */
  summary: string;
  /** Numbers of securities by check. Earlier builders do not send them. */
  checks?: Record<string, CheckCounts> | undefined;
}

/** Numbers of securities by result of a check: passed, failed, or not provable from the data. */
export interface CheckCounts {
  passed: number;
  failed: number;
  not_provable: number;
}

/** Returns the upload target of a day's pack: `<dataset>/<date>`. */
export function packTarget({ dataset, tradedate }: DatasetDay): string {
  return `${dataset}/${tradedate}`;
}

/** Returns the name of a dataset's day in the audit: for orders the day alone, as before other datasets existed. */
export function daySubject(day: DatasetDay): string {
  return day.dataset === "orders" ? day.tradedate : packTarget(day);
}

/** The maximum number of characters in a chunk: half of what D1 accepts, because lists of blocks can be long. */
const CHUNK_CHARACTERS = 1_000_000;

/**
 * Loads the index rows of a pack and their sums by exchange in one batch. Rows are passed as JSON and blocks as hex,
 * because D1 binds at most 100 values in a statement. Idempotent.
 */
export async function loadIndexRows(db: D1Database, packId: number, rows: SectionRow[]): Promise<void> {
  const load = (chunk: string[]) => sql(db)`
    INSERT OR REPLACE INTO day_securities
      (pack_id, symbol, market, section_offset, section_length, footer_length, rows, last_time, crc, blocks)
    SELECT ${packId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
      value ->> 7, unhex(value ->> 8)
    FROM json_each(${`[${chunk.join(",")}]`})`;
  await db.batch([
    ...chunksOf(rows.map(jsonRow), CHUNK_CHARACTERS).map(load),
    sql(db)`
      INSERT OR REPLACE INTO pack_markets (pack_id, market, securities, rows)
      SELECT pack_id, market, sum(rows > 0), sum(rows) FROM day_securities
      WHERE pack_id = ${packId} GROUP BY market`,
  ]);
}

function jsonRow(row: SectionRow): string {
  const { symbol, market, offset, length, footerLength, rows, lastTime, crc } = row;
  const blocks = Buffer.from(row.blocksBlob).toString("hex");
  return JSON.stringify([symbol, market, offset, length, footerLength, rows, lastTime, crc, blocks]);
}

/** Groups `texts` in order into chunks of at most `characters` characters. A longer text is its own chunk. */
export function chunksOf(texts: string[], characters: number): string[][] {
  const chunks: string[][] = [];
  let space = 0;
  for (const text of texts) {
    const chunk = chunks.at(-1);
    if (chunk === undefined || text.length + 1 > space) {
      chunks.push([text]);
      space = characters;
    } else {
      chunk.push(text);
    }
    space -= text.length + 1;
  }
  return chunks;
}

/** Returns the part of `quality` that the audit stores. */
function shortOf({ verdict, summary }: PackQuality): PackQuality {
  return { verdict, summary };
}

type RestatedClaims = Pick<PackClaims, "quality" | "shortfall">;

/**
 * Updates the claims of the served pack `packId` when a publisher sends the same rows again. Two claims are updated:
 * the result of a later quality check (for example, after the day's trades have arrived) and what a degraded pack
 * lacks. A claim that is absent or unchanged is not written.
 */
export async function restateClaims(
  db: D1Database,
  day: DatasetDay & { packId: number },
  restated: RestatedClaims,
  by: By,
): Promise<void> {
  const { packId } = day;
  const claims = await sql(db)`SELECT claims FROM uploads WHERE object_id = ${packId}`.first<string>(
    "claims",
  );
  if (claims === null) return;
  const known = JSON.parse(claims) as PackClaims;
  const restate = (name: "quality" | "shortfall", shown: (claims: RestatedClaims) => unknown) => {
    const text = JSON.stringify(restated[name]);
    if (text === undefined || text === JSON.stringify(known[name])) return [];
    const change = { before: shown(known), after: shown(restated) };
    return [
      auditStatement(db, by, { action: `day.${name}`, subject: daySubject(day), ...change }),
      sql(db)`
        UPDATE uploads SET claims = json_set(claims, ${`$.${name}`}, json(${text})) WHERE object_id = ${packId}`,
    ];
  };
  const statements = [
    ...restate("quality", ({ quality }) => quality && shortOf(quality)),
    ...restate("shortfall", ({ shortfall }) => (shortfall === undefined ? null : { shortfall })),
  ];
  if (statements.length > 0) await db.batch(statements);
}

/** Records whether the publisher forces the upload. */
export async function setForced(db: D1Database, uploadId: string, forced: boolean): Promise<void> {
  const flag = forced ? 1 : 0;
  await sql(db)`
    UPDATE uploads SET forced = ${flag} WHERE upload_id = ${uploadId} AND forced <> ${flag}`.run();
}

/** Returns whether the upload is forced. */
export async function isForced(db: D1Database, uploadId: string): Promise<boolean> {
  const forced = sql(db)`SELECT forced FROM uploads WHERE upload_id = ${uploadId}`;
  return (await forced.first<number>("forced")) === 1;
}

/** A complete upload with its object's etag. */
export interface ArrivedPack extends By, DatasetDay {
  upload: Upload<PackClaims>;
  etag: string;
  /** The builder version and source checksum in the pack; null when it has none. */
  origin: { builderVersion: string; sourcesSha256: string } | null;
}

/** The SQL condition under which the object of an `uploads` row may be served: it is neither withdrawn nor damaged. */
const ALLOWED = part`${allowedSql(
  part`uploads.target`,
  part`uploads.claims ->> 'buildId'`,
  part`uploads.forced`,
  part`uploads.begun_at_ms`,
)} AND ${soundSql(part`uploads.object_key`)}`;

/**
 * Makes `upload`, whose index rows are loaded, the served revision of its day, in one transaction. Returns false and
 * changes nothing when a decision prevents it (`decisions.ts`), or when another publisher was faster: the upload is no
 * longer `completing`, or the day has a revision with the same or a higher number.
 */
export async function serveUpload(db: D1Database, arrived: ArrivedPack): Promise<boolean> {
  const { tradedate, dataset, upload, etag, origin, ...by } = arrived;
  const { uploadId, revision, objectId, claims } = upload;
  const { buildId, rows, degraded, quality } = claims;
  const { nowMs } = by;
  const before = await sql(db)`
    SELECT d.revision, p.build_id AS buildId, p.rows FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id
    WHERE ${ofDay(arrived, "d.")}`.first();
  const after = { revision, buildId, rows, degraded, ...(quality && { quality: shortOf(quality) }) };
  const entry = { action: "day.publish", subject: daySubject(arrived), before, after };
  const isNewest = part`NOT EXISTS (SELECT 1 FROM day_revisions WHERE ${ofDay(arrived)} AND revision >= ${revision})`;
  // True when the first statement has claimed the upload and the history does not contain its revision yet.
  const isClaimed = part`EXISTS (SELECT 1 FROM uploads WHERE upload_id = ${uploadId} AND state = 'served') AND ${isNewest}`;
  const change = { atMs: nowMs, dataset, tradedate, kind: "published", revision, packId: objectId } as const;
  const target = packTarget(arrived);
  const [claim] = await db.batch([
    sql(db)`
      UPDATE uploads SET state = 'served' WHERE upload_id = ${uploadId} AND state = 'completing'
        AND ${isNewest} AND ${ALLOWED}`,
    auditStatement(db, by, entry, isClaimed),
    revisionChangeStatement(db, change, isClaimed),
    sql(db)`
      INSERT INTO day_packs
        (pack_id, dataset, tradedate, object_key, etag, size_bytes, sha256, build_id, rows, securities, degraded,
         builder_version, sources_sha256)
      SELECT object_id, ${dataset}, ${tradedate}, object_key, ${etag}, size_bytes, sha256, claims ->> 'buildId',
        claims ->> 'rows', claims ->> 'securities', claims ->> 'degraded', ${origin?.builderVersion ?? null},
        ${origin?.sourcesSha256 ?? null}
      FROM uploads WHERE upload_id = ${uploadId} AND ${isClaimed}`,
    ...revisionStatements(db, change, isClaimed),
    // Writes the row that makes the revision visible, if the statements above have added the revision to the history.
    sql(db)`
      INSERT INTO order_days (dataset, tradedate, revision, pack_id, state)
      SELECT r.dataset, r.tradedate, r.revision, r.pack_id, 'available'
      FROM day_revisions r JOIN uploads u ON u.object_id = r.pack_id AND u.upload_id = ${uploadId}
      WHERE ${ofDay(arrived, "r.")} AND r.revision = ${revision}
      ON CONFLICT (dataset, tradedate) DO UPDATE SET
        revision = excluded.revision, pack_id = excluded.pack_id, state = 'available', state_note = ''
      WHERE excluded.revision > order_days.revision`,
    servedStatement(db, target, packServed(target, objectId)),
  ]);
  return claim?.meta.changes === 1;
}

/** Returns statements that, if `guard` holds, end the day's newest revision in the history and add the next one. */
function revisionStatements(
  db: D1Database,
  { revision, packId, atMs, ...day }: SeenDay & { packId: number; atMs: number },
  guard: Part,
): D1PreparedStatement[] {
  return [
    sql(db)`
      UPDATE day_revisions SET replaced_at_ms = ${atMs} WHERE ${ofDay(day)} AND replaced_at_ms IS NULL AND ${guard}`,
    sql(db)`
      INSERT INTO day_revisions (dataset, tradedate, revision, pack_id, published_at_ms)
      SELECT ${day.dataset}, ${day.tradedate}, ${revision}, ${packId}, ${atMs} WHERE ${guard}`,
  ];
}

/** A dataset's day with the revision that the operator saw. */
export interface SeenDay extends DatasetDay {
  revision: number;
}

/**
 * Withdraws the seen revision, which must be `available` or `damaged`. Returns false when the day has changed. The
 * withdrawn content is not served again until an operator chooses exactly this content. The day's open upload ends.
 */
export async function withdrawDay(db: D1Database, seen: SeenDay, note: string, by: By): Promise<boolean> {
  const { revision } = seen;
  const asSeen = part`${ofDay(seen)} AND revision = ${revision} AND state <> 'withdrawn'`;
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${asSeen})`;
  const after = { revision, state: "withdrawn", note };
  const entry = { action: "day.withdraw", subject: daySubject(seen), before: { revision }, after, guard };
  const content = part`coalesce((SELECT p.build_id FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
    WHERE ${ofDay(seen, "r.")} AND r.revision = ${revision}), '')`;
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  return audited(db, by, entry, [
    strikeChangeStatement(db, { ...seen, atMs: by.nowMs, kind: "withdrawn" }, guard),
    ...withdrawStatements(db, { target: packTarget(seen), content }, decision, guard),
    sql(db)`UPDATE order_days SET state = 'withdrawn', state_note = ${note} WHERE ${asSeen}`,
  ]);
}

/** The request to serve one of the day's earlier packs, or its current pack, under a new revision number. */
export interface ServeAgain {
  packId: number;
  /** The pack's build id. If content with this id is withdrawn, the request also ends the withdrawal. */
  buildId: string;
  /** `restored`: a different pack from the current one. `published`: the same pack under a new number. */
  kind: "published" | "restored";
  /** The day's next revision. */
  number: number;
}

/**
 * Serves `packId` as revision `number` of the day. Returns false when the day no longer has the seen revision and state
 * or already has revision `number` or a higher one, or when the pack is damaged or has no index rows (deleted 7 days
 * after its replacement). An open upload of the day loses its number and is refused at its next step.
 */
export async function serveAgain(
  db: D1Database,
  { revision, state, ...asked }: SeenDay & { state: DayState },
  { packId, buildId, kind, number }: ServeAgain,
  by: By,
): Promise<boolean> {
  const day = ofDay(asked);
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${day} AND revision = ${revision} AND state = ${state})
    AND NOT EXISTS (SELECT 1 FROM day_revisions WHERE ${day} AND revision >= ${number})
    AND EXISTS (SELECT 1 FROM day_securities WHERE pack_id = ${packId})
    AND EXISTS (SELECT 1 FROM day_packs p WHERE p.pack_id = ${packId} AND ${soundSql(part`p.object_key`)})`;
  const target = packTarget(asked);
  const isServed = packServed(target, packId);
  const entry = {
    action: kind === "restored" ? "day.restore" : "day.publish",
    subject: daySubject(asked),
    before: { revision, state },
    after: { revision: number, packId },
    guard,
  };
  const change = { ...asked, atMs: by.nowMs, kind, revision: number, packId };
  return audited(db, by, entry, [
    revisionChangeStatement(db, change, guard),
    ...revisionStatements(db, change, guard),
    sql(db)`
      UPDATE order_days SET revision = ${number}, pack_id = ${packId}, state = 'available', state_note = ''
      WHERE ${day} AND revision = ${revision}
        AND EXISTS (SELECT 1 FROM day_revisions WHERE ${day} AND revision = ${number} AND pack_id = ${packId})`,
    sql(db)`DELETE FROM withdrawals WHERE target = ${target} AND content = ${buildId} AND ${isServed}`,
    servedStatement(db, target, isServed),
  ]);
}

/** Damage in the pack of one revision; `note` names the block with the wrong bytes. */
export interface FoundDamage extends SeenDay {
  note: string;
}

/**
 * Marks the pack of this revision as damaged, because a block failed its checksum. No command serves it again. A day
 * that still serves it returns 503 `day_damaged` until an operator publishes or restores an undamaged pack.
 */
export async function markDamaged(db: D1Database, found: FoundDamage, nowMs: number): Promise<void> {
  const { revision, note } = found;
  const asSeen = part`${ofDay(found)} AND revision = ${revision} AND state = 'available'`;
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${asSeen})`;
  const change = { before: { revision, state: "available" }, after: { revision, state: "damaged", note } };
  const entry = { action: "day.damaged", subject: daySubject(found), ...change, guard };
  await audited(db, { actor: SERVICE_ACTOR, nowMs }, entry, [
    strikeChangeStatement(db, { ...found, atMs: nowMs, kind: "damaged" }, guard),
    sql(db)`UPDATE order_days SET state = 'damaged', state_note = ${note} WHERE ${asSeen}`,
    sql(db)`
      INSERT OR IGNORE INTO damaged_packs (object_key, at_ms, note)
      SELECT p.object_key, ${nowMs}, ${note} FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
      WHERE ${ofDay(found, "r.")} AND r.revision = ${revision}`,
  ]);
}
