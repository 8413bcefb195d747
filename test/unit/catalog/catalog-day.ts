/** Support for the tests of the catalog: its database, and a function that inserts a day but stores no pack in R2. */
import { env } from "cloudflare:workers";
import { sql } from "../../../src/catalog/sql.ts";
import type { Env } from "../../../src/env.ts";

export const { DB } = env as unknown as Env;
export const query = sql(DB);

/** Inserts a revision of a day, as publishing does. The revision is the current one unless `replacedAtMs` is set. */
export async function putDay(
  tradedate: string,
  packId: number,
  {
    dataset = "orders",
    revision = 1,
    state = "available",
    objectKey = `key-${packId}`,
    content = "build",
    sizeBytes = 1,
    replacedAtMs = null as number | null,
  } = {},
): Promise<void> {
  await DB.batch([
    query`
      INSERT INTO day_packs VALUES (${packId}, ${tradedate}, ${objectKey}, ${`etag-${packId}`}, ${sizeBytes},
        ${`sha of ${content}`}, ${content}, 1, 1, 0, NULL, NULL, ${dataset})`,
    query`INSERT INTO day_revisions VALUES (${dataset}, ${tradedate}, ${revision}, ${packId}, 3, ${replacedAtMs})`,
    query`
      INSERT OR REPLACE INTO order_days SELECT ${dataset}, ${tradedate}, ${revision}, ${packId}, ${state}, ''
      WHERE ${replacedAtMs} IS NULL`,
  ]);
}
