/** DuckDB with the footers of its files cached. */
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { columnNamed } from "../../../src/datasets/dataset.ts";
import { DATASETS } from "../../../src/datasets/registry.ts";
import type { BenchDay } from "../days.ts";
import { nineDigits, type Rival, type RivalSetting } from "./rival.ts";

/**
 * Returns the columns of a page of `day`, with 64-bit integers as doubles, because `JSON.stringify` refuses bigints.
 */
export function columnsOf({ dataset, columns }: BenchDay): string {
  const isInteger = (field: string) => columnNamed(DATASETS[dataset], field).type === "INT64";
  return columns.map(({ field }) => (isInteger(field) ? `${field}::DOUBLE` : field)).join(", ");
}

/** Opens a connection to a new database, at `path` or by default in memory. */
export async function duckdbConnection(path = ":memory:"): Promise<DuckDBConnection> {
  const duckdb = await (await DuckDBInstance.create(path)).connect();
  await duckdb.run("SET parquet_metadata_cache = true");
  return duckdb;
}

/**
 * Writes the measured security into a separate file, because edgetape's pack has a separate section for each security.
 * Then prepares a statement that builds the JSON text. The figures do not include the time to write the file. The
 * contestant has no Parquet task, because the answer would be a copy of this file.
 */
export async function duckdb({ day, folder }: RivalSetting): Promise<Rival> {
  const connection = await duckdbConnection();
  const { symbol } = day.entry;
  const path = join(folder, `${symbol}.parquet`);
  await connection.run(`COPY (SELECT * FROM '${day.path}' WHERE symbol = '${symbol}')
    TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10000)`);
  const page =
    await connection.prepare(`SELECT '[' || string_agg(json_array(${columnsOf(day)})::VARCHAR, ',') || ']'
    FROM (SELECT * FROM '${path}' WHERE time >= $1 AND time < $2 LIMIT $3 OFFSET $4)`);
  return {
    name: "DuckDB on the security's file, JSON in SQL",
    async rows({ from, endTime, limit }) {
      page.bindVarchar(1, nineDigits(from.time));
      page.bindVarchar(2, endTime === null ? "9" : nineDigits(endTime));
      page.bindInteger(3, limit);
      page.bindInteger(4, from.skip);
      return String((await page.runAndReadAll()).getRowsJS()[0]?.[0]);
    },
    close: () => connection.closeSync(),
  };
}

/**
 * Returns a digest of a Parquet file's rows, whichever program wrote it. The digest includes the sum of the hashes of
 * all rows, each hashed with its position.
 */
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
