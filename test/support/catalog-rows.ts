/**
 * Reads what a backup of a service contains, for comparison. Leaves out ids, etags, the audit, uploaded parts, usage,
 * and the rows that a restore adds for clients that have read the earlier state.
 */
import { BACKUP_TABLES } from "../../src/catalog/backup.ts";
import type { Service } from "./service.ts";

/**
 * Returns the rows by table. Leaves out what a restore may change, and the usage of shares, because a share writes it
 * some seconds after a download.
 */
export async function catalogRows(service: Service): Promise<Record<string, unknown[]>> {
  const db = await service.mf.getD1Database("DB");
  const found: Record<string, unknown[]> = {};
  for (const { name, columns, key, id } of BACKUP_TABLES) {
    if (["audit", "day_changes", "revision_floors", "upload_parts", "usage"].includes(name)) continue;
    const compared = columns.filter((column) => column !== id && column !== "etag");
    const { results } = await db
      .prepare(`SELECT ${compared.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`)
      .all();
    found[name] = results;
  }
  return found;
}

/** Returns the index rows of the served days, ordered by dataset and day, without the ids of their packs. */
export async function indexRows(service: Service): Promise<unknown[]> {
  const db = await service.mf.getD1Database("DB");
  const sql = `SELECT d.tradedate, s.symbol, s.market, s.section_offset, s.section_length, s.footer_length, s.rows,
    s.last_time, s.crc, hex(s.blocks) AS blocks
    FROM order_days d JOIN day_securities s ON s.pack_id = d.pack_id ORDER BY d.dataset, d.tradedate, s.symbol, s.market`;
  return (await db.prepare(sql).all()).results;
}

/** Copies every object from one service's bucket to another's with a plain upload, so the copies have new etags. */
export async function copyObjects(from: Service, to: Service): Promise<void> {
  const [source, target] = [await from.mf.getR2Bucket("PACKS"), await to.mf.getR2Bucket("PACKS")];
  for (const { key } of (await source.list()).objects) {
    const object = await source.get(key);
    if (object !== null) await target.put(key, await object.arrayBuffer());
  }
}
