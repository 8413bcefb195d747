/** The Python client saves whole days of several securities in a folder, from a share or the API, and reads them. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { burst, day, type Row, randomSecurity } from "../support/builders.ts";
import { account, asOperator, loadWeekdays, publish } from "../support/operator.ts";
import { isPythonMissing, PYTHON, type PythonSession, pythonWith, startSession } from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { testService } from "../support/test-service.ts";

const random = randomFrom(20_260_310);
const built = ["20260310", "20260311"].map((tradedate) =>
  day({
    tradedate,
    securities: [
      randomSecurity(random, { symbol: "000001", rows: 1_234, crowd: 5 }),
      burst({ symbol: "600519", time: "093000000", rows: 500 }),
    ],
  }),
);
const NAMES = ["20260310", "20260311"].flatMap((date) =>
  ["000001.SZ", "600519.SH"].map((code) => join(date, `${code}_${date}_orders.parquet`)),
);
const without = isPythonMissing("history with the Python client");
const reader = without ? null : pythonWith("pandas", "pyarrow");
const polars = without ? null : pythonWith("polars");

let folder: string;
const sessions: PythonSession[] = [];
const service = await testService();
await loadWeekdays(service, "20260101", "20261231");
for (const each of built) await publish(service, each);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgetape-history-"));
  return () => rm(folder, { recursive: true, force: true });
});
afterAll(() => {
  for (const session of sessions) session.stop();
});

interface Report {
  fetched: string[][];
  kept: string[][];
  empty: string[][];
  left: string[][];
  missing: string[][];
}

/** Starts a session with `key`. By default, the key belongs to a new account whose plan has shares. */
async function startFor(key?: string, command = PYTHON): Promise<PythonSession> {
  const EDGETAPE_KEY = key ?? (await account(service, { plan: "flagship" })).key;
  const session = await startSession({ command, env: { EDGETAPE_KEY, EDGETAPE_URL: service.baseUrl } });
  sessions.push(session);
  await session.run(`client, folder = Client(), ${JSON.stringify(folder)}`);
  return session;
}

const fetched = (session: PythonSession, options = "") =>
  session.run<Report>(
    `report = client.history(["600519", "000001", "300750"], "20260309", "20260311", folder${options})
result = report._replace(stopped=None)._asdict()`,
  );

/** Returns the numbers of requests and files of order history that were charged today. */
const used = (session: PythonSession) =>
  session.run<number[]>(
    `quota = client.account()["quotas"][0]
result = [quota["requests"]["used"], quota["files"]["used"]]`,
  );

const filesIn = async () =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet")).toSorted();

describe.skipIf(without)("history with the Python client", () => {
  it("is downloaded from the share if the plan has one, equals the Parquet answers, and uses no quota", async () => {
    const session = await startFor();
    const report = await fetched(session);
    expect([report.fetched.length, report.kept.length, report.left]).toEqual([4, 0, []]);
    expect(report.empty.map(([symbol]) => symbol)).toEqual(["300750", "300750"]);
    expect(report.missing).toEqual([["20260309", "missing"]]);
    expect(await filesIn()).toEqual(NAMES);
    expect(await used(session)).toEqual([0, 0]);
    const sync = await mkdtemp(join(tmpdir(), "edgetape-history-"));
    await session.run(`client.sync(["600519", "000001"], "20260310", "20260311", ${JSON.stringify(sync)})`);
    for (const name of NAMES) {
      const file = name.split("/")[1] ?? "";
      const other = await readFile(join(sync, file.split("_")[0] ?? "", file));
      expect((await readFile(join(folder, name))).equals(other), name).toBe(true);
    }
    await rm(sync, { recursive: true });
  });

  it("keeps existing files, and downloads damaged, missing and revised files again", async () => {
    const session = await startFor();
    await fetched(session);
    expect((await fetched(session)).kept).toHaveLength(4);
    const [first = "", second = ""] = NAMES;
    const bytes = await readFile(join(folder, first));
    await writeFile(join(folder, first), bytes.subarray(1));
    await rm(join(folder, second));
    const again = await fetched(session, ", verify=True");
    expect([again.fetched.length, again.kept.length]).toEqual([2, 2]);
    expect((await readFile(join(folder, first))).equals(bytes)).toBe(true);

    const revised = day({
      tradedate: "20260311",
      securities: [
        ...(built[1]?.securities ?? []).filter(({ symbol }) => symbol !== "600519"),
        burst({ symbol: "600519", time: "093000000", rows: 501 }),
      ],
    });
    await publish(service, revised);
    expect((await fetched(session)).fetched).toEqual([["600519", "20260311"]]);
    await publish(service, built[1] ?? revised);
  });

  it("downloads only the packs of one dataset from the share", async () => {
    const session = await startFor();
    const download = (dataset: string) =>
      session.run<string[]>(`result = client.share("level2", 2026).download(folder, dataset="${dataset}")`);
    expect(await download("trades")).toEqual([]);
    const packs = ["20260310", "20260311"].map((date) => join(date, `${date}_orders.parquet`));
    expect(await download("orders")).toEqual(packs.map((name) => join(folder, name)));
    expect(await filesIn()).toEqual(packs);
  });

  it("is downloaded from the API if the share is external, and the client warns about this", async () => {
    // The top-level domain `invalid` has no hosts.
    const link = { url: "http://pan.invalid/s/1abc", password: "x7-Q", expires: "2099-12-31T00:00:00+08:00" };
    const covers = { firstDay: "20260105", lastDay: "20261231", fileCount: 2, sizeBytes: 2 };
    await asOperator(service, "PUT", "/admin/external/level2/2026", { ...covers, link });
    try {
      const session = await startFor();
      await session.run(`import warnings
client, recorded = Client(max_wait=0), warnings.catch_warnings(record=True)
told = recorded.__enter__()
warnings.simplefilter("always")`);
      const report = await fetched(session);
      expect([report.fetched.length, report.left]).toEqual([4, []]);
      expect(await session.run("result = [str(each.message) for each in told]")).toEqual([
        expect.stringContaining("the level2 share of 2026 at http://pan.invalid/s/1abc is external"),
      ]);
      expect(await filesIn()).toEqual(NAMES);
      expect((await used(session))[1]).toBe(4);
    } finally {
      await asOperator(service, "POST", "/admin/external/level2/2026/clear");
    }
  });

  it("is downloaded from the API if the plan has no share, and a later run fetches what exceeded the quota", async () => {
    const { key, accountId } = await account(service, { plan: "trial", limits: { requests: 50, files: 3 } });
    const session = await startFor(key);
    const first = await fetched(session);
    // `left` lists the fourth file, and a security that was not requested because the quota was used up.
    expect([first.fetched.length, first.left.length]).toEqual([3, 2]);
    await asOperator(service, "POST", `/admin/accounts/${accountId}/credit`, { files: 3 });
    const then = await fetched(session);
    expect([then.fetched.length, then.kept.length, then.left]).toEqual([1, 3, []]);
    expect(await filesIn()).toEqual(NAMES);
  });

  it.skipIf(reader === null)("can be read as one frame that equals the frame of a basket", async () => {
    const session = await startFor(undefined, reader ?? PYTHON);
    await fetched(session);
    const [isSame, kinds, part, columns] = await session.run<[boolean, boolean, number, string[]]>(
      `read = read_history(folder, ["600519", "000001"])
basket = client.orders(["600519", "000001"], "20260310", "20260311").to_df()
one = read_history(folder, "600519.SH", "20260311", fields="time,price")
result = [read.equals(basket), read.dtypes.equals(basket.dtypes), len(one), list(one)]`,
    );
    expect([isSame, kinds, part, columns]).toEqual([true, true, 500, ["time", "price"]]);
    const rows = await session.run<Row[]>(
      `result = [list(each.values()) for each in read_history(folder, to="arrow").to_pylist()]`,
    );
    expect(rows).toEqual(built.flatMap((each) => [...each.rowsOf("000001"), ...each.rowsOf("600519")]));
    const none = await session.raises('read_history(folder, "300750")');
    expect(none.error).toBe("FileNotFoundError");
  });

  it.skipIf(polars === null)("can be read as one polars frame that equals a basket's frame", async () => {
    const session = await startFor(undefined, polars ?? PYTHON);
    await fetched(session);
    const found = await session.run(
      `read = read_history(folder, ["600519", "000001"], to="polars")
basket = client.orders(["600519", "000001"], "20260310", "20260311").to_polars()
result = [read.equals(basket), read.schema == basket.schema]`,
    );
    expect(found).toEqual([true, true]);
  });
});
