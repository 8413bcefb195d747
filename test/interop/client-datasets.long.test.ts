/** Trades with both clients against the service, beside orders of the same day and with their own quota. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Change, Client, QuotaUsed } from "../../src/client/typescript/index.ts";
import { trades } from "../../src/datasets/trades.ts";
import { burst, columnsIn, columnsOf, day, type Row, randomSecurity } from "../support/builders.ts";
import { answerRows } from "../support/dataset-days.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { isPythonMissing, type PythonSession, pythonWith, startSession } from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";

const DAY = "20260311";
const orders = day({
  tradedate: DAY,
  securities: [
    randomSecurity(randomFrom(20_260_311), { symbol: "000001", rows: 2_345, crowd: 5 }),
    burst({ symbol: "600519", time: "093000000", rows: 250 }),
  ],
});
const rowsOf = (symbol: string, fields?: string[]): Row[] =>
  orders.securities
    .filter((each) => each.symbol === symbol)
    .map((each) => ({ ...each, columns: columnsIn("trades", columnsOf(each.orders)) }))
    .flatMap((each) => answerRows(trades, each, DAY, fields));
/** One on-request column and one standard column. */
const ASKED = ["order_kind", "bs_flag"];
const without = isPythonMissing("trades with the Python client");
const pandas = without ? null : pythonWith("pandas", "pyarrow");

let service: Service;
let folder: string;
let key: string;
beforeAll(async () => {
  service = await startService();
  await loadWeekdays(service, "20260101", "20261231");
  await publish(service, orders);
  await publish(service, orders, "trades");
  key = (await account(service, { plan: "flagship" })).key;
  folder = await mkdtemp(join(tmpdir(), "edgetape-trades-"));
});
afterAll(async () => {
  await service?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe("trades with the TypeScript client", () => {
  it("are read as pages, as a window, as a file and as a basket, exact in every cell", async () => {
    const client = new Client({ key, baseUrls: service.baseUrl });
    const query = { symbol: "000001", date: DAY };
    const rows = await client.trades({ ...query, pageSize: 500 }).toArray();
    expect(rows.map((row) => Object.values(row))).toEqual(rowsOf("000001"));
    const times = rowsOf("000001").map(([, , time]) => `${time}`);
    const window = { start: times[500] ?? "", end: times[1_500] ?? "" };
    const asked = await client
      .trades({ ...query, ...window, fields: ["order_kind", "bs_flag", "time"] })
      .toArray();
    const inside = rowsOf("000001", ["order_kind", "bs_flag", "time"]).filter(
      ([, , time]) => `${time}` >= window.start && `${time}` < window.end,
    );
    expect(asked.map((row) => Object.values(row))).toEqual(inside);
    const file = await client.tradesParquet(query);
    expect(file.name).toBe(`000001.SZ_${DAY}_trades.parquet`);
    expect((await readParquet(file.bytes)).rows).toEqual(rowsOf("000001"));
    const basket = client.trades({ symbols: ["600519", "000001"], startDate: DAY, endDate: DAY });
    expect(await basket.plan()).toMatchObject({ securityDays: 2, rows: 2_595, requests: 2, files: 2 });
    expect((await basket.toArray()).map((row) => Object.values(row))).toEqual([
      ...rowsOf("600519"),
      ...rowsOf("000001"),
    ]);
  });

  it("have their own days, securities, changes and estimates", async () => {
    const client = new Client({ key, baseUrls: service.baseUrl });
    const [days, securities] = [
      (await client.status("202603", { dataset: "trades" })).days,
      await client.symbols(DAY, { dataset: "trades" }),
    ];
    expect(days.find(({ tradedate }) => tradedate === DAY)).toMatchObject({ revision: 1, rows: 2_595 });
    expect(securities.map(({ symbol, rows }) => [symbol, rows])).toEqual([
      ["000001", 2_345],
      ["600519", 250],
    ]);
    const changes: Change[] = [];
    for await (const change of client.changes({ dataset: "trades" })) changes.push(change);
    expect(changes).toMatchObject([{ dataset: "trades", tradedate: DAY, kind: "published" }]);
    const estimate = await client.estimate({ symbol: "600519", date: DAY, dataset: "trades" });
    expect(estimate.rows).toEqual({ at_least: 250, at_most: 250 });
    expect(await client.waitUntilReady(DAY, { dataset: "trades" })).toBe(1);
  });

  it("use a quota of their own, and can be read in parallel with orders", async () => {
    const { key } = await account(service, { plan: "trial", limits: { requests: 1 } });
    const client = new Client({ key, baseUrls: service.baseUrl });
    const query = { symbol: "600519", date: DAY };
    const both = [client.orders(query).toArray(), client.trades(query).toArray()];
    expect((await Promise.all(both)).map((rows) => rows.length)).toEqual([250, 250]);
    await expect(client.trades(query).toArray()).rejects.toBeInstanceOf(QuotaUsed);
  });
});

describe.skipIf(without)("trades with the Python client", () => {
  const session = async (command?: string): Promise<PythonSession> => {
    const env = { EDGETAPE_KEY: key, EDGETAPE_URL: service.baseUrl };
    const started = await startSession(command === undefined ? { env } : { command, env });
    await started.run(`client, folder, day = Client(), ${JSON.stringify(folder)}, "${DAY}"`);
    return started;
  };

  it("are read as pages, files and baskets, with operations of their own", async () => {
    const python = await session();
    const program = `result = {
  "rows": client.trades("000001", day, page_size=500).to_list(),
  "fields": client.trades("600519", day, fields="${ASKED}").to_list()[:1],
  "file": client.trades_parquet("000001", day, folder).path,
  "basket": client.trades(["600519", "000001"], day, day).to_list(),
  "plan": str(client.trades(["600519", "000001"], day, day).plan()),
  "status": [each["revision"] for each in client.status(day, "trades")["days"] if each["tradedate"] == day],
  "symbols": [each["rows"] for each in client.symbols(day, None, "trades")],
  "changes": [each["dataset"] for each in client.changes(dataset="trades")],
  "estimate": client.estimate("600519", day, dataset="trades")["rows"]["at_most"],
  "ready": client.wait_until_ready(day, "trades"),
}`;
    const found = await python.run<Record<string, unknown>>(program).finally(python.stop);
    expect(found.rows).toEqual(rowsOf("000001"));
    expect(found.file).toBe(join(folder, `000001.SZ_${DAY}_trades.parquet`));
    expect((await readParquet(await readFile(`${found.file}`))).rows).toEqual(rowsOf("000001"));
    expect(found.basket).toEqual([...rowsOf("600519"), ...rowsOf("000001")]);
    expect(found.plan).toContain("2 security days on 1 days: 2,595 rows in 2 requests");
    const { fields, status, symbols, changes, estimate, ready } = found;
    expect([fields, status, symbols]).toEqual([rowsOf("600519", ASKED).slice(0, 1), [1], [2_345, 250]]);
    expect([changes, estimate, ready]).toEqual([["trades"], 250, 1]);
  });

  it.skipIf(pandas === null)(
    "have the same shape in frames, synced files, history and Parquet answers",
    async () => {
      const python = await session(pandas ?? undefined);
      const program = `import os
symbols = ["600519", "000001"]
frames = [client.trades(symbols, day, day).to_df()]
synced, kept = os.path.join(folder, "sync"), os.path.join(folder, "history")
reports = [client.sync(symbols, day, day, synced, "trades"), client.sync(symbols, day, day, synced),
           client.sync(symbols, day, day, synced, "trades")]
before = [each["files"]["used"] for each in client.account()["quotas"]]
reports += [client.history(symbols, day, day, kept, each) for each in ("trades", "orders")]
free = before == [each["files"]["used"] for each in client.account()["quotas"]]
frames += [read_history(each, symbols, day, day, "trades") for each in (synced, kept)]
one = client.trades_parquet("600519", day, os.path.join(folder, "one.parquet"))
with open(one.path, "rb") as a, open(os.path.join(synced, "600519.SH", f"600519.SH_{day}_trades.parquet"), "rb") as b:
    same = a.read() == b.read()
table = read_history(synced, symbols, dataset="trades", to="arrow")
raw = client.trades(symbols, day, day).to_df(raw=True)
result = [[len(each.fetched) for each in reports], [frames[0].equals(each) for each in frames],
          {name: str(kind) for name, kind in frames[0].dtypes.items()}, same and free,
          raw.equals(read_history(synced, symbols, dataset="trades", raw=True)),
          [list(row.values()) for row in table.to_pylist()]]`;
      const [fetched, equal, kinds, isSame, isRawSame, rows] = await python
        .run<unknown[]>(program)
        .finally(python.stop);
      expect([fetched, equal, isSame, isRawSame]).toEqual([[2, 2, 0, 2, 2], [true, true, true], true, true]);
      expect(kinds).toMatchObject({ time: "datetime64[ns]", bs_flag: "category", buy_order_id: "int64" });
      expect(rows).toEqual([...rowsOf("600519"), ...rowsOf("000001")]);
    },
  );
});
