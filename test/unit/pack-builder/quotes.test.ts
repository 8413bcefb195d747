/** Tests builds of quotes, and of a day with all three datasets. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { storedColumns } from "../../../src/datasets/dataset.ts";
import { quotes as description } from "../../../src/datasets/quotes.ts";
import { readSheet } from "../../../src/pack-builder/check-packs.ts";
import { deliveryLines } from "../../../src/pack-builder/delivery-report.ts";
import { sampleDatasets } from "../../../src/pack-builder/sample/day.ts";
import { vendorFile as sampleFile } from "../../../src/pack-builder/sample/vendor-csv.ts";
import {
  built,
  builtDay,
  contentOf,
  countsOf,
  DAY,
  delivery,
  entriesOf,
  rowsOf,
  temporaryFolder,
} from "./deliveries.ts";
import { quoteFile, quoteLine } from "./quote-lines.ts";

const quotes = (sources: string | string[], said: Parameters<typeof built>[1] = {}) =>
  built(sources, { verify: true, ...said, dataset: "quotes" });

const PATH = "600519.SH/行情.csv";

describe("quote files", () => {
  it("become a pack, and each row is stored, quarantined, or left out and counted", async () => {
    const file = quoteFile(
      quoteLine({ 时间: "84518000" }),
      quoteLine({ 当日累计成交量: "0.5" }),
      quoteLine({ 自然日: "0", 时间: "0" }),
      quoteLine({ 时间: "93003000" }),
      quoteLine({ 时间: "92957000", 成交价: "1" }),
      quoteLine({ 时间: "153003000" }),
    );
    const { pack, report } = await quotes(delivery({ [PATH]: file }), { maxBroken: 1 });
    expect(report).toMatchObject({ dataset: "quotes", result: "degraded", rows: 4, layouts: { vendor: 1 } });
    expect(report.origin?.rows).toEqual({ read: 6, quarantined: 1, leftOut: { sentinel_row: 1 } });
    expect((await rowsOf(pack)).map(({ time, close }) => [time, close])).toEqual([
      ["084518000", 1745],
      ["092957000", 0.0001],
      ["093003000", 1745],
      ["153003000", 1745],
    ]);
    expect(countsOf(report)).toMatchObject({ unsorted: 1, sentinel_row: 1 });
  });

  it("may have turnovers in any notation and 2^64 - 1 as a quantity, but no negative number or fraction of a share", async () => {
    const turnovers = ["6244678924.61", "0.07", "12345678901234.56", "1.2018e+006", "", "3."];
    const file = quoteFile(
      ...turnovers.map((text) => quoteLine({ 当日成交额: text, 申买量10: "18446744073709551615" })),
      quoteLine({ 申买价1: "-1" }),
      quoteLine({ 申卖量7: "1.5" }),
      quoteLine({ 当日成交额: "-0.01" }),
      quoteLine({ 当日成交额: "18446744073709551615" }),
      quoteLine({ 当日成交额: "1.2.3" }),
    );
    const { pack, quarantine, report } = await quotes(delivery({ [PATH]: file }), { maxBroken: 5 });
    const rows = await rowsOf(pack);
    expect(rows.map(({ amount, bid_vol10 }) => [amount, bid_vol10])).toEqual(
      turnovers.map((text) => [Number(text), 0]),
    );
    expect(countsOf(report)).toMatchObject({ sentinel: turnovers.length, exponent: 1, empty_cell: 1 });
    const reasons = readFileSync(quarantine, "utf8").matchAll(/",\d+,"has a (.*?)","/g);
    expect(Array.from(reasons, ([, reason]) => reason)).toEqual([
      "申买价1 that is negative",
      "申卖量7 that has a fraction",
      "当日成交额 that is negative",
      "当日成交额 that is beyond 2^53",
      "当日成交额 that is not a number",
    ]);
  });

  it("may contain equal snapshots, which are kept in file order", async () => {
    const part = ["93000000", "93000000", "93003000"].map((time, at) =>
      quoteLine({ 时间: time, 成交价: String(at % 2) }),
    );
    const { pack, report } = await quotes(delivery({ [PATH]: quoteFile(...part, ...part) }));
    expect((await rowsOf(pack)).map(({ time, close }) => [time, Number(close) * 10_000])).toEqual([
      ["093000000", 0],
      ["093000000", 1],
      ["093000000", 0],
      ["093000000", 1],
      ["093003000", 0],
      ["093003000", 0],
    ]);
    expect(report.origin?.rows).toEqual({ read: 6, quarantined: 0, leftOut: {} });
    expect(countsOf(report).identical_row).toBe(3);
  });

  it("give the same pack in GBK, in UTF-8 with a byte order mark, as plain CSV with either name of the totals, and as Parquet", async () => {
    const [day] = [...sampleDatasets({ tradedate: DAY, rows: 2_000 })].filter(
      ({ symbol }) => symbol === "600519",
    );
    if (day === undefined) throw new Error("the sample has no 600519");
    const gbk = sampleFile(day, DAY, day.quotes, "quotes");
    const vendor = await quotes(delivery({ [PATH]: gbk }));
    expect(vendor.report.rows).toBe(day.quotes.rows);
    const expected = await contentOf(readFileSync(vendor.pack));
    const text = `\uFEFF${new TextDecoder("gbk").decode(gbk)}`;
    const folder = delivery({ [`utf8/${PATH}`]: text });
    const connection = await (await DuckDBInstance.create()).connect();
    const columns = ["symbol", "tradedate", "time", ...storedColumns(description).map(({ name }) => name)];
    const rows = `(select ${columns.join(", ")} from '${vendor.pack}')`;
    await connection.run(`copy ${rows} to '${folder}/q.csv' (header, quote '', escape '')`);
    await connection.run(`copy ${rows} to '${folder}/q.parquet'`);
    const plain = readFileSync(join(folder, "q.csv"), "utf8");
    writeFileSync(
      join(folder, "legacy.csv"),
      plain.replace(",volume,amount,", ",total_volume,total_amount,"),
    );
    for (const [name, layout] of [
      ["utf8", "vendor"],
      ["q.csv", "plain"],
      ["legacy.csv", "plain"],
      ["q.parquet", "plain"],
    ] as const) {
      const again = await quotes(join(folder, name));
      expect(again.report.layouts).toEqual({ [layout]: 1 });
      expect((await contentOf(readFileSync(again.pack))).equals(expected), name).toBe(true);
    }
  });

  it("with several securities become a pack with the rows grouped by security", async () => {
    const file = quoteFile(
      quoteLine(),
      quoteLine({ 万得代码: "000001.SZ", 交易所代码: "1" }),
      quoteLine({ 时间: "93003000" }),
    );
    const { pack } = await quotes(delivery({ "行情.csv": file }), { threads: 1, chunkBytes: 600 });
    expect((await entriesOf(pack)).map(({ symbol, market, rows }) => [symbol, market, rows])).toEqual([
      ["000001", "SZ", 1],
      ["600519", "SH", 2],
    ]);
  });
});

/** Returns the files of some sample securities, by path. */
function sampleDay(said: { rows?: number; symbols?: readonly string[] } = {}): Record<string, Buffer> {
  const symbols = said.symbols ?? ["600519", "600036", "000001", "300750", "113050"];
  const names = { orders: "逐笔委托.csv", trades: "逐笔成交.csv", quotes: "行情.csv" };
  return Object.fromEntries(
    [...sampleDatasets({ tradedate: DAY, rows: said.rows ?? 4_000 })]
      .filter(({ symbol }) => symbols.includes(symbol))
      .flatMap((day) =>
        (["orders", "trades", "quotes"] as const).map((dataset) => [
          `${DAY}/${day.symbol}.${day.market}/${names[dataset]}`,
          sampleFile(day, DAY, day[dataset], dataset),
        ]),
      ),
  );
}

/** Builds and checks every dataset of a delivery of these files. */
async function buildDay(files: Record<string, string | Buffer>, said: Parameters<typeof builtDay>[1] = {}) {
  const options = { outFolder: temporaryFolder(), verify: true, ...said };
  const report = await builtDay(delivery(files), options);
  return { outFolder: options.outFolder, report };
}

/** Returns a vendor's file with the values of a column multiplied by `factor` and rounded to hundredths. */
function scaled(file: Buffer, column: number, factor: number): Buffer {
  const lines = file.toString("latin1").split("\r\n");
  const changed = lines.map((line, at) => {
    if (at === 0 || line === "") return line;
    const cells = line.split(",");
    cells[column] = String(Math.round(Number(cells[column]) * factor * 100) / 100);
    return cells.join(",");
  });
  return Buffer.from(changed.join("\r\n"), "latin1");
}

const everyFile = (files: Record<string, Buffer>, name: string, change: (file: Buffer) => Buffer) =>
  Object.fromEntries(
    Object.entries(files).map(([path, file]) => [path, path.endsWith(name) ? change(file) : file]),
  );

describe("a delivery of all three datasets", () => {
  it("gives three packs and one report, which says that their units agree", async () => {
    const { outFolder, report } = await buildDay(sampleDay());
    expect(report.packs.map(({ dataset, result, verified }) => [dataset, result, verified])).toEqual([
      ["orders", "whole", true],
      ["trades", "whole", true],
      ["quotes", "whole", true],
    ]);
    expect(readdirSync(outFolder)).toEqual(
      expect.arrayContaining([`${DAY}.parquet`, `${DAY}_quotes.parquet`, `${DAY}_trades.parquet`]),
    );
    expect(report).toMatchObject({ result: "whole", absent: [], sparse: [], refused: [] });
    expect(report.units).toEqual({
      shares: { securities: 4, median: 1 },
      others: { securities: 1, median: 1 },
    });
    expect(deliveryLines(report)).toContain(
      "units       quoted turnover divided by traded turnover: 1 (median of 4 shares), 1 (median of 1 fund, bond or repo)",
    );
  });

  it("gives the same auction pack with and without the quality check", async () => {
    const checked = await buildDay(sampleDay());
    const alone = await buildDay(sampleDay(), { datasets: ["quotes"], verify: false });
    expect(alone.report.quality).toBeNull();
    const bytesIn = (folder: string) => readFileSync(join(folder, `${DAY}_aucde.parquet`));
    expect(bytesIn(checked.outFolder).equals(bytesIn(alone.outFolder))).toBe(true);
    expect(checked.report.auction).toMatchObject({ securities: expect.toSatisfy((count) => count > 0) });
  });

  it.each([
    ["trades in lots", "逐笔成交.csv", 9, 0.01, /^the turnover in the quotes is 100 times price × volume/],
    [
      "trade prices × 10,000",
      "逐笔成交.csv",
      8,
      10_000,
      /^price × volume of the trades is 10,000 times the turnover/,
    ],
    ["turnover in tens", "行情.csv", 12, 0.1, /^price × volume of the trades is 10 times the turnover/],
    ["another day's quotes", "行情.csv", 12, 1.3, /is 1\.300 times price × volume.*from different days/],
  ])(
    "with %s is refused with a message that names the factor, and leaves no pack",
    async (_, name, column, factor, problem) => {
      const files = everyFile(sampleDay(), name, (file) => scaled(file, column, factor));
      const out = temporaryFolder();
      const build = builtDay(delivery(files), { outFolder: out, maxBroken: 1_000_000 });
      await expect(build).rejects.toThrow(problem);
      expect(readdirSync(out).filter((each) => each.endsWith(".parquet"))).toEqual([]);
    },
  );

  it("with different units in quotes and trades is built if one dataset is requested or only bonds are affected", async () => {
    const wrong = everyFile(sampleDay(), "行情.csv", (file) => scaled(file, 12, 100));
    for (const dataset of ["trades", "quotes"] as const) {
      const { report } = await buildDay(wrong, { datasets: [dataset] });
      expect(report.packs.map(({ pack }) => pack !== null)).toEqual([true]);
    }
    const bond = sampleDay({ symbols: ["113050"], rows: 20_000 });
    const { report } = await buildDay(everyFile(bond, "行情.csv", (file) => scaled(file, 12, 100)));
    expect(report.packs).toHaveLength(3);
    expect(report.units.shares.securities).toBe(0);
    expect(report.units.others.median).toBeCloseTo(100, 1);
  });

  it("is degraded if a dataset lacks an exchange, but not if it lacks halted securities or indices", async () => {
    const files = sampleDay();
    const isLost = (path: string) => path.includes(".SZ/") && path.endsWith("逐笔成交.csv");
    const partial = Object.fromEntries(Object.entries(files).filter(([path]) => !isLost(path)));
    const { outFolder, report } = await buildDay(partial);
    expect(report.result).toBe("degraded");
    const lacking = {
      ...{ dataset: "trades", market: "SZ", securities: 0 },
      than: { dataset: "orders", securities: 2 },
    };
    expect(report.sparse).toEqual([lacking]);
    expect(await readSheet(join(outFolder, `${DAY}_quality.json`))).toMatchObject({
      degraded: [{ reason: "few_securities", ...lacking }],
    });
    expect(readFileSync(join(outFolder, `${DAY}_quality.html`), "utf8")).toContain(
      "trades cover 0 Shenzhen securities, but orders cover 2<",
    );
    // A later build of another dataset keeps what the sheet says about this pack.
    await buildDay(files, { datasets: ["quotes"], outFolder });
    expect(await readSheet(join(outFolder, `${DAY}_quality.json`))).toMatchObject({
      degraded: [{ reason: "few_securities", ...lacking }],
    });
    // A failed build leaves the first build's pack of orders in place, and its report does not mention that pack.
    const broken = everyFile(files, "逐笔委托.csv", (file) => Buffer.concat([file, Buffer.from("x\r\n")]));
    const failed = await buildDay(broken, { datasets: ["orders", "quotes"], outFolder });
    expect(failed.report.packs.map(({ result }) => result)).toEqual(["failed", "whole"]);
    expect(await readSheet(join(outFolder, `${DAY}_quality.json`))).toMatchObject({
      packs: { orders: expect.any(String) },
      degraded: [{ reason: "few_securities", ...lacking }],
    });
    const only = (code: string, said: Record<string, string>) => ({
      [`${DAY}/${code}/行情.csv`]: quoteFile(quoteLine({ 万得代码: code, 交易所代码: "", ...said })),
    });
    const quoted = {
      ...files,
      ...only("000001.SH", { 当日累计成交量: "5", 当日成交额: "7" }),
      ...only("000300.SH", { 当日累计成交量: "5", 当日成交额: "7" }),
      ...only("000905.SH", { 当日累计成交量: "5", 当日成交额: "7" }),
      ...only("603001.SH", {}),
      ...only("603002.SH", {}),
    };
    const whole = await buildDay(quoted);
    expect(whole.report).toMatchObject({ result: "whole", sparse: [] });
    const held = await entriesOf(join(whole.outFolder, `${DAY}_quotes.parquet`));
    expect(held.filter(({ rows }) => rows === 1).map(({ symbol, market }) => `${symbol}.${market}`)).toEqual([
      ...["000001.SH", "000300.SH", "000905.SH", "603001.SH", "603002.SH"],
    ]);
  });
});
