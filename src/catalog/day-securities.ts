/** The securities of one revision of a day, from its index. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { Market, Security } from "../orders/record.ts";

/** `last_time` of securities loaded before the column existed: the latest possible time. */
export const UNKNOWN_LAST_TIME = 235_959_999;

export interface ListedSecurity extends Security {
  rows: number;
  /** Size in bytes of the security's Parquet file with all fields; 0 without rows. */
  sizeBytes: number;
  /** Times of the first and the last row, HHMMSSmmm as numbers; null without rows, the last one also when unknown. */
  firstTime: number | null;
  lastTime: number | null;
}

interface Row extends Security {
  rows: number;
  sizeBytes: number;
  lastTime: number;
  /** The first block's t0: four bytes, little endian, in hex. */
  t0: string;
}

/** Which securities: those of a dataset's day (of orders when absent) and revision, on one exchange or on both. */
export interface SecuritiesQuestion {
  dataset?: DatasetName;
  tradedate: BeijingDate;
  revision: number;
  market: Market | null;
}

/** Returns the securities of this revision by symbol, then market; only those of `market` unless it is null. */
export async function listSecurities(
  db: D1Database,
  { dataset = "orders", tradedate, revision, market }: SecuritiesQuestion,
): Promise<ListedSecurity[]> {
  const statement = db
    .prepare(
      `SELECT symbol, market, rows, section_length AS sizeBytes, last_time AS lastTime,
         hex(substr(blocks, 9, 4)) AS t0
       FROM day_securities
       WHERE pack_id = (SELECT pack_id FROM day_revisions WHERE dataset = ?4 AND tradedate = ?1 AND revision = ?2)
         AND (?3 IS NULL OR market = ?3)
       ORDER BY symbol, market`,
    )
    .bind(tradedate, revision, market, dataset);
  return (await statement.all<Row>()).results.map(({ t0, lastTime, ...row }) => {
    if (row.rows === 0) return { ...row, firstTime: null, lastTime: null };
    const last = lastTime === UNKNOWN_LAST_TIME ? null : lastTime;
    return { ...row, firstTime: Buffer.from(t0, "hex").readUInt32LE(), lastTime: last };
  });
}

/**
 * A security that has rows in the served revision of the dataset's day: `preferred` where it does, else the first one;
 * null when there is none, or no such day.
 */
export async function exampleSecurity(
  db: D1Database,
  tradedate: string,
  preferred: string,
  dataset: DatasetName = "orders",
): Promise<string | null> {
  const some = "SELECT symbol FROM day_securities WHERE pack_id = d.pack_id AND rows > 0";
  return db
    .prepare(
      `SELECT coalesce((${some} AND symbol = ?2 LIMIT 1), (${some} ORDER BY symbol LIMIT 1)) AS symbol
       FROM order_days d WHERE dataset = ?3 AND tradedate = ?1`,
    )
    .bind(tradedate, preferred, dataset)
    .first<string>("symbol");
}
