/**
 * The list of all changes of served days. Each entry contains the revision and the securities that differ from the
 * previous revision. An entry is written in the transaction that makes the change.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { decoded, type Part, part, plain, rows, sql } from "./sql.ts";

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
  /** The revision that was served before the change; null for the day's first revision. */
  previous: number | null;
  /** The build id of the pack of `revision`; null when the catalog no longer has it. */
  buildId: string | null;
  /** Codes such as `600519.SH`, ascending; null when there is no revision to compare with. */
  added: string[] | null;
  removed: string[] | null;
  /** Securities in both revisions with different rows. */
  changed: string[] | null;
}

/** Selects the changes after `changeId`, from `sinceMs` to `untilMs`, of the day `from` and all later days. */
export interface ChangesQuestion {
  changeId: number;
  sinceMs: number;
  /**
   * The last instant, inclusive; by default there is no limit. The clocks of isolates differ, so a change is listed
   * only when all changes with lower numbers are within this limit too. A reader of the list therefore misses none.
   */
  untilMs?: number;
  /** The first day; null for all days. */
  from: BeijingDate | null;
  dataset: DatasetName;
  /** The maximum number of changes to return. */
  count: number;
}

/** Returns the oldest changes that match `question`, in order. */
export async function changesSince(db: D1Database, question: ChangesQuestion): Promise<DayChange[]> {
  const { changeId, sinceMs, untilMs = Number.MAX_SAFE_INTEGER, from, dataset, count } = question;
  const found = await rows(sql(db)`
    SELECT c.change_id AS changeId, c.at_ms AS atMs, c.dataset, c.tradedate, c.kind, c.revision, c.previous,
      p.build_id AS buildId, c.added, c.removed, c.changed
    FROM day_changes c
    LEFT JOIN day_revisions r ON r.dataset = c.dataset AND r.tradedate = c.tradedate
      AND r.revision = c.revision
    LEFT JOIN day_packs p ON p.pack_id = r.pack_id
    WHERE c.change_id > ${changeId} AND c.at_ms >= ${sinceMs} AND c.tradedate >= ${from ?? ""}
      AND c.dataset = ${dataset} AND ${isAnnounced(untilMs)}
    ORDER BY c.change_id LIMIT ${count}`);
  return found.map((row) => decoded<DayChange>(row, ["added", "removed", "changed"]));
}

/** Returns the number of the last change of any dataset that `changesSince` lists for this `untilMs`; 0 without one. */
export async function lastAnnounced(db: D1Database, untilMs: number): Promise<number> {
  const last = sql(db)`SELECT max(c.change_id) AS n FROM day_changes c WHERE ${isAnnounced(untilMs)}`;
  return (await last.first<number>("n")) ?? 0;
}

/** Returns the SQL condition that neither the change `c` nor any change with a lower number is later than `untilMs`. */
function isAnnounced(untilMs: number): Part {
  return part`c.change_id < coalesce((SELECT min(change_id) FROM day_changes
      WHERE at_ms > ${untilMs}), ${Number.MAX_SAFE_INTEGER})`;
}

/** Returns the instant of the newest change of any day, in Unix milliseconds; null when there is none. */
export async function newestChangeMs(db: D1Database): Promise<number | null> {
  return sql(db)`SELECT max(at_ms) AS atMs FROM day_changes`.first<number>("atMs");
}

/**
 * Returns the SQL of the codes in `pack` that `where` selects, as a JSON list. In `where`, `a` is a security's row in
 * `pack` and `b` its row in `other`, whose columns are null when `other` lacks the security.
 */
function codes(pack: Part, other: Part, where: string): Part {
  return part`(SELECT json_group_array(a.symbol || '.' || a.market ORDER BY a.symbol, a.market)
    FROM day_securities a LEFT JOIN day_securities b
      ON b.pack_id = ${other} AND b.symbol = a.symbol AND b.market = a.market
    WHERE a.pack_id = ${pack} AND ${plain(where)})`;
}

/**
 * Returns the SQL of three lists of codes: those only in `pack`, those only in `before`, and those whose sections
 * differ in CRC, rows or length. The same rows in different bytes count as a difference.
 */
export function differences(pack: Part, before: Part): [added: Part, removed: Part, changed: Part] {
  const differ = "(b.crc <> a.crc OR b.rows <> a.rows OR b.section_length <> a.section_length)";
  return [
    codes(pack, before, "b.pack_id IS NULL"),
    codes(before, pack, "b.pack_id IS NULL"),
    codes(pack, before, differ),
  ];
}

type NewChange = Pick<DayChange, "atMs" | "dataset" | "tradedate" | "kind" | "revision">;

/**
 * Returns the statement that records a new revision of a dataset's day if `guard` holds: pack `packId` becomes revision
 * `revision`. The statement compares this pack with the pack in `order_days`, so it must run before that row changes.
 */
export function revisionChangeStatement(
  db: D1Database,
  change: NewChange & { packId: number },
  guard: Part,
): D1PreparedStatement {
  const { atMs, dataset, tradedate, kind, revision, packId } = change;
  const [added, removed, changed] = differences(part`${packId}`, part`d.pack_id`).map(
    (list) => part`iif(d.pack_id IS NULL, NULL, ${list})`,
  ) as [Part, Part, Part];
  return sql(db)`
    INSERT INTO day_changes (at_ms, dataset, tradedate, kind, revision, previous, added, removed, changed)
    SELECT ${atMs}, asked.dataset, asked.tradedate, ${kind}, ${revision}, d.revision, ${added}, ${removed}, ${changed}
    FROM (SELECT ${tradedate} AS tradedate, ${dataset} AS dataset) asked
    LEFT JOIN order_days d ON d.tradedate = asked.tradedate AND d.dataset = asked.dataset
    WHERE ${guard}`;
}

/** Returns the statement that records, if `guard` holds, the end of the served revision. `kind` is the reason. */
export function strikeChangeStatement(db: D1Database, change: NewChange, guard: Part): D1PreparedStatement {
  const { atMs, dataset, tradedate, kind, revision } = change;
  return sql(db)`
    INSERT INTO day_changes (at_ms, dataset, tradedate, kind, revision, previous)
    SELECT ${atMs}, ${dataset}, ${tradedate}, ${kind}, ${revision}, ${revision} WHERE ${guard}`;
}
