import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { inspectPack } from "../../../src/pack-builder/inspect-pack.ts";
import { openPackFile } from "../../../src/pack-builder/pack-file.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { HEADERS } from "../../support/random-deliveries.ts";
import { bare } from "../../support/result.ts";
import {
  built,
  builtDay,
  contentOf,
  countsOf,
  DAY,
  delivery,
  reportLines,
  rowsOf,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";

const lines = (...each: string[]) => `${each.join("\n")}\n`;

const vendorTrades = (...each: string[]) => [HEADERS.trades.vendor, ...each, ""].join("\r\n");
const trade = (said: Partial<Record<keyof typeof USUAL, string>> = {}) =>
  `${Object.values({ ...USUAL, ...said }).join(",")},`;
const USUAL = {
  code: "600519.SH",
  exchangeCode: "600519",
  date: "20230711",
  time: "93000010",
  id: "7",
  tradeCode: "\0",
  kind: "\0",
  flag: "B",
  price: "17450000",
  volume: "100",
  sell: "11",
  buy: "22",
};

const trades = (sources: string | string[], said: Parameters<typeof built>[1] = {}) =>
  built(sources, { verify: true, ...said, dataset: "trades" });

/** The columns that these tests compare. */
const COLUMNS = "symbol time trade_id price volume bs_flag trade_code buy_order_id sell_order_id".split(" ");
const cellsOf = async (pack: string) => (await rowsOf(pack)).map((row) => COLUMNS.map((name) => row[name]));

describe("a file of trades", () => {
  it("may contain Shenzhen cancels, which are counted and stored with blank flags", async () => {
    const shenzhen = { code: "000001.SZ", exchangeCode: "1", kind: " ", flag: "\t" };
    const file = vendorTrades(
      trade({ ...shenzhen, tradeCode: "0" }),
      trade({ ...shenzhen, tradeCode: "C", price: "0", volume: "300", sell: "0" }),
      trade({ ...shenzhen, tradeCode: "C", price: "0", volume: "300" }),
      trade({ ...shenzhen, tradeCode: "Z" }),
    );
    const { pack, report } = await trades(delivery({ "000001.SZ/逐笔成交.csv": file }));
    expect((await cellsOf(pack)).map((row) => row.slice(3))).toEqual([
      [1745, 100, "", "0", 22, 11],
      [0, 300, "", "C", 22, 0],
      [0, 300, "", "C", 22, 11],
      [1745, 100, "", "Z", 22, 11],
    ]);
    expect(report.cancels).toBe(2);
    expect(countsOf(report)).toMatchObject({ cancel_numbers: 1, unknown_trade_code: 1 });
  });

  it("is stored without sentinel rows, and rows of another day or with bad numbers are quarantined", async () => {
    const file = vendorTrades(
      trade(),
      trade({ volume: "100.5" }),
      trade({ price: "-1" }),
      trade({ date: "20230712" }),
      trade({ date: "0", time: "0" }),
    );
    const { report } = await trades(delivery({ "600519.SH/逐笔成交.csv": file }), { maxBroken: 3 });
    expect(report).toMatchObject({ rows: 1, broken: { rows: 3 }, result: "degraded" });
    expect(report.origin?.rows).toEqual({ read: 5, quarantined: 3, leftOut: { sentinel_row: 1 } });
  });

  it("in Insight's layout may have numeric flags, and a row with an unknown TradeType is quarantined", async () => {
    const header =
      "MDDate,MDTime,SecurityType,SecuritySubType,SecurityIDSource,Symbol,TradingPhaseCode,TradeIndex,TradeBuyNo,TradeSellNo,TradeType,TradeBSFlag,TradePrice,TradeQty,TradeMoney,ReceiveDateTime,NumTrades,ChannelNo,ApplSeqNum,SecurityID";
    const row = (number: number, flag: number, type = 0) =>
      `2023.07.11,09:30:00.0${number}0,2,02001,101,x,,${number},22,11,${type},${flag},14.56,200,2912,x,0,1,${number},605580.SH`;
    const { pack, report } = await trades(
      delivery({ "SHtrans.csv": lines(header, row(1, 0), row(2, 1), row(3, 2), row(4, 1, 9)) }),
      { maxBroken: 1 },
    );
    expect(await cellsOf(pack)).toEqual([
      ["605580", "093000010", 1, 14.56, 200, "N", "", 22, 11],
      ["605580", "093000020", 2, 14.56, 200, "B", "", 22, 11],
      ["605580", "093000030", 3, 14.56, 200, "S", "", 22, 11],
    ]);
    expect(report.broken.first?.reason).toBe("has a TradeType other than 0, whose meaning is unknown");
  });

  it("in DataYes's Shenzhen layout may mark fills and cancels by number or by letter", async () => {
    const header =
      "ChannelNo,ApplSeqNum,MDStreamID,BidApplSeqNum,OfferApplSeqNum,SecurityID,SecurityIDSource,LastPx,LastQty,ExecType,TransactTime,LocalTime,SeqNo";
    const row = (number: number, type: string, [buy, sell]: [number, number]) =>
      `2013,${number},011,${buy},${sell},1,102 ,14.779999999999999,200,${type},09:30:00.040,x,${number}`;
    const file = lines(
      header,
      row(9, "70", [1, 2]),
      row(3, "F", [1, 2]),
      row(10, "52", [1, 0]),
      row(11, "4", [0, 2]),
    );
    const { pack, report } = await trades(delivery({ "mdl_6_36_0.csv": file }));
    expect((await cellsOf(pack)).map(([, , id, price, , flag, code]) => [id, price, flag, code])).toEqual([
      [9, 14.78, "", "0"],
      [3, 14.78, "", "0"],
      [10, 14.78, "", "C"],
      [11, 14.78, "", "C"],
    ]);
    expect(report.layouts).toEqual({ "datayes-szse-trades": 1 });
  });

  it("in the Shanghai history's layout is sorted by BizIndex if it has that column", async () => {
    const columns =
      "DataStatus,TradeIndex,TradeChan,SecurityID,TradTime,TradPrice,TradVolume,TradeMoney,TradeBuyNo,TradeSellNo,TradeBSFlag";
    const row = (index: number) => `0,${index},1,600519,09:30:00.010,17.45,100,1745,22,11,B`;
    const withIndex = lines(`${columns},BizIndex,LocalTime,SeqNo`, `${row(1)},8,x,1`, `${row(2)},7,x,2`);
    const without = lines(columns, row(1), row(2));
    const ids = async (file: string) =>
      (await cellsOf((await trades(delivery({ "Transaction.csv": file }))).pack)).map(([, , id]) => id);
    expect(await ids(withIndex)).toEqual([2, 1]);
    expect(await ids(without)).toEqual([1, 2]);
  });

  it("gives the same pack as its rows delivered as plain CSV or as Parquet", async () => {
    const file = vendorTrades(trade(), trade({ time: "100000000", flag: "S", kind: "Q" }));
    const shenzhen = vendorTrades(
      trade({ code: "000001.SZ", exchangeCode: "1", tradeCode: "C", price: "0", sell: "0", flag: "" }),
    );
    const vendor = await trades(
      delivery({ "600519.SH/逐笔成交.csv": file, "000001.SZ/逐笔成交.csv": shenzhen }),
    );
    const folder = delivery({});
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = `(select * exclude amount from '${vendor.pack}')`;
    await connection.run(`copy ${rows} to '${folder}/t.csv' (header, quote '', escape '')`);
    await connection.run(`copy ${rows} to '${folder}/t.parquet'`);
    const expected = await contentOf(readFileSync(vendor.pack));
    for (const name of ["t.csv", "t.parquet"]) {
      const plain = await trades(join(folder, name));
      expect(plain.report.layouts).toEqual({ plain: 1 });
      expect((await contentOf(readFileSync(plain.pack))).equals(expected)).toBe(true);
    }
  });

  it("is read as Parquet even if its path contains wildcards or a folder such as symbol=600000", async () => {
    const vendor = await trades(delivery({ "600519.SH/逐笔成交.csv": vendorTrades(trade()) }));
    const folder = delivery({ "symbol=600000/empty.csv.ok": "" });
    const connection = await (await DuckDBInstance.create()).connect();
    for (const [name, symbol] of Object.entries({ "t[1]": "600519", t1: "600520" })) {
      const rows = `(select * exclude amount replace ('${symbol}' as symbol) from '${vendor.pack}')`;
      await connection.run(`copy ${rows} to '${folder}/symbol=600000/${name}.parquet'`);
    }
    const { pack } = await trades(folder);
    expect((await rowsOf(pack)).map(({ symbol }) => symbol)).toEqual(["600519", "600520"]);
  });
});

describe("a merged stream of Shanghai orders and trades", () => {
  const file = lines(
    "BizIndex,Channel,SecurityID,TickTime,Type,BuyOrderNO,SellOrderNO,Price,Qty,TradeMoney,TickBSFlag,LocalTime,SeqNo",
    "2,1,600519,09:30:00.010,T,22,11,17.45,100,1745,B,x,2",
    "1,1,600519,09:30:00.010,A,0,11,17.45,100,0,S,x,1",
    "3,1,600519,09:30:00.020,D,22,0,17.4,200,0,B,x,3",
  );

  it.each([
    { threads: 0, chunkBytes: 1_000 },
    { threads: 2, chunkBytes: 60 },
  ])("read with $threads threads gives two packs that each account for every row", async (said) => {
    const folder = delivery({ "mdl_4_24_0.csv": file });
    const outFolder = delivery({});
    const { packs: reports, absent } = await builtDay(folder, { ...said, outFolder, verify: true });
    expect(reports.map(({ dataset, pack, rows }) => [dataset, pack, rows])).toEqual([
      ["orders", join(outFolder, `${DAY}.parquet`), 2],
      ["trades", join(outFolder, `${DAY}_trades.parquet`), 1],
    ]);
    expect(reports.map(({ origin }) => origin?.rows)).toEqual([
      { read: 3, quarantined: 0, leftOut: { trade_row: 1 } },
      { read: 3, quarantined: 0, leftOut: { order_row: 2 } },
    ]);
    expect(await cellsOf(join(outFolder, `${DAY}_trades.parquet`))).toEqual([
      ["600519", "093000010", 2, 17.45, 100, "B", "", 22, 11],
    ]);
    expect(reports.every(({ result, verified }) => result === "whole" && verified)).toBe(true);
    expect(absent).toEqual(["quotes"]);
  });

  it("degrades the pack of trades and is named in the report if its trades cannot be read", async () => {
    const { report } = await trades(
      delivery({
        "600519.SH/逐笔成交.csv": vendorTrades(trade()),
        "StockTick.csv":
          "SecurityID,TransactTime,OrderNo,Price,Balance,OrderBSFlag,Type,TradeQty,ChannelNo,BizIndex\n",
      }),
    );
    expect(report).toMatchObject({ result: "degraded", leftOut: [{ reason: "unknown_layout" }] });
  });
});

describe("a delivery of one or several datasets", () => {
  const folder = () =>
    delivery({
      "20230711/600519.SH/逐笔委托.csv": vendorFile(vendorLine()),
      "20230711/600519.SH/逐笔成交.csv": vendorTrades(trade()),
      "20230711/600519.SH/行情.csv": "x\n",
      "20230711/600536.SH/逐笔委托.csv": vendorFile(
        vendorLine({ code: "600536.SH", exchangeCode: "600536" }),
      ),
    });

  it("gives the requested pack, and a report that names the files of other datasets", async () => {
    const { report } = await trades(folder());
    expect(report).toMatchObject({ result: "whole", rows: 1, securities: 2, securitiesWithoutOrders: 1 });
    expect(report.leftOut.map(({ reason }) => reason)).toEqual(Array(3).fill("other_dataset"));
    const text = reportLines(report).join("\n");
    expect(text).toContain("2 (1 without trades)");
    expect(text).toContain("holds orders or quotes");
    expect(text).toContain("security's folder without a file of trades: a security without trades");
    const orders = await built(folder());
    expect(orders.report).toMatchObject({ dataset: "orders", rows: 2, securities: 2 });
  });

  it("gives one pack for each dataset that it contains, and is refused when none of its files belongs to any dataset", async () => {
    const alone = delivery({ "600519.SH/逐笔委托.csv": vendorFile(vendorLine()) });
    const { packs, absent } = await builtDay(alone);
    expect([packs.map(({ dataset }) => dataset), absent]).toEqual([["orders"], ["trades", "quotes"]]);
    const cut = delivery({ "600519.SH/逐笔委托.csv": vendorFile(vendorLine()), "cut.parquet": "PAR1" });
    const beside = await builtDay(cut, { maxBroken: 1 });
    expect(beside).toMatchObject({ result: "degraded", absent: ["trades", "quotes"], refused: [] });
    await expect(builtDay(delivery({ "notes.txt": "x" }))).rejects.toThrow(/no order file/);
    expect((await trades(alone)).report).toMatchObject({ result: "failed", pack: null, rows: 0 });
  });
});

describe("a pack of trades", () => {
  it("names its dataset and is refused by a reader of orders", async () => {
    const { pack } = await trades(delivery({ "600519.SH/逐笔成交.csv": vendorTrades(trade()) }));
    const bytes = readFileSync(pack);
    const read = async (from: number, length: number) => bytes.subarray(from, from + length);
    await expect(locateIndex(bytes.length, read)).rejects.toThrow(PackFormatError);
    await expect(locateIndex(bytes.length, read)).rejects.toThrow(
      "this is a pack of trades; a pack of orders is expected here",
    );
    expect(bare(await openPackFile(pack))).toMatchObject({ reason: "not_a_pack" });
    const opened = bare(await openPackFile(pack, ["trades"]));
    if ("reason" in opened) throw new Error(opened.reason);
    const summary = await inspectPack(opened);
    await opened.close();
    expect(summary).toMatchObject({ dataset: "trades", rows: 1 });
    expect(Object.keys(summary.columnBytes).at(-1)).toBe("order_kind");
  });
});
