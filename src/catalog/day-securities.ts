/** The index rows of packs: a day's securities, the positions of their sections, and complete rows for repairs. */
import type { DatasetName } from "../datasets/registry.ts";
import type { Market, Security } from "../orders/record.ts";
import { type DatasetDay, ofDay } from "./days.ts";
import { part, rows, sql } from "./sql.ts";

/** The `last_time` of securities that were loaded before the column existed. It is the latest possible time. */
export const UNKNOWN_LAST_TIME = 235_959_999;

export interface ListedSecurity extends Security {
  rows: number;
  /** Size in bytes of the security's Parquet file with all fields; 0 without rows. */
  sizeBytes: number;
  /** The time of the first row, HHMMSSmmm as a number; null without rows. */
  firstTime: number | null;
  /** The time of the last row, HHMMSSmmm as a number; null without rows or when it is unknown. */
  lastTime: number | null;
}

/** Selects the securities of one revision of a dataset's day, on one exchange or, when `market` is null, on both. */
export interface SecuritiesQuestion extends DatasetDay {
  revision: number;
  market: Market | null;
}

/** Returns the securities that `question` selects, sorted by symbol, then market. */
export async function listSecurities(
  db: D1Database,
  question: SecuritiesQuestion,
): Promise<ListedSecurity[]> {
  const { revision, market } = question;
  // `t0` is the time of the first row, from the first block: four bytes, little endian.
  const found = await rows<Omit<ListedSecurity, "firstTime"> & { t0: string }>(sql(db)`
    SELECT symbol, market, rows, section_length AS sizeBytes, last_time AS lastTime,
      hex(substr(blocks, 9, 4)) AS t0
    FROM day_securities
    WHERE pack_id = (SELECT pack_id FROM day_revisions WHERE ${ofDay(question)} AND revision = ${revision})
      AND (${market} IS NULL OR market = ${market})
    ORDER BY symbol, market`);
  return found.map(({ t0, lastTime, ...row }) => {
    if (row.rows === 0) return { ...row, firstTime: null, lastTime: null };
    const last = lastTime === UNKNOWN_LAST_TIME ? null : lastTime;
    return { ...row, firstTime: Buffer.from(t0, "hex").readUInt32LE(), lastTime: last };
  });
}

/**
 * Returns a security that has rows in the served revision of the dataset's day, in a form that the parameter `symbol`
 * accepts. If `preferred` has rows, returns `preferred`; otherwise the first security that is not an index, or the
 * first index if only indices have rows. Except for `preferred`, the code ends with its market, because digits alone
 * never mean an index and can exist on both exchanges. Returns null when no security has rows or there is no such day.
 */
export async function exampleSecurity(
  db: D1Database,
  tradedate: string,
  preferred: string,
  dataset: DatasetName,
): Promise<string | null> {
  const code = part`symbol || '.' || market`;
  const some = part`FROM day_securities WHERE pack_id = d.pack_id AND rows > 0`;
  // The same rule as in `isIndexCode`.
  const isIndex = part`(market = 'SH' AND symbol LIKE '000%')`;
  return sql(db)`
    SELECT coalesce((SELECT symbol ${some} AND symbol = ${preferred} LIMIT 1),
      (SELECT ${code} ${some} AND NOT ${isIndex} ORDER BY symbol LIMIT 1),
      (SELECT ${code} ${some} ORDER BY symbol LIMIT 1)) AS symbol
    FROM order_days d WHERE dataset = ${dataset} AND tradedate = ${tradedate}`.first<string>("symbol");
}

/** The position of a security's file in a pack, in bytes from the start of the pack. */
export interface PackSection extends Security {
  offset: number;
  length: number;
  rows: number;
}

const SECTION = part`symbol, market, section_offset AS offset, section_length AS length, rows`;

/** Returns the sections of all securities that have rows in a pack, sorted by symbol, then market. */
export async function packSections(db: D1Database, packId: number): Promise<PackSection[]> {
  return rows<PackSection>(sql(db)`
    SELECT ${SECTION} FROM day_securities WHERE pack_id = ${packId} AND rows > 0 ORDER BY symbol, market`);
}

/** Returns the section of one security, or null when the pack has no rows of this security. */
export function packSection(db: D1Database, packId: number, security: Security): Promise<PackSection | null> {
  const { symbol, market } = security;
  return sql(db)`
    SELECT ${SECTION} FROM day_securities
    WHERE pack_id = ${packId} AND symbol = ${symbol} AND market = ${market} AND rows > 0`.first<PackSection>();
}

/** A pack with index rows in the catalog. */
export interface IndexedPack {
  packId: number;
  objectKey: string;
  sizeBytes: number;
  buildId: string;
}

const PACK = part`p.pack_id AS packId, p.object_key AS objectKey, p.size_bytes AS sizeBytes, p.build_id AS buildId`;

/** Returns the pack of the day's current revision, with the revision number; null when the day was never loaded. */
export async function servedPack(
  db: D1Database,
  day: DatasetDay,
): Promise<(IndexedPack & { revision: number }) | null> {
  const pack = sql(db)`
    SELECT d.revision, ${PACK} FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id
    WHERE ${ofDay(day, "d.")}`;
  return pack.first<IndexedPack & { revision: number }>();
}

/**
 * Returns the code of each security in a pack, and its index row as one string (`facts`). The string contains all
 * numbers of the row, and the blocks as upper-case hex digits.
 */
export async function indexRowsOf(
  db: D1Database,
  packId: number,
): Promise<{ code: string; facts: string }[]> {
  return rows<{ code: string; facts: string }>(sql(db)`
    SELECT symbol || '.' || market AS code,
      section_offset || ' ' || section_length || ' ' || footer_length || ' ' || rows || ' ' || last_time
        || ' ' || crc || ' ' || hex(blocks) AS facts
    FROM day_securities WHERE pack_id = ${packId}`);
}

/** Deletes the index rows of a pack except those of the securities in `codes`. */
export async function keepOnly(db: D1Database, packId: number, codes: string[]): Promise<void> {
  await sql(db)`
    DELETE FROM day_securities
    WHERE pack_id = ${packId}
      AND symbol || '.' || market NOT IN (SELECT value FROM json_each(${JSON.stringify(codes)}))`.run();
}
