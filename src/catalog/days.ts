/** The loaded days of each dataset: the earliest and the newest one, and the facts about each day for operators. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import type { Damage, Withdrawal } from "./decisions.ts";
import type { DayState } from "./order-day.ts";
import { decoded, type Part, part, rows, sql } from "./sql.ts";

/** A dataset's day. Each dataset's day is published, revised, withdrawn and restored independently. */
export interface DatasetDay {
  dataset: DatasetName;
  tradedate: BeijingDate;
}

/** The current revision of a day with its pack. Instants are Unix milliseconds. */
export interface ServedDay {
  tradedate: BeijingDate;
  revision: number;
  state: DayState;
  /** The reason for the withdrawal or the damage, or what a degraded day lacks; otherwise empty. */
  note: string;
  degraded: boolean;
  rows: number;
  securities: number;
  sizeBytes: number;
  sha256: string;
  buildId: string;
  publishedAtMs: number;
  packId: number;
}

/** One revision of a day's history. */
export interface DayRevision extends Omit<ServedDay, "tradedate" | "state" | "note"> {
  objectKey: string;
  /** When the revision was replaced; null for the served one. */
  replacedAtMs: number | null;
  /** The object's etag without quotes. */
  etag: string;
  /** The version of the builder; null for packs without one. */
  builderVersion: string | null;
  /** A checksum over the SHA-256 values of all source files; null when the pack has none. */
  sourcesSha256: string | null;
  /** The operator's withdrawal of this content, or null. */
  withdrawn: Withdrawal | null;
  /** The time of a failed checksum in the pack, and the error message; null when no block has failed its checksum. */
  damaged: Damage | null;
}

const PACK_COLUMNS = part`p.degraded, p.rows, p.securities, p.size_bytes AS sizeBytes, p.sha256, p.build_id AS buildId`;

/** Returns the current revision of a dataset's day, in any state, or null when the day was never loaded. */
export async function servedDay(
  db: D1Database,
  { dataset, tradedate }: DatasetDay,
): Promise<ServedDay | null> {
  const row = await sql(db)`
    SELECT d.tradedate, d.revision, d.state, coalesce(nullif(d.state_note, ''), iif(p.degraded = 1,
        (SELECT claims ->> 'shortfall' FROM uploads WHERE object_id = p.pack_id), ''), '') AS note, ${PACK_COLUMNS},
      r.published_at_ms AS publishedAtMs, d.pack_id AS packId
    FROM order_days d
    JOIN day_packs p ON p.pack_id = d.pack_id
    JOIN day_revisions r ON r.dataset = d.dataset AND r.tradedate = d.tradedate AND r.revision = d.revision
    WHERE d.tradedate = ${tradedate} AND d.dataset = ${dataset}`.first();
  return row && decoded<ServedDay>(row, [], ["degraded"]);
}

/** Returns every revision that a dataset's day ever had, newest first. */
export async function dayRevisions(
  db: D1Database,
  { dataset, tradedate }: DatasetDay,
): Promise<DayRevision[]> {
  const found = await rows(sql(db)`
    SELECT r.revision, ${PACK_COLUMNS}, p.object_key AS objectKey,
      r.published_at_ms AS publishedAtMs, r.replaced_at_ms AS replacedAtMs, p.pack_id AS packId, p.etag,
      p.builder_version AS builderVersion, p.sources_sha256 AS sourcesSha256,
      iif(w.target IS NULL, NULL,
        json_object('revision', w.revision, 'atMs', w.at_ms, 'actor', w.actor, 'note', w.note)) AS withdrawn,
      iif(b.object_key IS NULL, NULL, json_object('atMs', b.at_ms, 'note', b.note)) AS damaged
    FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
    LEFT JOIN withdrawals w ON w.target = r.dataset || '/' || r.tradedate AND w.content = p.build_id
    LEFT JOIN damaged_packs b ON b.object_key = p.object_key
    WHERE r.tradedate = ${tradedate} AND r.dataset = ${dataset} ORDER BY r.revision DESC`);
  return found.map((row) => decoded<DayRevision>(row, ["withdrawn", "damaged"], ["degraded"]));
}

/** A loaded day with the builder version of its current pack. The version is null when the pack has none. */
export type BuiltDay = Pick<ServedDay, "tradedate" | "revision" | "state"> &
  Pick<DayRevision, "builderVersion">;

/** Returns every loaded day of a dataset, oldest first. */
export async function builtDays(db: D1Database, dataset: DatasetName): Promise<BuiltDay[]> {
  return rows<BuiltDay>(sql(db)`
    SELECT d.tradedate, d.revision, d.state, p.builder_version AS builderVersion
    FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id WHERE d.dataset = ${dataset}
    ORDER BY d.tradedate`);
}

/** Returns whether a pack still has index rows, which are deleted 7 days after it was replaced. */
export async function hasIndexRows(db: D1Database, packId: number): Promise<boolean> {
  return (await sql(db)`SELECT 1 FROM day_securities WHERE pack_id = ${packId} LIMIT 1`.first()) !== null;
}

export interface DaySpan {
  /** The earliest available day; null when no day is available. */
  earliest: BeijingDate | null;
  /** The newest available day; null when no day is available. */
  newest: BeijingDate | null;
}

/** Returns the earliest and the newest available day; both are null when no day is available. */
export async function servedSpan(db: D1Database, dataset: DatasetName): Promise<DaySpan> {
  const span = await sql(db)`
    SELECT min(tradedate) AS earliest, max(tradedate) AS newest FROM order_days
    WHERE dataset = ${dataset} AND state = 'available'`.first<DaySpan>();
  return span ?? { earliest: null, newest: null };
}

/** One day of each dataset; null for a dataset without such a day. */
export type DayOfEach = Record<DatasetName, BeijingDate | null>;

/** Returns the newest available day of each dataset. Reads one row per dataset, all in one batch. */
export function newestDays(db: D1Database): Promise<DayOfEach> {
  return firstDays(db, part`DESC`);
}

/** Returns the earliest available day of each dataset. Reads one row per dataset, all in one batch. */
export function earliestDays(db: D1Database): Promise<DayOfEach> {
  return firstDays(db, part`ASC`);
}

async function firstDays(db: D1Database, order: Part): Promise<DayOfEach> {
  const found = await db.batch<{ tradedate: BeijingDate }>(
    DATASET_NAMES.map((dataset) => firstDay(db, dataset, order)),
  );
  return perDataset("name", (name) => found[DATASET_NAMES.indexOf(name)]?.results[0]?.tradedate ?? null);
}

/** Selects the first available day of a dataset in this `order` of days. */
function firstDay(db: D1Database, dataset: DatasetName, order: Part): D1PreparedStatement {
  return sql(db)`
    SELECT tradedate FROM order_days WHERE dataset = ${dataset} AND state = 'available'
    ORDER BY tradedate ${order} LIMIT 1`;
}
