/** The loaded days of each dataset: the earliest and the newest one, and the facts about each day for operators. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import type { Damage, Withdrawal } from "./decisions.ts";
import type { DayState } from "./order-day.ts";
import { decoded, type Part, part, plain, rows, sql } from "./sql.ts";

/** A dataset's day. Each dataset's day is published, revised, withdrawn and restored independently. */
export interface DatasetDay {
  dataset: DatasetName;
  tradedate: BeijingDate;
}

/** Returns the SQL condition that a row is of this day. `prefix` is the alias of the row's table with a dot, or empty. */
export function ofDay({ dataset, tradedate }: DatasetDay, prefix = ""): Part {
  return part`${plain(prefix)}tradedate = ${tradedate} AND ${plain(prefix)}dataset = ${dataset}`;
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
export async function servedDay(db: D1Database, day: DatasetDay): Promise<ServedDay | null> {
  const row = await sql(db)`
    SELECT d.tradedate, d.revision, d.state, coalesce(nullif(d.state_note, ''), iif(p.degraded = 1,
        (SELECT claims ->> 'shortfall' FROM uploads WHERE object_id = p.pack_id), ''), '') AS note, ${PACK_COLUMNS},
      r.published_at_ms AS publishedAtMs, d.pack_id AS packId
    FROM order_days d
    JOIN day_packs p ON p.pack_id = d.pack_id
    JOIN day_revisions r ON r.dataset = d.dataset AND r.tradedate = d.tradedate AND r.revision = d.revision
    WHERE ${ofDay(day, "d.")}`.first();
  return row && decoded<ServedDay>(row, [], ["degraded"]);
}

/** Returns every revision that a dataset's day ever had, newest first. */
export async function dayRevisions(db: D1Database, day: DatasetDay): Promise<DayRevision[]> {
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
    WHERE ${ofDay(day, "r.")} ORDER BY r.revision DESC`);
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

/** One day of each dataset; null for a dataset without such a day. */
export type DayOfEach = Record<DatasetName, BeijingDate | null>;

/** Returns the earliest and the newest available day of each dataset, in one read of two rows per dataset. */
export async function servedSpans(db: D1Database): Promise<{ earliest: DayOfEach; newest: DayOfEach }> {
  const first = (order: "ASC" | "DESC") => part`(SELECT tradedate FROM order_days
    WHERE dataset = asked.value AND state = 'available' ORDER BY tradedate ${plain(order)} LIMIT 1)`;
  const found = await rows<Record<"earliest" | "newest", BeijingDate | null>>(sql(db)`
    SELECT ${first("ASC")} AS earliest, ${first("DESC")} AS newest
    FROM json_each(${JSON.stringify(DATASET_NAMES)}) asked ORDER BY asked.key`);
  const each = (end: "earliest" | "newest") =>
    perDataset("name", (name) => found[DATASET_NAMES.indexOf(name)]?.[end] ?? null);
  return { earliest: each("earliest"), newest: each("newest") };
}
