/** The day packs in R2 that the catalog refers to. */
import type { DatasetName } from "../datasets/registry.ts";

/** The R2 upload id of an adopted object, which R2 has no upload for. */
export const ADOPTED_R2_UPLOAD_ID = "";

const KNOWN = `
  SELECT object_key AS objectKey FROM day_packs
  UNION SELECT object_key FROM uploads WHERE r2_upload_id <> '${ADOPTED_R2_UPLOAD_ID}'`;

/** Returns the keys of all packs of days and of objects that uploads of days created or were going to create. */
export async function knownPackKeys(db: D1Database): Promise<Set<string>> {
  const { results } = await db.prepare(KNOWN).all<{ objectKey: string }>();
  return new Set(results.map(({ objectKey }) => objectKey));
}

/** Returns whether `knownPackKeys` contains this key. */
export async function isKnownPackKey(db: D1Database, objectKey: string): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT 1 FROM (${KNOWN}) WHERE objectKey = ?1) AS known`;
  return (await db.prepare(sql).bind(objectKey).first<{ known: number }>())?.known === 1;
}

/** The revision served of each loaded day of a dataset. */
export async function servedRevisions(
  db: D1Database,
  dataset: DatasetName = "orders",
): Promise<Map<string, number>> {
  const { results } = await db
    .prepare("SELECT tradedate, revision FROM order_days WHERE dataset = ?1")
    .bind(dataset)
    .all<{ tradedate: string; revision: number }>();
  return new Map(results.map(({ tradedate, revision }) => [tradedate, revision]));
}
