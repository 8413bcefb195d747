/** Node's own SQLite: the rows clustered by symbol, market, time and place, the JSON text built in SQL. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { duckdbConnection, TEN_FIELDS } from "./duckdb.ts";
import { nineDigits, type Rival, type RivalSetting } from "./rival.ts";

const COLUMNS = `symbol, tradedate, time, order_id, exchange_order_id, order_type, order_code, price, volume,
  amount`;

/** Loading the rows is not in the figures. */
export async function sqlite({ day, folder }: RivalSetting): Promise<Rival> {
  const db = new DatabaseSync(join(folder, "orders.sqlite"));
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;
    CREATE TABLE orders (symbol TEXT, market TEXT, tradedate TEXT, time TEXT, place INTEGER, order_id INTEGER,
      exchange_order_id INTEGER, order_type TEXT, order_code TEXT, price REAL, volume INTEGER, amount REAL,
      PRIMARY KEY (symbol, market, time, place)) WITHOUT ROWID;
    BEGIN`);
  const insert = db.prepare(
    `INSERT INTO orders (${COLUMNS}, market, place) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
  );
  const markets = new Map(day.pack.index.entries.map(({ symbol, market }) => [symbol, market]));
  const duckdb = await duckdbConnection();
  const loaded = await duckdb.stream(`SELECT ${TEN_FIELDS} FROM '${day.path}'`);
  let place = 0;
  for await (const rows of loaded.yieldRowsJs()) {
    for (const row of rows as (string | number)[][])
      insert.run(...row, markets.get(String(row[0])) ?? "", place++);
  }
  duckdb.closeSync();
  db.exec("COMMIT; ANALYZE");
  const select =
    db.prepare(`SELECT json_group_array(json_array(${COLUMNS})) AS json FROM (SELECT * FROM orders
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
