/**
 * Computes a digest of the rows of a Parquet file and their order. The program that wrote the file makes no difference.
 */
import { duckdbConnection } from "./duckdb.ts";

/** Returns a digest that includes the sum of the hashes of all rows, each hashed with its position. */
export async function digestOf(path: string): Promise<string> {
  const duckdb = await duckdbConnection();
  // DuckDB must not cache the file, because the file's content changes.
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
