/** Whether two Parquet files hold the same rows in the same order, from any writer. */
import { duckdbConnection } from "./duckdb.ts";

/** Every value of every row with its place, summed up: equal for equal rows in equal order. Read by DuckDB. */
export async function digestOf(path: string): Promise<string> {
  const duckdb = await duckdbConnection();
  // The file at this path may be another one each time.
  await duckdb.run("SET parquet_metadata_cache = false");
  const described = await duckdb.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
  const names = described
    .getRows()
    .map(([name]) => String(name))
    .toSorted();
  const digest = await duckdb.runAndReadAll(`SELECT count(*), sum(hash(file_row_number, ${names.join()}))
    FROM read_parquet('${path}', file_row_number = true)`);
  duckdb.closeSync();
  return [names, digest.getRows()].join();
}
