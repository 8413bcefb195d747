/** Writes data under the schema of the first version: an account with a key, and a loaded day. */
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import type { TestDay } from "./builders.ts";
import { sha256 } from "./operator.ts";
import { packOf } from "./packs.ts";
import type { Service } from "./service.ts";

const DAY_MS = 86_400_000;

/** The key of the account that `fillFirstSchema` creates. */
export const FIRST_KEY = "a-key-of-the-first-version";

/**
 * Writes the account with its key and flagship plan, the calendar's entry of the day, and `day` as revision 1 into an
 * empty deployment.
 */
export async function fillFirstSchema(service: Service, day: TestDay): Promise<void> {
  const { tradedate } = day;
  const { bytes, index } = await packOf(day);
  const bucket = await service.mf.getR2Bucket("PACKS");
  const objectKey = `orders/${tradedate.slice(0, 4)}/${tradedate}/1.parquet`;
  const { etag } = (await bucket.put(objectKey, bytes)) ?? { etag: "" };
  const db = await service.mf.getD1Database("DB");
  const now = Math.floor(service.nowMs());
  const rows = index.entries.reduce((sum, entry) => sum + entry.rows, 0);
  const counts = [rows, index.entries.length];
  const insert = (table: string, columns: string, ...values: (string | number | null)[]) =>
    db
      .prepare(`INSERT INTO ${table} (${columns}) VALUES (${values.map(() => "?").join(", ")})`)
      .bind(...values);
  const pack = [objectKey, etag, bytes.length, sha256(bytes), index.buildId, ...counts, 0] as const;
  await db.batch([
    insert("accounts", "account_id, contact, note, created_at_ms", "first", "Ann", "of version 1", now),
    insert(
      "api_keys",
      "sha256, key_id, account_id, name, first_characters, created_at_ms",
      ...[sha256(FIRST_KEY), "key_1", "first", "main", "a-key", now],
    ),
    insert(
      "subscriptions",
      "account_id, plan, start_ms, end_ms",
      ...["first", "flagship", now - 365 * DAY_MS, now + 365 * DAY_MS],
    ),
    insert("trading_days", "day, open, source", tradedate, 1, "test"),
    insert(
      "day_packs",
      "pack_id, tradedate, object_key, etag, size_bytes, sha256, build_id, rows, securities, degraded",
      ...[1, tradedate, ...pack],
    ),
    insert("day_revisions", "tradedate, revision, pack_id, published_at_ms", tradedate, 1, 1, now),
    insert("order_days", "tradedate, revision, pack_id, state", tradedate, 1, 1, "available"),
    insert(
      "uploads",
      "pack_id, upload_id, tradedate, revision, object_key, r2_upload_id, state, size_bytes, sha256, build_id, rows, securities, degraded, begun_at_ms",
      ...[1, "upload-1", tradedate, 1, objectKey, "r2-upload-1", "served"],
      ...[bytes.length, sha256(bytes), index.buildId, ...counts, 0, now],
    ),
    ...index.entries.map((entry) =>
      db
        .prepare(
          `INSERT INTO day_securities (pack_id, symbol, market, section_offset, section_length, footer_length,
             rows, crc, blocks) VALUES (1, ?, ?, ?, ?, ?, ?, ?, unhex(?))`,
        )
        .bind(
          ...[
            entry.symbol,
            entry.market,
            entry.offset,
            entry.length,
            entry.footerLength,
            entry.rows,
            entry.crc,
          ],
          Buffer.from(encodeBlocks(entry.blocks)).toString("hex"),
        ),
    ),
  ]);
}
