/** The rows of a pack as DuckDB reads them by the global footer: none of our own code takes part. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
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

  /** Opens the pack at `path`; throws DuckDB's error when it does not take it. */
  static async open(path: string, threads: number): Promise<ForeignReader> {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(threads),
      memory_limit: "2GB",
    });
    const connection = await instance.connect();
    const source = `read_parquet('${path.replaceAll("'", "''")}')`;
    try {
      const types = await texts(connection, source, "order_type");
      const codes = await texts(connection, source, "order_code");
      return new ForeignReader(instance, connection, { source, types, codes });
    } catch (error) {
      connection.closeSync();
      instance.closeSync();
      throw error;
    }
  }

  /** Rows whose trading date is not `tradedate`. */
  async rowsOfOtherDays(tradedate: string): Promise<number> {
    const counted = await this.connection.runAndReadAll(
      `select count(*)::integer from ${this.source} where tradedate <> '${tradedate}'`,
    );
    return Number(counted.getRowsJson()[0]?.[0] ?? -1);
  }

  /** All rows, a few thousand at a time. */
  async *rows(): AsyncGenerator<ForeignRows> {
    const result = await this.connection.stream(
      `select symbol::integer, time::integer, order_id, exchange_order_id, order_type::order_type_values,
         order_code::order_code_values, price, volume, amount from ${this.source}`,
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

/** The distinct texts of `column`, in the order of the numbers that DuckDB gives them from now on. */
async function texts(connection: DuckDBConnection, source: string, column: string): Promise<string[]> {
  await connection.run(`create type ${column}_values as enum (select distinct ${column} from ${source})`);
  const listed = await connection.runAndReadAll(`select unnest(enum_range(null::${column}_values))`);
  return listed.getRowsJson().map(([text]) => String(text));
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
