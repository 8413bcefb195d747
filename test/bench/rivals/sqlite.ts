/** Node's own SQLite: the rows are clustered by symbol, market, time and position, and SQL builds the JSON text. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { columnNamed } from "../../../src/datasets/dataset.ts";
import { DATASETS } from "../../../src/datasets/registry.ts";
import { columnsOf, duckdbConnection } from "./duckdb.ts";
import { nineDigits, type Rival, type RivalSetting } from "./rival.ts";

const SQL_TYPES = { BYTE_ARRAY: "TEXT", INT64: "INTEGER", DOUBLE: "REAL" } as const;

/** Loads the rows. The figures do not include the time to load them. */
export async function sqlite({ day, folder }: RivalSetting): Promise<Rival> {
  const names = day.columns.map(({ field }) => field).join(", ");
  const typed = day.columns
    .map(({ field }) => `${field} ${SQL_TYPES[columnNamed(DATASETS[day.dataset], field).type]}`)
    .join(", ");
  const db = new DatabaseSync(join(folder, "orders.sqlite"));
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;
    CREATE TABLE rows (${typed}, market TEXT, place INTEGER,
      PRIMARY KEY (symbol, market, time, place)) WITHOUT ROWID;
    BEGIN`);
  const values = Array.from({ length: day.columns.length + 2 }, () => "?").join();
  const insert = db.prepare(`INSERT INTO rows (${names}, market, place) VALUES (${values})`);
  const markets = new Map(day.pack.index.entries.map(({ symbol, market }) => [symbol, market]));
  const duckdb = await duckdbConnection();
  const loaded = await duckdb.stream(`SELECT ${columnsOf(day)} FROM '${day.path}'`);
  let place = 0;
  for await (const rows of loaded.yieldRowsJs()) {
    for (const row of rows as (string | number)[][])
      insert.run(...row, markets.get(String(row[0])) ?? "", place++);
  }
  duckdb.closeSync();
  db.exec("COMMIT; ANALYZE");
  const select = db.prepare(`SELECT json_group_array(json_array(${names})) AS json FROM (SELECT * FROM rows
    WHERE symbol = ? AND market = ? AND time >= ? AND time < ? ORDER BY time, place LIMIT ? OFFSET ?)`);
  return {
    name: "SQLite, clustered, JSON in SQL",
    async rows({ symbol, from, endTime, limit }) {
      const window = [nineDigits(from.time), endTime === null ? "9" : nineDigits(endTime)];
      return String(select.get(symbol, day.entry.market, ...window, limit, from.skip)?.json);
    },
    close: () => db.close(),
  };
}
