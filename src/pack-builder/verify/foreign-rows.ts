/** Reads the rows of a pack with DuckDB, which uses the global footer, instead of the project's own reader. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Column, type Dataset, storedColumns } from "../../datasets/dataset.ts";
import { PackFormatError } from "../../packs/errors.ts";
import { literal, parquetAt } from "../duckdb.ts";
import { textNumber } from "../fingerprint.ts";

/** A batch of rows in the order of the file. */
export interface ForeignRows {
  rows: number;
  symbol: Int32Array;
  time: Int32Array;
  /** The stored columns and amounts by name. */
  columns: Record<string, ForeignColumn>;
}

/** Integers are pairs of 32-bit integers, low before high; codes are indices into `ForeignReader.texts`. */
export type ForeignColumn = Int32Array | Float64Array | Uint8Array | Uint16Array;

export class ForeignReader {
  /** The `textNumber` of each text of a code column, by the column's name. */
  readonly texts: Record<string, number[]>;
  readonly dataset: Dataset;
  private readonly instance: DuckDBInstance;
  private readonly connection: DuckDBConnection;
  private readonly source: string;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    { source, texts, dataset }: { source: string; texts: Map<string, string[]>; dataset: Dataset },
  ) {
    this.instance = instance;
    this.connection = connection;
    this.source = source;
    this.dataset = dataset;
    this.texts = Object.fromEntries([...texts].map(([name, each]) => [name, each.map(textNumber)]));
  }

  /**
   * Opens the pack of `dataset` and the day `tradedate` at `path`. Throws DuckDB's error when DuckDB refuses the file,
   * and `PackFormatError` when the file has rows of another day.
   */
  static async open(
    path: string,
    { tradedate, dataset, threads }: { tradedate: string; dataset: Dataset; threads: number },
  ): Promise<ForeignReader> {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(threads),
      memory_limit: "2GB",
      // Little of the pack is read twice, so a cache of its bytes would only take memory.
      enable_external_file_cache: "false",
    });
    const connection = await instance.connect();
    // With DuckDB's default of 1 MB, its threads mostly wait for each other, and reading takes up to twice as long.
    await connection.run("set streaming_buffer_size = '64MB'");
    const source = parquetAt(path);
    try {
      const names = [
        "tradedate",
        ...storedColumns(dataset)
          .filter(isCode)
          .map(({ name }) => name),
      ];
      const found = await connection.runAndReadAll(`select distinct ${names.join(", ")} from ${source}`);
      const rows = found.getRowsJson().map((row) => row.map(String));
      const distinct = (column: number) => [...new Set(rows.map((row) => row[column] ?? ""))].sort();
      const other = distinct(0).find((day) => day !== tradedate);
      if (other !== undefined)
        throw new PackFormatError(`the file has rows of ${other}, but the index says ${tradedate}`);
      const texts = new Map(names.map((name, column) => [name, distinct(column)]));
      texts.delete("tradedate");
      for (const [name, each] of texts) {
        await connection.run(`create type ${name}s as enum (${each.map(literal).join(", ")})`);
      }
      return new ForeignReader(instance, connection, { source, texts, dataset });
    } catch (error) {
      connection.closeSync();
      instance.closeSync();
      throw error;
    }
  }

  /** Yields all rows, a few thousand at a time. */
  async *rows(): AsyncGenerator<ForeignRows> {
    const read = this.dataset.columns.filter(({ kind }) => !FIXED.has(kind));
    const columns = read.map((column) => (isCode(column) ? `${column.name}::${column.name}s` : column.name));
    const result = await this.connection.stream(
      `select symbol::integer, time::integer, ${columns.join(", ")} from ${this.source}`,
    );
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      const items = (number: number) => itemsOf(chunk.getColumnVector(number));
      yield {
        rows: chunk.rowCount,
        symbol: items(0) as Int32Array,
        time: items(1) as Int32Array,
        columns: Object.fromEntries(
          read.map(({ name, kind }, number) => {
            const found = items(number + 2);
            return [name, kind === "integer" ? pairs(found) : (found as ForeignColumn)];
          }),
        ),
      };
    }
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
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
