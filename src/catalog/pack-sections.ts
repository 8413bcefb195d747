/** Where the securities of an order pack lie in it: each section is a complete Parquet file by itself. */
import type { Market, Security } from "../orders/record.ts";

/** A security's file inside a pack, in bytes from the start of the pack. */
export interface PackSection extends Security {
  offset: number;
  length: number;
  rows: number;
}

const SECTION = `symbol, market, section_offset AS offset, section_length AS length, rows`;

/** All securities of a pack that have orders, by symbol and then market. */
export async function packSections(db: D1Database, packId: number): Promise<PackSection[]> {
  const sql = `SELECT ${SECTION} FROM day_securities WHERE pack_id = ?1 AND rows > 0 ORDER BY symbol, market`;
  return (await db.prepare(sql).bind(packId).all<PackSection>()).results;
}

/** The section of one security, or null when the pack has no orders of it. */
export function packSection(
  db: D1Database,
  packId: number,
  { symbol, market }: { symbol: string; market: Market },
): Promise<PackSection | null> {
  const sql = `SELECT ${SECTION} FROM day_securities WHERE pack_id = ?1 AND symbol = ?2 AND market = ?3 AND rows > 0`;
  return db.prepare(sql).bind(packId, symbol, market).first<PackSection>();
}
