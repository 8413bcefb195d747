/** Whether two Parquet files hold the same rows in the same order, from any writer. */
import { duckdbConnection } from "./duckdb.ts";

/** Every value of every row with its place, summed up: equal for equal rows in equal order. Read by DuckDB. */
export async function digestOf(path: string): Promise<string> {
  const duckdb = await duckdbConnection();
  // The file at this path may be another one each time.
  await duckdb.run("SET parquet_metadata_cache = false");
  const digest =
    await duckdb.runAndReadAll(`SELECT count(*), sum(hash(file_row_number, symbol, tradedate, time,
    order_id, exchange_order_id, order_type, order_code, price, volume, amount))
    FROM read_parquet('${path}', file_row_number = true)`);
  duckdb.closeSync();
  return digest.getRows().join();
}
