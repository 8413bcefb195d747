/** Reads Parquet files with DuckDB, which shares no code with the project. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Row } from "./builders.ts";

export interface ParquetFile {
  names: string[];
  /** `[name, physical type, repetition]` of every column. */
  schema: string[][];
  /** Every codec of the column chunks. */
  codecs: string[];
  /** Rows in file order; 64-bit integers as numbers, which tests keep below 2^53. */
  rows: Row[];
}

/** Reads a whole Parquet file. Throws when DuckDB refuses it. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetFile> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-parquet-"));
  const path = join(folder, "answer.parquet");
  await writeFile(path, bytes);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  try {
    const all = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    const schema = await rowsOf(`SELECT name, type, repetition_type FROM parquet_schema('${path}')`);
    const codecs = await rowsOf(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`);
    return {
      names: all.columnNames(),
      schema: schema.slice(1).map((column) => column.map(String)),
      codecs: codecs.map(([codec]) => String(codec)),
      rows: all
        .getRows()
        .map((row) => row.map((value) => (typeof value === "bigint" ? Number(value) : value)) as Row),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}
