/** Reads the rows of a pack, or of a slice of it, with DuckDB instead of the project's own reader. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../datasets/dataset.ts";
import { DATASETS } from "../../datasets/registry.ts";
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex } from "../../packs/layout.ts";
import { literal, parquetAt } from "../duckdb.ts";
import { textNumber } from "../fingerprint.ts";

/** A batch of rows in the order of the file. */
export interface ForeignRows {
  rows: number;
  symbol: Int32Array;
  time: Int32Array;
  /** The stored columns and amounts by name. */
  columns: Record<string, ForeignColumn>;
  /** The `textNumber` of each text of a code column, by the column's name. */
  texts: Record<string, number[]>;
}

/** Integers are pairs of 32-bit integers, low before high; codes are indices into `ForeignRows.texts`. */
export type ForeignColumn = Int32Array | Float64Array | Uint8Array | Uint16Array;

/**
 * Yields all rows of the file at `path`, a few thousand at a time. The file is a pack with this `index`, or a slice of
 * it. Throws DuckDB's error when DuckDB refuses the file, and `PackFormatError` when the file has rows of another day.
 */
export async function* foreignRows(
  connection: DuckDBConnection,
  path: string,
  { tradedate, dataset: name }: Pick<DayIndex, "tradedate" | "dataset">,
): AsyncGenerator<ForeignRows> {
  // With DuckDB's default of 1 MB, its threads mostly wait for each other, and reading takes up to twice as long.
  await connection.run("set streaming_buffer_size = '64MB'");
  const dataset = DATASETS[name];
  const source = parquetAt(path);
  const codes = dataset.columns.filter(isCode).map((column) => column.name);
  const found = await connection.runAndReadAll(
    `select distinct ${["tradedate", ...codes].join(", ")} from ${source}`,
  );
  const rows = found.getRowsJson().map((row) => row.map(String));
  const [days = [], ...texts] = ["tradedate", ...codes].map((_, column) =>
    [...new Set(rows.map((row) => row[column] ?? ""))].sort(),
  );
  const other = days.find((day) => day !== tradedate);
  if (other !== undefined) {
    throw new PackFormatError(`the file has rows of ${other}, but the index says ${tradedate}`);
  }
  for (const [number, code] of codes.entries()) {
    const values = (texts[number] ?? []).map(literal);
    await connection.run(`create type ${code}s as enum (${values.join(", ")})`);
  }
  const numbers = Object.fromEntries(
    codes.map((code, number) => [code, (texts[number] ?? []).map(textNumber)]),
  );
  const read = dataset.columns.filter(({ kind }) => !FIXED.has(kind));
  const columns = read.map((column) => (isCode(column) ? `${column.name}::${column.name}s` : column.name));
  const result = await connection.stream(
    `select symbol::integer, time::integer, ${columns.join(", ")} from ${source}`,
  );
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const items = (number: number) => itemsOf(chunk.getColumnVector(number));
    yield {
      rows: chunk.rowCount,
      symbol: items(0) as Int32Array,
      time: items(1) as Int32Array,
      texts: numbers,
      columns: Object.fromEntries(
        read.map(({ name, kind }, number) => {
          const found = items(number + 2);
          return [name, kind === "integer" ? pairs(found) : (found as ForeignColumn)];
        }),
      ),
    };
  }
}

/** The kinds of the columns that are not in `ForeignRows.columns`. */
const FIXED = new Set(["symbol", "tradedate", "time"]);

function isCode({ kind }: Column): boolean {
  return kind === "code";
}

type Items = Int32Array | Float64Array | BigInt64Array | Uint8Array | Uint16Array;

/** Returns the items of a vector of fixed-size values. It has no nulls, because the column is REQUIRED. */
function itemsOf(vector: unknown): Items {
  const { items } = vector as { items: Items };
  return items;
}

function pairs({ buffer, byteOffset, byteLength }: Items): Int32Array {
  return new Int32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
}
