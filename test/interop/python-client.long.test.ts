/** The Python client against the service: rows, frames, files, limits, threads. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { burst, day, type Row, randomSecurity } from "../support/builders.ts";
import { account, asOperator, loadWeekdays, publish } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { isPythonMissing, PYTHON, type PythonSession, pythonWith, startSession } from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DAY = "20260311";
const random = randomFrom(20_260_311);
const built = day({
  tradedate: DAY,
  securities: [
    randomSecurity(random, { symbol: "000001", rows: 12_345, crowd: 5 }),
    burst({ symbol: "600519", time: "093000000", rows: 2_500 }),
  ],
});
const without = isPythonMissing("the Python client against the service");
const [pandas = null, polars = null, pyarrow = null] = ["pandas", "polars", "pyarrow"].map((library) =>
  without ? null : pythonWith(library),
);

let python: PythonSession;
const folder = testFolder("edgetape-client-");
const service = await testService();
await loadWeekdays(service, "20260101", "20261231");
await publish(service, built);
const flagship = await account(service, { plan: "flagship" });
beforeAll(async () => {
  if (!without) python = await sessionOf(flagship.key);
});
afterAll(() => python?.stop());

async function sessionOf(key: string, command = PYTHON): Promise<PythonSession> {
  const env = { EDGETAPE_KEY: key, EDGETAPE_URL: service.baseUrl };
  const session = await startSession({ command, env });
  await session.run("client = Client()");
  return session;
}

/** Returns the number of requests in the log that ended with this reason. */
const ended = (reason: string) => service.logs.filter((line) => line.includes(`"reason":"${reason}"`)).length;

describe.skipIf(without)("the Python client", () => {
  it("reads selected columns of a time window page by page", async () => {
    const times = built.rowsOf("000001").map((row) => `${row[2]}`);
    const [start, end] = [times[4_000] ?? "", times[9_000] ?? ""];
    const rows = await python.run<Row[]>(
      `result = list(client.orders("sz000001", "2026-03-11", "${start}", "${end}", "price,side,time", page_size=700))`,
    );
    const inside = built.rowsOf("000001").filter((row) => `${row[2]}` >= start && `${row[2]}` < end);
    expect(rows).toEqual(inside.map((row) => [row[7], row[6], row[2]]));
  });

  it("pages through 2,500 rows of one millisecond at page_size 33", async () => {
    const rows = await python.run<Row[]>(
      `result = client.orders("600519", "${DAY}", page_size=33).to_list()`,
    );
    expect(rows).toEqual(built.rowsOf("600519"));
  });

  it("requests the newest trading day when no date is given, and reports that this day is not loaded", async () => {
    const error = await python.raises('client.orders("600519").to_list()');
    expect([error.error, error.code, error.reason]).toEqual(["NoData", 1002, "not_loaded"]);
    expect(error.message).toContain(error.request_id);
  });

  it("raises a different exception for each kind of refusal", async () => {
    const kinds = [
      ['client.orders("999999", "20260311").to_list()', "NoData", "security_unknown"],
      ['client.orders("600519", "20260311", start="9x").to_list()', "BadRequest", "param_invalid"],
      ['Client("unknown").account()', "NotAllowed", "key_unknown"],
      ['client.orders_parquet("999999", "20260311", "x.parquet")', "NoData", "security_unknown"],
    ];
    for (const [program = "", kind, reason] of kinds) {
      const error = await python.raises(program);
      expect([error.error, error.reason], program).toEqual([kind, reason]);
      expect(error.request_id).toMatch(/\S/);
    }
  });

  it("downloads the columns for to_parquet from the service when pyarrow is missing", async () => {
    const path = join(folder, "columns.parquet");
    await python.run(
      `import sys; sys.modules["pyarrow"] = None
client.orders("600519", "${DAY}", fields=["time", "volume"]).to_parquet(${JSON.stringify(path)})`,
    );
    const { names, rows } = await readParquet(await readFile(path));
    expect(names).toEqual(["time", "volume"]);
    expect(rows).toEqual(built.rowsOf("600519").map((row) => [row[2], row[8]]));
  });

  it.skipIf(pandas === null)(
    "creates a DataFrame with datetimes, categories, strings and exact values",
    async () => {
      const session = await sessionOf(flagship.key, pandas ?? "");
      const program = `frame = client.orders("000001", "${DAY}").to_df()
raw = client.orders("000001", "${DAY}").to_df(raw=True)
result = {
  "kinds": {name: str(kind) for name, kind in frame.dtypes.items()},
  "raw": [list(row) for row in raw.itertuples(index=False)],
  "times": frame["time"].dt.strftime("%Y%m%d%H%M%S%f").str[:-3].tolist(),
  "symbols": sorted(set(map(repr, frame["symbol"]))),
}`;
      const made = await session.run<Record<string, unknown>>(program).finally(session.stop);
      expect(made.kinds).toEqual({
        ...{ symbol: "object", tradedate: "object", time: "datetime64[ns]" },
        ...{ order_id: "int64", exchange_order_id: "int64", order_type: "category", order_code: "category" },
        ...{ price: "float64", volume: "int64", amount: "float64" },
      });
      expect(made.raw).toEqual(built.rowsOf("000001"));
      expect(made.times).toEqual(built.rowsOf("000001").map((row) => `${DAY}${row[2]}`));
      expect(made.symbols).toEqual(["'000001'"]);
    },
  );

  it.skipIf(polars === null)("creates a polars frame with datetimes, categories and strings", async () => {
    const session = await sessionOf(flagship.key, polars ?? "");
    const program = `frame = client.orders("000001", "${DAY}").to_polars()
result = {
  "kinds": {name: str(kind) for name, kind in frame.schema.items()},
  "raw": client.orders("000001", "${DAY}").to_polars(raw=True).rows(),
  "times": frame["time"].dt.strftime("%Y%m%d%H%M%S%3f").to_list(),
}`;
    const made = await session.run<Record<string, unknown>>(program).finally(session.stop);
    expect(made.kinds).toMatchObject({
      ...{ symbol: "String", time: "Datetime(time_unit='ms', time_zone=None)", order_id: "Int64" },
      ...{ order_type: expect.stringContaining("Categorical"), price: "Float64", amount: "Float64" },
    });
    expect(made.raw).toEqual(built.rowsOf("000001"));
    expect(made.times).toEqual(built.rowsOf("000001").map((row) => `${DAY}${row[2]}`));
  });

  it.skipIf(pyarrow === null)(
    "writes a time window with pyarrow in the same format as the service's Parquet file",
    async () => {
      const session = await sessionOf(flagship.key, pyarrow ?? "");
      const [part, whole] = [join(folder, "window.parquet"), join(folder, "whole.parquet")];
      await session
        .run(
          `client.orders("600519", "${DAY}", start="09:30", end="09:31").to_parquet(${JSON.stringify(part)})
client.orders_parquet("600519", "${DAY}", ${JSON.stringify(whole)})`,
        )
        .finally(session.stop);
      const [ours, theirs] = [
        await readParquet(await readFile(part)),
        await readParquet(await readFile(whole)),
      ];
      expect(ours).toEqual(theirs);
    },
  );

  it("waits for a day until it is loaded, and fails for a day that will never be loaded", async () => {
    const never = await python.raises('client.wait_until_ready("20260307")');
    expect([never.error, never.reason]).toEqual(["NoData", "not_trading_day"]);
    const tooLate = await python.raises('client.wait_until_ready("20260312", every=0.01, timeout=0.03)');
    expect(tooLate.reason).toBe("not_loaded");
    const waiting = python.run<number>('result = client.wait_until_ready("20260312", every=0.05)');
    await publish(
      service,
      day({ tradedate: "20260312", securities: [burst({ symbol: "600519", time: "093000000", rows: 3 })] }),
    );
    expect(await waiting).toBe(1);
  });

  it("queues the requests of a process's threads, so that no request gets 503", async () => {
    const before = ended("slot_busy");
    const counts = await python.run<number[]>(
      `from concurrent.futures import ThreadPoolExecutor
other = Client()
def read(number):
    return len((client, other)[number % 2].orders("000001", "${DAY}", page_size=2000).to_list())
with ThreadPoolExecutor(8) as pool:
    result = list(pool.map(read, range(16)))`,
    );
    expect(counts).toEqual(Array.from({ length: 16 }, () => 12_345));
    expect(ended("slot_busy")).toBe(before);
  });

  it("reads every row when two processes share a key, because it waits as Retry-After says", async () => {
    const { key } = await account(service, { plan: "flagship" });
    const sessions = await Promise.all([sessionOf(key), sessionOf(key)]);
    const program = `import edgetape.waiting, time
edgetape.waiting.sleep = lambda seconds: time.sleep(seconds / 20)
result = [len(client.orders("000001", "${DAY}", page_size=1000).to_list()) for _ in range(3)]`;
    const read = await Promise.all(sessions.map((session) => session.run(program)));
    for (const session of sessions) session.stop();
    expect(read.flat()).toEqual(Array.from({ length: 6 }, () => 12_345));
  });

  it("reports the reset time when the quota is used up, keeps the rows, and continues later", async () => {
    const { key, accountId } = await account(service, { plan: "trial", limits: { requests: 3 } });
    const session = await sessionOf(key);
    const error = await session.raises(
      `orders = client.orders("000001", "${DAY}", page_size=2000)
orders.to_list()`,
    );
    expect([error.error, error.code, error.reason]).toEqual(["QuotaUsed", 429, "quota_used"]);
    const [kept, resets] = await session.run<[number, string]>(
      `try:
    orders.to_list()
except QuotaUsed as error:
    result = [len(orders.rows), error.resets_at.isoformat(), error.resets_in]`,
    );
    expect(kept).toBe(6_000);
    expect(resets).toMatch(/\+08:00$/);
    await asOperator(service, "PUT", `/admin/accounts/${accountId}/limits`, { requests: 10 });
    const whole = `import time
while True:
    try:
        result = orders.to_list()
        break
    except QuotaUsed:
        time.sleep(0.5)  # The new limit is in force within 30 s.
result = [result, client.account()["quotas"][0]["requests"]["used"]]`;
    const [rows, used] = await session.run<[Row[], number]>(whole).finally(session.stop);
    expect(rows).toEqual(built.rowsOf("000001"));
    expect(used).toBe(7);
  });
});
