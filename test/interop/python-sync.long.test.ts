/** Tests `sync` of the Python client, which keeps a folder up to date with the days of the service. */
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { burst, day, order, randomSecurity, security, type TestDay } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, asOperator, loadWeekdays, publish } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { isPythonMissing, type PythonSession, startSession } from "../support/python.ts";
import { randomFrom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";

const without = isPythonMissing("the Python client's sync");
const random = randomFrom(6);
const SYMBOLS = ["000001", "600519", "688111"];

/** Returns a day on which 688111 has no orders. */
function dayOf(tradedate: string): TestDay {
  return day({
    tradedate,
    securities: [
      randomSecurity(random, { symbol: "000001", rows: 120 }),
      burst({ symbol: "600519", time: "093000000", rows: 30 }),
      security("688111", []),
    ],
  });
}
const days = ["20260227", "20260302", "20260303"].map(dayOf);

interface Report {
  fetched: [string, string][];
  kept: [string, string][];
  empty: [string, string][];
  missing: [string, string][];
  left: [string, string][];
  stopped: string | null;
}

let services: Service[];
let python: PythonSession;
let folder: string;
const KEY = "a-key-that-both-know";

beforeAll(async () => {
  if (without) return;
  services = await Promise.all([startService(), startService()]);
  for (const service of services) {
    await loadWeekdays(service, "20260101", "20261231");
    for (const each of days) await publish(service, each);
    const [start, end] = [-365, 365].map((offset) => Math.floor(service.nowMs() + offset * 86_400_000));
    const rows = [{ key: KEY, account: "holder", plan: "flagship", start, end }];
    await asOperator(service, "POST", "/admin/keys/import", { rows });
  }
  python = await startSession();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgetape-sync-"));
  return () => rm(folder, { recursive: true, force: true });
});
afterAll(async () => {
  python?.stop();
  for (const service of services ?? []) await service.stop();
});

interface Run {
  key?: string;
  symbols?: string[];
  from?: string;
  to?: string;
  urls?: string[];
}

function sync({ key = KEY, symbols = SYMBOLS, from = "20260225", to = "2026-03-04", urls }: Run = {}) {
  const addresses = JSON.stringify(urls ?? [services[0]?.baseUrl]);
  return python.run<Report>(
    `report = Client("${key}", ${addresses}).sync(${JSON.stringify(symbols)}, "${from}", "${to}", ${JSON.stringify(folder)})
result = report._asdict()`,
  );
}

const fileOf = (code: string, tradedate: string) => join(code, `${code}_${tradedate}_orders.parquet`);
const rowsIn = async (code: string, tradedate: string) =>
  (await readParquet(await readFile(join(folder, fileOf(code, tradedate))))).rows;
const listed = async () =>
  (await readdir(folder, { recursive: true }))
    .filter((name) => !name.startsWith(".") && name.includes("."))
    .sort();
const names = (pairs: [string, string][]) => pairs.map((pair) => pair.join(" "));
const requestsUsed = async (key = KEY) =>
  (
    await python.run<{ quotas: { files: { used: number } }[] }>(
      `result = Client("${key}", "${services[0]?.baseUrl}").account()`,
    )
  ).quotas[0]?.files.used;

describe.skipIf(without)("sync of the Python client", () => {
  it("downloads one file for each security and day, and lists the missing days", async () => {
    const report = await sync();
    expect(names(report.fetched)).toEqual(
      days.flatMap(({ tradedate }) => [`000001 ${tradedate}`, `600519 ${tradedate}`]),
    );
    expect(names(report.empty)).toEqual(days.map(({ tradedate }) => `688111 ${tradedate}`));
    expect(report.missing).toEqual([
      ["20260225", "missing"],
      ["20260226", "missing"],
      ["20260304", "missing"],
    ]);
    expect([report.left, report.stopped]).toEqual([[], null]);
    for (const each of days) {
      expect(await rowsIn("000001.SZ", each.tradedate)).toEqual(each.rowsOf("000001"));
      expect(await rowsIn("600519.SH", each.tradedate)).toEqual(each.rowsOf("600519"));
    }
  });

  it("downloads only lost or truncated files again while the revision stays the same", async () => {
    await sync();
    const used = await requestsUsed();
    const again = await sync({ symbols: ["sz000001", "600519"] });
    // A different spelling of a security refers to the same file, so nothing is downloaded or charged again.
    expect(again.fetched).toEqual([]);
    expect(names(again.kept)).toEqual(
      days.flatMap(({ tradedate }) => [`000001.SZ ${tradedate}`, `600519 ${tradedate}`]),
    );
    const third = await sync({ symbols: ["000001.XSHE", "600519"] });
    expect(third.fetched).toEqual([]);
    expect(await requestsUsed()).toBe(used);
    await writeFile(join(folder, fileOf("600519.SH", "20260302")), "cut");
    await rm(join(folder, fileOf("600519.SH", "20260303")));
    expect(names((await sync()).fetched)).toEqual(["600519 20260302", "600519 20260303"]);
  });

  it("downloads only the securities that data_changes lists for a rebuilt day", async () => {
    await sync();
    const [service] = services as [Service];
    const former = days[1] as TestDay;
    const kept = former.securities.filter(({ symbol }) => symbol !== "600519");
    const more = security("600519", [order("093000000", { volume: 700 })]);
    const rebuilt = day({ tradedate: former.tradedate, securities: [...kept, more] });
    await publish(service, rebuilt);
    await utimes(join(folder, fileOf("000001.SZ", former.tradedate)), 0, 0);
    const report = await sync();
    expect(names(report.fetched)).toEqual([`600519 ${former.tradedate}`]);
    expect(await rowsIn("600519.SH", former.tradedate)).toEqual(rebuilt.rowsOf("600519"));
    expect((await sync()).fetched).toEqual([]);

    // The next revision has the first content again.
    await publish(service, former);
    const next = await sync();
    expect(names(next.fetched)).toEqual([`600519 ${former.tradedate}`]);
    expect(await rowsIn("600519.SH", former.tradedate)).toEqual(former.rowsOf("600519"));
  });

  it("renames a file to *.gone when its security leaves the day, and downloads a new security's file", async () => {
    const [service] = services as [Service];
    const former = days[2] as TestDay;
    await sync();
    const without600519 = former.securities.filter(({ symbol }) => symbol !== "600519");
    const came = burst({ symbol: "688111", time: "100000000", rows: 4 });
    const rebuilt = day({
      tradedate: former.tradedate,
      securities: [...without600519.filter(({ symbol }) => symbol !== "688111"), came],
    });
    await publish(service, rebuilt);
    const report = await sync();
    expect(names(report.fetched)).toEqual([`688111 ${former.tradedate}`]);
    expect(names(report.empty)).toContain(`600519 ${former.tradedate}`);
    const present = await listed();
    expect(present).not.toContain(fileOf("600519.SH", former.tradedate));
    expect(present).toContain(`${fileOf("600519.SH", former.tradedate)}.gone`);
    await publish(service, former);
    await sync();
    expect(await listed()).toContain(fileOf("600519.SH", former.tradedate));
  });

  it("keeps the files of a withdrawn day, and reports the day as withdrawn", async () => {
    const [service] = services as [Service];
    await sync({ to: "20260227" });
    await asOperator(service, "POST", "/admin/days/20260227/withdraw", { revision: 1, note: "a test" });
    const report = await sync({ to: "20260227" });
    expect(report.missing).toContainEqual(["20260227", "withdrawn"]);
    expect([report.fetched, report.kept]).toEqual([[], []]);
    expect(await listed()).toContain(fileOf("600519.SH", "20260227"));
    await publish(service, dayOf("20260227"));
  });

  it("stops without an error when the day's quota of files is used up, and continues in the next run", async () => {
    const [service] = services as [Service];
    const small = await account(service, { plan: "professional", limits: { files: 2 } });
    const report = await sync({ key: small.key });
    expect(report.fetched).toHaveLength(2);
    // The client also requested 688111 on the first day. It has no orders on that day, so the request is not charged.
    expect(names(report.left)).toEqual(
      days.slice(1).flatMap(({ tradedate }) => SYMBOLS.map((symbol) => `${symbol} ${tradedate}`)),
    );
    expect(report.stopped).toContain("quota_used");
    expect(await python.run("result = report.is_complete")).toBe(false);
    // It is 10:00 in Beijing, 14 hours before the reset.
    const resetsIn = await python.run<number>("result = report.stopped.resets_in");
    expect(Math.abs(resetsIn - 14 * 3_600)).toBeLessThan(300);
    // The next run uses a key with unused quota, so that the test does not wait for the next day.
    const next = await sync();
    expect(next.fetched).toHaveLength(4);
    expect(names(next.kept)).toEqual(names(report.fetched));
  });

  it("downloads only the securities that differ after the catalog was restored, and after a later rebuild", async () => {
    const [service] = services as [Service];
    const { run } = commandsOf(service);
    const backup = join(folder, "backup.jsonl");
    const tradedate = "20260309";
    /** Returns a build of the day. 300750 is the same in every build. */
    const build = (volume: number) =>
      day({
        tradedate,
        securities: [
          security("600519", [order("093000000", { volume }), order("093000001", { volume })]),
          security("300750", [order("093000000")]),
        ],
      });
    const synced = async () => {
      const { fetched } = await sync({ symbols: ["600519", "300750"], from: tradedate, to: tradedate });
      return [fetched.map(([symbol]) => symbol), await rowsIn("600519.SH", tradedate)];
    };
    const [first, second, third] = [build(100), build(200), build(300)];
    await publish(service, first);
    expect(await run`backup create --out ${backup}`).toMatchObject({ status: 0 });
    await publish(service, second);
    expect(await synced()).toEqual([["600519", "300750"], second.rowsOf("600519")]);
    expect(await run`backup restore ${backup} --force --yes`).toMatchObject({ status: 0 });
    expect(await synced()).toEqual([["600519"], first.rowsOf("600519")]);
    // A restore does not make revision numbers available again, so the third build gets a new number.
    await publish(service, third);
    expect(await synced()).toEqual([["600519"], third.rowsOf("600519")]);
  });

  it("downloads nothing after a switch to a deployment with the same builds", async () => {
    const urls = services.map(({ baseUrl }) => baseUrl).toReversed();
    const first = await sync({ from: "20260301" });
    expect(first.fetched.length).toBeGreaterThan(0);
    const elsewhere = await sync({ from: "20260301", urls });
    expect(elsewhere.fetched).toEqual([]);
    const back = await sync({ from: "20260301" });
    expect(back.fetched).toEqual([]);
  });
});
