/** Reads orders, trades and quotes of one day with both clients. Each dataset has a separate quota. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type BasketQuery,
  type Change,
  Client,
  QuotaUsed,
  type TickBasket,
  type TickQuery,
  type Ticks,
} from "../../src/client/typescript/index.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import { type Row, randomRows } from "../support/builders.ts";
import { answerRows, type DatasetSection, publishSections } from "../support/dataset-days.ts";
import { account, loadWeekdays } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { isPythonMissing, type PythonSession, pythonWith, startSession } from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DAY = "20260311";
/**
 * The two columns that the tests request for each dataset. If the dataset has on-request columns, one of the two is
 * such a column. `kinds` lists the pandas types that some columns must have.
 */
const ASKED = {
  orders: { fields: ["order_code", "price"], kinds: {} },
  trades: { fields: ["order_kind", "bs_flag"], kinds: { bs_flag: "category", buy_order_id: "int64" } },
  quotes: {
    fields: ["iopv", "ask_vol10"],
    kinds: { ask10: "float64", bid_vol1: "int64", amount: "float64" },
  },
};

const sections = (name: DatasetName): DatasetSection[] => [
  {
    symbol: "000001",
    market: "SZ",
    columns: randomRows(randomFrom(1), DATASETS[name], { rows: 2_345, crowd: 5 }),
  },
  { symbol: "600519", market: "SH", columns: randomRows(randomFrom(2), DATASETS[name], { rows: 250 }) },
];
const rowsOf = (name: DatasetName, symbol: string, fields?: string[]): Row[] =>
  sections(name)
    .filter((each) => each.symbol === symbol)
    .flatMap((each) => answerRows(DATASETS[name], each, DAY, fields));

/** A client method that reads a dataset, without the types of the dataset's columns. */
type Method = ((query: TickQuery<string>) => Ticks<object>) &
  ((query: BasketQuery<string>) => TickBasket<object>);
const methodOf = (client: Client, name: DatasetName) => client[name] as unknown as Method;

async function valuesOf(rows: AsyncIterable<object>): Promise<unknown[][]> {
  const values: unknown[][] = [];
  for await (const row of rows) values.push(Object.values(row));
  return values;
}

const without = isPythonMissing("datasets with the Python client");
const pandas = without ? null : pythonWith("pandas", "pyarrow");

const folder = testFolder("edgetape-datasets-");
const service = await testService();
await loadWeekdays(service, "20260101", "20261231");
for (const name of DATASET_NAMES) await publishSections(service, name, DAY, sections(name));
const { key } = await account(service, { plan: "flagship" });

describe.each(DATASET_NAMES)("%s in the TypeScript client", (name) => {
  it("are returned exactly as pages, as a time window, as a file and as a basket", async () => {
    const client = new Client({ key, baseUrls: service.baseUrl });
    const read = methodOf(client, name);
    const query = { symbol: "000001", date: DAY };
    expect(await valuesOf(read({ ...query, pageSize: 500 }))).toEqual(rowsOf(name, "000001"));
    const times = rowsOf(name, "000001").map(([, , time]) => `${time}`);
    const window = { start: times[500] ?? "", end: times[1_500] ?? "" };
    const fields = [...ASKED[name].fields, "time"];
    const inside = rowsOf(name, "000001", fields).filter(
      ([, , time]) => `${time}` >= window.start && `${time}` < window.end,
    );
    expect(await valuesOf(read({ ...query, ...window, fields }))).toEqual(inside);
    const { name: called, bytes } = await client[`${name}Parquet`](query);
    expect(called).toBe(`000001.SZ_${DAY}_${name}.parquet`);
    expect((await readParquet(bytes)).rows).toEqual(rowsOf(name, "000001"));
    const both = read({ symbols: ["600519", "000001"], startDate: DAY, endDate: DAY });
    expect(await both.plan()).toMatchObject({ securityDays: 2, rows: 2_595, requests: 2, files: 2 });
    expect(await valuesOf(both)).toEqual([...rowsOf(name, "600519"), ...rowsOf(name, "000001")]);
  });

  it("have their own days, securities, changes and estimates", async () => {
    const client = new Client({ key, baseUrls: service.baseUrl });
    const days = (await client.status("202603", { dataset: name })).days;
    const securities = await client.symbols(DAY, { dataset: name });
    expect(days.find(({ tradedate }) => tradedate === DAY)).toMatchObject({ revision: 1, rows: 2_595 });
    expect(securities.map(({ symbol, rows }) => [symbol, rows])).toEqual([
      ["000001", 2_345],
      ["600519", 250],
    ]);
    const changes: Change[] = [];
    for await (const change of client.changes({ dataset: name })) changes.push(change);
    expect(changes).toMatchObject([{ dataset: name, tradedate: DAY, kind: "published" }]);
    const estimate = await client.estimate({ symbol: "600519", date: DAY, dataset: name });
    expect(estimate.rows).toEqual({ at_least: 250, at_most: 250 });
    expect(await client.waitUntilReady(DAY, { dataset: name })).toBe(1);
  });

  it.skipIf(name === "orders")(
    "have their own quota, and can be read at the same time as orders",
    async () => {
      const { key } = await account(service, { plan: "trial", limits: { requests: 1 } });
      const client = new Client({ key, baseUrls: service.baseUrl });
      const query = { symbol: "600519", date: DAY };
      const read = methodOf(client, name);
      const both = [valuesOf(client.orders(query)), valuesOf(read(query))];
      expect((await Promise.all(both)).map((rows) => rows.length)).toEqual([250, 250]);
      await expect(valuesOf(read(query))).rejects.toBeInstanceOf(QuotaUsed);
    },
  );
});

describe.skipIf(without).each(DATASET_NAMES)("%s in the Python client", (name) => {
  const session = async (command?: string): Promise<PythonSession> => {
    const env = { EDGETAPE_KEY: key, EDGETAPE_URL: service.baseUrl };
    const started = await startSession(command === undefined ? { env } : { command, env });
    const given = { client: "Client()", folder: JSON.stringify(join(folder, name)), day: `"${DAY}"` };
    await started.run(`import os
${Object.keys(given).join(", ")}, name = ${Object.values(given).join(", ")}, "${name}"
os.makedirs(folder, exist_ok=True)
read, save = getattr(client, name), getattr(client, name + "_parquet")`);
    return started;
  };

  it("can be read as pages, files and baskets, and have their own days, securities, changes and estimates", async () => {
    const python = await session();
    const program = `result = {
  "rows": read("000001", day, page_size=500).to_list(),
  "fields": read("600519", day, fields="${ASKED[name].fields}").to_list()[:1],
  "file": save("000001", day, folder).path,
  "basket": read(["600519", "000001"], day, day).to_list(),
  "plan": str(read(["600519", "000001"], day, day).plan()),
  "status": [each["revision"] for each in client.status(day, name)["days"] if each["tradedate"] == day],
  "symbols": [each["rows"] for each in client.symbols(day, None, name)],
  "changes": [each["dataset"] for each in client.changes(dataset=name)],
  "estimate": client.estimate("600519", day, dataset=name)["rows"]["at_most"],
  "ready": client.wait_until_ready(day, name),
}`;
    const found = await python.run<Record<string, unknown>>(program).finally(python.stop);
    expect(found.rows).toEqual(rowsOf(name, "000001"));
    expect(found.file).toBe(join(folder, name, `000001.SZ_${DAY}_${name}.parquet`));
    expect((await readParquet(await readFile(`${found.file}`))).rows).toEqual(rowsOf(name, "000001"));
    expect(found.basket).toEqual([...rowsOf(name, "600519"), ...rowsOf(name, "000001")]);
    expect(found.plan).toContain("2 security days on 1 days: 2,595 rows in 2 requests");
    const { fields, status, symbols, changes, estimate, ready } = found;
    const first = rowsOf(name, "600519", ASKED[name].fields).slice(0, 1);
    expect([fields, status, symbols]).toEqual([first, [1], [2_345, 250]]);
    expect([changes, estimate, ready]).toEqual([[name], 250, 1]);
  });

  it.skipIf(pandas === null || name === "orders")(
    "have the same content in frames, synced files, history and Parquet answers",
    async () => {
      const python = await session(pandas ?? undefined);
      const program = `symbols, only = ["600519", "000001"], ["600519"]
frames = [read(symbols, day, day).to_df()]
synced, kept = os.path.join(folder, "sync"), os.path.join(folder, "history")
reports = [client.sync(symbols, day, day, synced, name), client.sync(only, day, day, synced),
           client.sync(symbols, day, day, synced, name)]
before = [each["files"]["used"] for each in client.account()["quotas"]]
reports += [client.history(only if each == "orders" else symbols, day, day, kept, each) for each in (name, "orders")]
free = before == [each["files"]["used"] for each in client.account()["quotas"]]
frames += [read_history(each, symbols, day, day, name) for each in (synced, kept, folder)]
one = save("600519", day, os.path.join(folder, "one.parquet"))
with open(one.path, "rb") as a, open(os.path.join(synced, "600519.SH", f"600519.SH_{day}_{name}.parquet"), "rb") as b:
    same = a.read() == b.read()
table = read_history(synced, symbols, dataset=name, to="arrow")
raw = read(symbols, day, day).to_df(raw=True)
result = [[len(each.fetched) for each in reports], [frames[0].equals(each) for each in frames],
          {name: str(kind) for name, kind in frames[0].dtypes.items()}, same and free,
          raw.equals(read_history(synced, symbols, dataset=name, raw=True)),
          [list(row.values()) for row in table.to_pylist()]]`;
      const [fetched, equal, kinds, isSame, isRawSame, rows] = await python
        .run<unknown[]>(program)
        .finally(python.stop);
      expect([fetched, equal, isSame, isRawSame]).toEqual([
        [2, 1, 0, 2, 1],
        [true, true, true, true],
        true,
        true,
      ]);
      expect(kinds).toMatchObject({ time: "datetime64[ns]", ...ASKED[name].kinds });
      expect(rows).toEqual([...rowsOf(name, "600519"), ...rowsOf(name, "000001")]);
    },
  );
});
