import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { storedColumns } from "../../../../src/datasets/dataset.ts";
import { quotes } from "../../../../src/datasets/quotes.ts";
import { layoutOfHeader } from "../../../../src/pack-builder/layouts/registry.ts";
import { planCells } from "../../../../src/pack-builder/parse/cell-plan.ts";
import { DEFECT_KINDS } from "../../../../src/pack-builder/parse/defects.ts";
import { readHead } from "../../../../src/pack-builder/parse/file-head.ts";
import { QuoteParser } from "../../../../src/pack-builder/parse/quote-parser.ts";
import { RowTable } from "../../../../src/pack-builder/parse/row-table.ts";
import { securityOfKey } from "../../../../src/pack-builder/parse/security-cell.ts";
import { QUOTE_NAMES, quoteLine } from "../quote-lines.ts";

const DAY = "20230711" as BeijingDate;

/** Parses a file in the vendor's layout or with the API's column names; its first line is the header. */
function parsed(text: string) {
  const bytes = Buffer.from(text);
  const { columns, bodyFrom } = readHead(bytes);
  const layout = layoutOfHeader(columns, "quotes");
  if (layout === undefined) throw new Error("no layout has this header");
  const table = new RowTable(quotes);
  const plan = planCells(layout, columns, { tradedate: DAY, expected: null });
  const { read, broken, defects } = new QuoteParser(plan, table).parse(bytes, bodyFrom, true);
  const rows = Array.from(
    { length: table.rows },
    (_, row): Record<string, unknown> => ({
      ...securityOfKey(table.security[row] ?? 0),
      time: table.time[row],
      ...Object.fromEntries(Object.entries(table.columns).map(([key, column]) => [key, column[row]])),
    }),
  );
  const counts = Object.fromEntries(
    DEFECT_KINDS.flatMap((kind, at) => {
      const count = defects.counts[at] ?? 0;
      return count === 0 ? [] : [[kind, count]];
    }),
  );
  return { layout: layout.name, read, rows, reasons: broken.map(({ reason }) => reason), counts };
}

const vendor = (...lines: string[]) => parsed([`${QUOTE_NAMES.join(",")},`, ...lines, ""].join("\r\n"));

describe("a line of 行情.csv", () => {
  it("fills every column from the cell with the same meaning, and drops the cells that apply only to indices", () => {
    const said = Object.fromEntries(QUOTE_NAMES.slice(4).map((name, at) => [name, String(1000 + at)]));
    const { rows, counts, layout } = vendor(quoteLine(said));
    const at = (name: string) => Number(said[name]);
    const levels = Array.from({ length: 10 }, (_, level) => level + 1).map((level) => [
      [`bid${level}E4`, at(`申买价${level}`)],
      [`bidVolume${level}`, at(`申买量${level}`)],
      [`ask${level}E4`, at(`申卖价${level}`)],
      [`askVolume${level}`, at(`申卖量${level}`)],
    ]);
    expect(layout).toBe("vendor");
    expect(rows).toEqual([
      {
        symbol: "600519",
        market: "SH",
        time: 93000010,
        openE4: at("开盘价"),
        highE4: at("最高价"),
        lowE4: at("最低价"),
        closeE4: at("成交价"),
        preCloseE4: at("前收盘"),
        volume: at("当日累计成交量"),
        amount: at("当日成交额"),
        ...Object.fromEntries(levels.flat()),
        numTrades: at("成交笔数"),
        totalBidVolume: at("叫买总量"),
        totalAskVolume: at("叫卖总量"),
        avgBidPriceE4: at("加权平均叫买价"),
        avgAskPriceE4: at("加权平均叫卖价"),
        iopvE4: at("IOPV"),
      },
    ]);
    expect(counts).toEqual({ time_zero_lost: 1 });
  });

  it("is read with columns in any order, and without the on-request columns", () => {
    const kept = QUOTE_NAMES.filter((name) => !/总量|加权|IOPV|成交笔数/.test(name));
    const [first = "", ...others] = kept;
    const names = [first, ...others.reverse()];
    const cells: Record<string, string> = {
      万得代码: "600519.SH",
      自然日: DAY,
      时间: "93000010",
      申买价3: "77",
      交易所代码: "600519",
      BS标志: "",
    };
    const line = names.map((name) => cells[name] ?? "0");
    const { rows } = parsed(`${names.join(",")},\r\n${line.join(",")},\r\n`);
    expect(rows).toMatchObject([{ bid3E4: 77, bid1E4: 0, numTrades: 0, iopvE4: 0 }]);
  });

  it("has its turnover read as the double nearest to the text, in any notation", () => {
    const texts = ["6244678924.61", "0.07", "12345678901234.56", "1.2018e+006", "", "3.", "123456789012345"];
    const { rows, reasons } = vendor(...texts.map((text) => quoteLine({ 当日成交额: text })));
    expect(reasons).toEqual([]);
    expect(rows.map(({ amount }) => amount)).toEqual(texts.map(Number));
  });

  it("is kept at any time of day, even with the same time as the previous row", () => {
    const times = ["84518000", "91500000", "91500000", "113000000", "120000000", "153003000", "235959999"];
    const { rows, counts } = vendor(...times.map((time) => quoteLine({ 时间: time })));
    expect(rows.map(({ time }) => time)).toEqual(times.map(Number));
    expect(counts).toEqual({ time_zero_lost: 3 });
  });

  it.each([
    ["a time of six digits", { 时间: "093000" }, "time_without_milliseconds", { time: 93000000 }],
    ["a time of five digits", { 时间: "93000" }, "time_without_milliseconds", { time: 93000000 }],
    ["a time between blanks", { 时间: " 093000010\t" }, "padded_cell", { time: 93000010 }],
    ["an exponent", { 当日累计成交量: "1.2018e+006" }, "exponent", { volume: 1_201_800 }],
    ["a value over int32", { 叫卖总量: "9007199254740991" }, "over_int32", { totalAskVolume: 2 ** 53 - 1 }],
    ["2^64 - 1 as a quantity", { 申买量10: "18446744073709551615" }, "sentinel", { bidVolume10: 0 }],
    ["an empty cell", { 申卖价10: "" }, "empty_cell", { ask10E4: 0 }],
    ["a TAB in a cell", { 申卖价1: "\t" }, "padded_cell", { ask1E4: 0 }],
    ["NUL bytes in a cell", { 申卖价1: "\0\0" }, "nul_cell", { ask1E4: 0 }],
    [
      "no zeros before its code",
      { 万得代码: "1.SZ", 交易所代码: "1" },
      "code_without_zeros",
      { symbol: "000001" },
    ],
  ])("with %s is read, and the defect is counted", (_, said, kind, row) => {
    const { rows, reasons, counts } = vendor(quoteLine(said));
    expect(reasons).toEqual([]);
    expect(rows).toMatchObject([row]);
    expect(counts[kind]).toBeGreaterThan(0);
  });

  it.each([
    [{ 当日累计成交量: "100.5" }, "has a 当日累计成交量 that has a fraction"],
    [{ 申卖量7: "1.5" }, "has a 申卖量7 that has a fraction"],
    [{ 申买价1: "-1" }, "has a 申买价1 that is negative"],
    [{ 当日成交额: "-0.01" }, "has a 当日成交额 that is negative"],
    [{ 当日成交额: "18446744073709551615" }, "has a 当日成交额 that is beyond 2^53"],
    [{ 当日成交额: "1.2.3" }, "has a 当日成交额 that is not a number"],
    [{ 前收盘: "x" }, "has a 前收盘 that is not a number"],
    [{ 时间: "256060000" }, "has no time of day"],
    [{ 自然日: "20230712" }, "belongs to another day"],
    [{ 交易所代码: "600520" }, "has a 交易所代码 that is not its security's"],
  ])("with %o is refused with the reason", (said, reason) => {
    const { read, rows, reasons } = vendor(quoteLine(), quoteLine(said), quoteLine({ 成交价: "7" }));
    expect(read).toBe(3);
    expect(reasons).toEqual([reason]);
    expect(rows.map(({ closeE4 }) => closeE4)).toEqual([17_450_000, 7]);
  });

  it("with the date 0 is left out and counted, and a truncated line is refused", () => {
    const { read, rows, reasons, counts } = vendor(
      quoteLine(),
      quoteLine({ 自然日: "0", 时间: "0" }),
      quoteLine().slice(0, 60),
    );
    expect(read).toBe(3);
    expect(rows).toHaveLength(1);
    expect(reasons).toEqual([expect.stringMatching(/^has \d+ cells instead of 66$/)]);
    expect(counts.sentinel_row).toBe(1);
  });

  it("that is earlier than the previous line is counted and keeps its position", () => {
    const { rows, counts } = vendor(quoteLine(), quoteLine({ 时间: "92957000" }), quoteLine());
    expect(rows.map(({ time }) => time)).toEqual([93000010, 92957000, 93000010]);
    expect(counts.unsorted).toBe(1);
  });

  it("of an index becomes a row like any other", () => {
    const index = { 万得代码: "000001.SH", 交易所代码: "000001", 不加权指数: "32001234", 品种总数: "2210" };
    const { rows, reasons } = vendor(quoteLine({ ...index, 成交价: "32001234" }));
    expect(reasons).toEqual([]);
    expect(rows).toMatchObject([{ symbol: "000001", market: "SH", closeE4: 32_001_234 }]);
  });
});

describe("a line under the API's own column names", () => {
  const standard = storedColumns(quotes).filter(({ onRequest }) => !onRequest);
  const names = ["symbol", "tradedate", "time", ...standard.map(({ name }) => name)];
  const line = (symbol: string, said: Record<string, string> = {}) =>
    [symbol, DAY, "093000010", ...standard.map(({ name }) => said[name] ?? "0")].join(",");

  it("has prices in yuan, and may use the legacy names of the totals", () => {
    const said = { close: "17.45", volume: "300", amount: "5235.07", bid10: "1.001" };
    const file = `${names.join(",")}\n${line("600519.SH", said)}\n`;
    const renamed = file.replace(",volume,amount,", ",total_volume,total_amount,");
    for (const text of [file, renamed]) {
      const { layout, rows } = parsed(text);
      expect(layout).toBe("plain");
      expect(rows).toMatchObject([
        { symbol: "600519", closeE4: 174_500, volume: 300, amount: 5235.07, bid10E4: 10_010, iopvE4: 0 },
      ]);
    }
  });

  it.each([
    ["600519", "SH"],
    ["688981", "SH"],
    ["900901", "SH"],
    ["510300", "SH"],
    ["113050", "SH"],
    ["204001", "SH"],
    ["000001", "SZ"],
    ["300750", "SZ"],
    ["200012", "SZ"],
    ["159915", "SZ"],
    ["123107", "SZ"],
    ["131810", "SZ"],
  ])("with the bare code %s belongs to the exchange %s", (symbol, market) => {
    expect(parsed(`${names.join(",")}\n${line(symbol)}\n`).rows).toMatchObject([{ symbol, market }]);
  });

  it("is refused if its code has no exchange and belongs to no known range", () => {
    const { reasons } = parsed(`${names.join(",")}\n${line("430047")}\n`);
    expect(reasons).toEqual(["names no security of a known exchange"]);
  });
});
