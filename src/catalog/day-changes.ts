/**
 * The list of every change of a dataset's served day: the revision, and which securities differ from the previous one.
 * An entry is written in the transaction that makes the change.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { Guard } from "./audit.ts";

export type ChangeKind = "published" | "restored" | "withdrawn" | "damaged";

export interface DayChange {
  /** Increases with every change of any day. */
  changeId: number;
  /** Unix milliseconds. */
  atMs: number;
  dataset: DatasetName;
  tradedate: BeijingDate;
  kind: ChangeKind;
  /** The revision that the change published, withdrew or marked damaged. */
  revision: number;
  /** The revision served before; null for the first one. */
  previous: number | null;
  /** The build id of the pack of `revision`; null when the catalog no longer has it. */
  buildId: string | null;
  /** Codes such as `600519.SH`, ascending. Null without a revision to compare with. */
  added: string[] | null;
  removed: string[] | null;
  /** Securities in both revisions with different rows. */
  changed: string[] | null;
}

/** Conditions on the changes: after `changeId`, from `sinceMs` to `untilMs`, of days from `from` on. */
export interface ChangesQuestion {
  changeId: number;
  sinceMs: number;
  /**
   * The last instant, inclusive; by default the current one. Clocks of isolates differ, so a change is listed only
   * after all changes of lower numbers; a reader that continues from the last number then misses none.
   */
  untilMs?: number;
  /** The first day; null for all days. */
  from: BeijingDate | null;
  dataset: DatasetName;
  /** The most entries to return. */
  count: number;
}

type Row = Omit<DayChange, "added" | "removed" | "changed"> &
  Record<"added" | "removed" | "changed", string | null>;

/** Returns the oldest changes that match `question`, in order. */
export async function changesSince(db: D1Database, question: ChangesQuestion): Promise<DayChange[]> {
  const { changeId, sinceMs, untilMs = Number.MAX_SAFE_INTEGER, from, dataset, count } = question;
  const { results } = await db
    .prepare(
      `SELECT c.change_id AS changeId, c.at_ms AS atMs, c.dataset, c.tradedate, c.kind, c.revision, c.previous,
         p.build_id AS buildId, c.added, c.removed, c.changed
       FROM day_changes c
       LEFT JOIN day_revisions r ON r.dataset = c.dataset AND r.tradedate = c.tradedate AND r.revision = c.revision
       LEFT JOIN day_packs p ON p.pack_id = r.pack_id
       WHERE c.change_id > ?1 AND c.at_ms >= ?2 AND c.tradedate >= ?3 AND c.dataset = ?7
         AND c.change_id < coalesce((SELECT min(change_id) FROM day_changes WHERE at_ms > ?5), ?6)
       ORDER BY c.change_id LIMIT ?4`,
    )
    .bind(changeId, sinceMs, from ?? "", count, untilMs, Number.MAX_SAFE_INTEGER, dataset)
    .all<Row>();
  return results.map(({ added, removed, changed, ...row }) => ({
    ...row,
    added: codesOf(added),
    removed: codesOf(removed),
    changed: codesOf(changed),
  }));
}

/** Returns the instant of the newest change of any day, in Unix milliseconds; null when there is none. */
export async function newestChangeMs(db: D1Database): Promise<number | null> {
  return db.prepare("SELECT max(at_ms) AS atMs FROM day_changes").first<number>("atMs");
}

function codesOf(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}

/**
 * Returns the SQL of the codes of pack `a` that `where` selects; `b` is the same security's row in the other pack, or
 * nulls.
 */
function codes(pack: string, other: string, where: string): string {
  return `(SELECT json_group_array(a.symbol || '.' || a.market ORDER BY a.symbol, a.market)
    FROM day_securities a LEFT JOIN day_securities b
      ON b.pack_id = ${other} AND b.symbol = a.symbol AND b.market = a.market
    WHERE a.pack_id = ${pack} AND ${where})`;
}

/**
 * Returns the SQL of the codes only in `pack`, only in `before`, and different in both. Sections are equal when CRC,
 * rows and length are; other bytes for the same rows count as a difference.
 */
export function differences(pack: string, before: string): string[] {
  const differ = "(b.crc <> a.crc OR b.rows <> a.rows OR b.section_length <> a.section_length)";
  return [
    codes(pack, before, "b.pack_id IS NULL"),
    codes(before, pack, "b.pack_id IS NULL"),
    codes(pack, before, differ),
  ];
}

const DIFFERENCES = differences("?5", "d.pack_id").map((list) => `iif(d.pack_id IS NULL, NULL, ${list})`);

/** Values are `?1` to `?6`: the instant, the day, the kind, the new revision, the new pack, the dataset. */
const ADD = `
  INSERT INTO day_changes (at_ms, dataset, tradedate, kind, revision, previous, added, removed, changed)
  SELECT ?1, ?6, ?2, ?3, ?4, d.revision, ${DIFFERENCES.join(", ")}
  FROM (SELECT ?2 AS tradedate, ?6 AS dataset) asked
  LEFT JOIN order_days d ON d.tradedate = asked.tradedate AND d.dataset = asked.dataset`;

/**
 * Adds the change that pack `packId` becomes revision `revision` of a dataset's day, where `guard` holds (its values
 * are `?7` and on). It compares with the revision in `order_days`, so it must run before that row changes.
 */
export function revisionChangeStatement(
  db: D1Database,
  change: {
    atMs: number;
    dataset: DatasetName;
    tradedate: BeijingDate;
    kind: "published" | "restored";
    revision: number;
    packId: number;
  },
  guard: Guard,
): D1PreparedStatement {
  const { atMs, dataset, tradedate, kind, revision, packId } = change;
  return db
    .prepare(`${ADD} WHERE ${guard.sql}`)
    .bind(atMs, tradedate, kind, revision, packId, dataset, ...guard.values);
}

/** Adds the change that the served revision is no longer served, where `guard` holds (values `?6` and on). */
export function strikeChangeStatement(
  db: D1Database,
  change: Pick<DayChange, "atMs" | "dataset" | "tradedate" | "revision"> & { kind: "withdrawn" | "damaged" },
  guard: Guard,
): D1PreparedStatement {
  const { atMs, dataset, tradedate, kind, revision } = change;
  return db
    .prepare(
      `INSERT INTO day_changes (at_ms, dataset, tradedate, kind, revision, previous)
       SELECT ?1, ?5, ?2, ?3, ?4, ?4 WHERE ${guard.sql}`,
    )
    .bind(atMs, tradedate, kind, revision, dataset, ...guard.values);
}
