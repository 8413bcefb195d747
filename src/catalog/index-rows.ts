/** Index rows of packs in the catalog, for comparison and repair. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";

/** A pack with index rows in the catalog. */
export interface IndexedPack {
  packId: number;
  objectKey: string;
  sizeBytes: number;
  buildId: string;
}

const PACK =
  "p.pack_id AS packId, p.object_key AS objectKey, p.size_bytes AS sizeBytes, p.build_id AS buildId";

/** The pack that a dataset's day serves, with the revision, or null when it was never loaded. */
export async function servedPack(
  db: D1Database,
  tradedate: BeijingDate,
  dataset: DatasetName = "orders",
): Promise<(IndexedPack & { revision: number }) | null> {
  return db
    .prepare(
      `SELECT d.revision, ${PACK} FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id
       WHERE d.tradedate = ?1 AND d.dataset = ?2`,
    )
    .bind(tradedate, dataset)
    .first<IndexedPack & { revision: number }>();
}

/** Every day of a dataset that was ever loaded, ascending. */
export async function loadedDays(db: D1Database, dataset: DatasetName = "orders"): Promise<BeijingDate[]> {
  const { results } = await db
    .prepare("SELECT tradedate FROM order_days WHERE dataset = ?1 ORDER BY tradedate")
    .bind(dataset)
    .all<{ tradedate: BeijingDate }>();
  return results.map(({ tradedate }) => tradedate);
}

/** Returns the rows of a pack by code, each as one text with all its numbers and its blocks in upper-case hex. */
export async function indexRowsOf(
  db: D1Database,
  packId: number,
): Promise<{ code: string; facts: string }[]> {
  const { results } = await db
    .prepare(
      `SELECT symbol || '.' || market AS code,
         section_offset || ' ' || section_length || ' ' || footer_length || ' ' || rows || ' ' || last_time
           || ' ' || crc || ' ' || hex(blocks) AS facts
       FROM day_securities WHERE pack_id = ?1`,
    )
    .bind(packId)
    .all<{ code: string; facts: string }>();
  return results;
}

/** Deletes the rows of a pack except those of these codes. */
export async function keepOnly(db: D1Database, packId: number, codes: string[]): Promise<void> {
  await db
    .prepare(
      `DELETE FROM day_securities
       WHERE pack_id = ?1 AND symbol || '.' || market NOT IN (SELECT value FROM json_each(?2))`,
    )
    .bind(packId, JSON.stringify(codes))
    .run();
}
