/** The rows of a pack as DuckDB reads them by the global footer: none of our own code takes part. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { PackFormatError } from "../../packs/errors.ts";
import { textNumber } from "../fingerprint.ts";

/** Some rows, in the order of the file. 64-bit columns as pairs of 32-bit words, low before high. */
export interface ForeignRows {
  rows: number;
  symbol: Int32Array;
  time: Int32Array;
  orderId: Int32Array;
  exchangeOrderId: Int32Array;
  /** Numbers of the texts in `ForeignReader.types` and `codes`. */
  orderType: ArrayLike<number>;
  orderCode: ArrayLike<number>;
  price: Float64Array;
  volume: Int32Array;
  amount: Float64Array;
}

export class ForeignReader {
  /** `textNumber` of every order type and code of the pack. */
  readonly types: number[];
  readonly codes: number[];
  private readonly instance: DuckDBInstance;
  private readonly connection: DuckDBConnection;
  private readonly source: string;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    { source, types, codes }: { source: string; types: string[]; codes: string[] },
  ) {
    this.instance = instance;
    this.connection = connection;
    this.source = source;
    this.types = types.map(textNumber);
    this.codes = codes.map(textNumber);
  }

  /**
   * Opens the pack of the day `tradedate` at `path`. Throws DuckDB's error when it does not take it,
   * `PackFormatError` when it finds rows of another day.
   */
  static async open(path: string, tradedate: string, threads: number): Promise<ForeignReader> {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(threads),
      memory_limit: "2GB",
    });
    const connection = await instance.connect();
    const source = `read_parquet(${literal(path)})`;
    try {
      const found = await connection.runAndReadAll(
        `select distinct tradedate, order_type, order_code from ${source}`,
      );
      const rows = found.getRowsJson().map((row) => row.map(String));
      const distinct = (column: number) => [...new Set(rows.map((row) => row[column] ?? ""))].sort();
      const other = distinct(0).find((day) => day !== tradedate);
      if (other !== undefined) throw new PackFormatError(`rows are of ${other}, the index says ${tradedate}`);
      const [types, codes] = [distinct(1), distinct(2)];
      for (const [name, texts] of Object.entries({ order_types: types, order_codes: codes })) {
        await connection.run(`create type ${name} as enum (${texts.map(literal).join(", ")})`);
      }
      return new ForeignReader(instance, connection, { source, types, codes });
    } catch (error) {
      connection.closeSync();
      instance.closeSync();
      throw error;
    }
  }

  /** All rows, a few thousand at a time. */
  async *rows(): AsyncGenerator<ForeignRows> {
    const result = await this.connection.stream(
      `select symbol::integer, time::integer, order_id, exchange_order_id, order_type::order_types,
         order_code::order_codes, price, volume, amount from ${this.source}`,
    );
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      const column = (number: number) => itemsOf(chunk.getColumnVector(number));
      yield {
        rows: chunk.rowCount,
        symbol: column(0) as Int32Array,
        time: column(1) as Int32Array,
        orderId: words(column(2)),
        exchangeOrderId: words(column(3)),
        orderType: column(4) as Uint8Array,
        orderCode: column(5) as Uint8Array,
        price: column(6) as Float64Array,
        volume: words(column(7)),
        amount: column(8) as Float64Array,
      };
    }
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type Items = Int32Array | Float64Array | BigInt64Array | Uint8Array | Uint16Array;

/** Vectors of fixed-size values keep them in `items`; pages of REQUIRED columns have no nulls. */
function itemsOf(vector: unknown): Items {
  const { items } = vector as { items: Items };
  return items;
}

function words({ buffer, byteOffset, byteLength }: Items): Int32Array {
  return new Int32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
}
