/** DuckDB on the same pack with its footer cached, and DuckDB on a table of its own, sorted as the pack is. */
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { nineDigits, type Rival, type RivalSetting, type RowsAsk } from "./rival.ts";

/** The ten fields; 64-bit integers as doubles, because `JSON.stringify` takes no others. */
export const TEN_FIELDS = `symbol, tradedate, time, order_id::DOUBLE, exchange_order_id::DOUBLE, order_type,
  order_code, price, volume::DOUBLE, amount`;

/** A connection to a database of its own at `path`, in memory when absent. */
export async function duckdbConnection(path = ":memory:"): Promise<DuckDBConnection> {
  const duckdb = await (await DuckDBInstance.create(path)).connect();
  await duckdb.run("SET parquet_metadata_cache = true");
  return duckdb;
}

/** Every query reads the pack. */
export async function duckdbOnPack({ day }: RivalSetting): Promise<Rival> {
  return duckdbOn(await duckdbConnection(), `'${day.path}'`, "DuckDB on the pack");
}

/** The rows are copied into a table first; that time is not in the figures. */
export async function duckdbOnTable({ day, folder }: RivalSetting): Promise<Rival> {
  const duckdb = await duckdbConnection(join(folder, "orders.duckdb"));
  await duckdb.run(`CREATE TABLE orders AS SELECT * FROM '${day.path}'`);
  return duckdbOn(duckdb, "orders", "DuckDB on its own table");
}

function duckdbOn(duckdb: DuckDBConnection, source: string, name: string): Rival {
  return {
    name,
    async rows(ask) {
      const sql = `SELECT ${TEN_FIELDS} FROM ${source} WHERE ${conditionOf(ask)}
        LIMIT ${ask.limit} OFFSET ${ask.from.skip}`;
      return JSON.stringify((await duckdb.runAndReadAll(sql)).getRowsJS());
    },
    async parquet(symbol, path) {
      await duckdb.run(`COPY (SELECT * FROM ${source} WHERE symbol = '${symbol}')
        TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10000)`);
    },
    close: () => duckdb.closeSync(),
  };
}

function conditionOf({ symbol, from, endTime }: RowsAsk): string {
  const end = endTime === null ? "" : ` AND time < '${nineDigits(endTime)}'`;
  return `symbol = '${symbol}' AND time >= '${nineDigits(from.time)}'${end}`;
}
