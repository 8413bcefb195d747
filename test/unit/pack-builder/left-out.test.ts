/** Tests how a build reports the delivered files that it does not read, and which of them degrade the pack. */
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { deliveryLines } from "../../../src/pack-builder/delivery-report.ts";
import {
  built,
  builtDay,
  countsOf,
  delivery,
  entriesOf,
  reportLines,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";
import { zipOf } from "./zip-file.ts";

const SHANGHAI = vendorFile(vendorLine());
const READ = { "20230711/600519.SH/逐笔委托.csv": SHANGHAI };
const INSIGHT = "MDDate,MDTime,SecurityType,SecuritySubType,SecurityIDSource,Symbol,";
const VENDOR = "万得代码,交易所代码,自然日,时间,";
const TRADES = `${VENDOR}成交编号,成交代码,委托代码,BS标志,成交价格,成交数量,叫卖序号,叫买序号,\r\n`;
const TRADE = "600519.SH,600519,20230711,93000010,1,,,B,17450000,100,1,2,\r\n";

/** Files of trades and quotes under any name, recognised by the name or by the header. */
const OF_OTHER_DATASETS: Record<string, string> = {
  "600519.SH/trades.csv": TRADES + TRADE,
  "600519.SH/snapshot.csv": `${VENDOR}成交价,成交量,申卖价1,申卖量1,\r\n600519.SH,600519,20230711,93000010,1,1,1,1,\r\n`,
  "600519.SH/queue.csv": `${VENDOR}买卖方向,委托价格档位,委托队列,\r\n`,
  "600519.SH/委托队列.csv": "x",
  "600519.SH/行情.csv": "x",
  "600519.SH/逐笔成交.csv": "x",
  "20230711_aucde.parquet": "x",
  "SHtick.csv": "MDDate,MDTime,SecurityType,SecurityID,LastPx,Buy1Price,Sell1Price\n",
  "SHtrans.csv": `${INSIGHT}TradingPhaseCode,TradeIndex,TradeBuyNo,TradeSellNo,TradeType,TradeBSFlag,TradePrice,TradeQty,TradeMoney,ReceiveDateTime,NumTrades,ChannelNo,ApplSeqNum,SecurityID\n`,
  "Transaction.csv": "x",
  "mdl_6_36_0.csv": "x",
  "plain-quotes.csv": "symbol,tradedate,time,open,high,low,close,pre_close,volume,amount\n",
  "plain-trades.csv":
    "symbol,tradedate,time,trade_id,price,volume,amount,bs_flag,trade_code,buy_order_id,sell_order_id\n",
  "sse.csv":
    "DataStatus,TradeIndex,TradeChan,SecurityID,TradTime,TradPrice,TradVolume,TradeMoney,TradeBuyNo,TradeSellNo,TradeBSFlag,BizIndex,LocalTime,SeqNo\n",
  "szse.csv":
    "ChannelNo,ApplSeqNum,MDStreamID,BidApplSeqNum,OfferApplSeqNum,SecurityID,SecurityIDSource,LastPx,LastQty,ExecType,TransactTime,LocalTime,SeqNo\n",
};

const below = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`20230711/${path}`, content]));
/** Returns the path inside the delivered folder and the reason of every file that was left out. */
const namedIn = ({ leftOut }: { leftOut: readonly { path: string; reason: string }[] }) =>
  leftOut.map(({ path, reason }) => [path.slice(path.indexOf("/") + 1).replace("20230711/", ""), reason]);

describe("files that a build leaves out", () => {
  it("are named in the report, and the pack of orders is complete, if they hold other datasets", async () => {
    const folder = delivery({ ...READ, ...below(OF_OTHER_DATASETS) });
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `copy (select '600519' as symbol, '093000000' as time, 1 as trade_id, 1.5 as price, 100 as volume) to '${folder}/20230711/t.parquet'`,
    );
    const { report } = await built(folder);
    expect(report).toMatchObject({ result: "whole", rows: 1, securities: 1 });
    const names = [...Object.keys(OF_OTHER_DATASETS), "t.parquet"].sort();
    expect(namedIn(report)).toEqual(names.map((name) => [name, "other_dataset"]));
    expect(reportLines(report).join("\n")).toMatch(
      /holds trades or quotes, and \d+ more \(--json names each\)/,
    );
  });

  it("are each reported with the reason", async () => {
    const expected = {
      ".DS_Store": "no_records",
      "20230711.zip.sha256": "no_records",
      "430047.BJ/逐笔委托.csv": "market_not_carried",
      "a.bin": "unknown_layout",
      "copy.csv.ok": "named_as_marker",
      "empty.csv": "empty",
      "old.rar": "unread_format",
      "orders.csv.done": "no_records",
      "x.csv.downloading": "under_way",
      "y.csv.baiduyun.p.downloading": "under_way",
      "z.csv~": "under_way",
    };
    const contents = Object.keys(expected).map((name) => {
      const isEmpty = ["empty.csv", "orders.csv.done"].includes(name);
      return [name, isEmpty ? "" : /csv/.test(name) ? SHANGHAI : "x"];
    });
    const other = { "20230710/600519.SH/逐笔委托.csv": SHANGHAI };
    const { report } = await built(delivery({ ...READ, ...below(Object.fromEntries(contents)), ...other }));
    expect(report).toMatchObject({ rows: 1, securities: 1 });
    expect(countsOf(report)).toMatchObject({ market_not_carried: 1 });
    expect(namedIn(report)).toEqual([
      ["20230710/600519.SH/逐笔委托.csv", "other_day"],
      ...Object.entries(expected),
    ]);
    expect(reportLines(report).join("\n")).toMatch(/not read {4}.*a\.bin has no known layout\n/);
  });

  it("degrade the pack only if they may hold records", async () => {
    const suspicious = {
      "SHtick.csv": "MDDate,MDTime,SecurityType,SecurityID,LastPx,Buy1Price\n",
      "am_hq_snap_spot.txt": "a\tb\n",
      "am_hq_trade_spot.txt": "a\tb\n",
      "copy.csv.ok": TRADES + TRADE,
      "mdl_4_4_0.csv": "a,b\n",
      "mdl_6_28_0.csv": "a,b\n",
      "trades.zip": zipOf([{ name: "am_hq_trade_spot.txt", content: "a\tb\n", crc: 1 }]),
    };
    for (const [name, content] of Object.entries(suspicious)) {
      const report = await builtDay(delivery({ ...READ, [name]: content }));
      expect(report, name).toMatchObject({ result: "degraded", absent: ["trades", "quotes"], refused: [] });
      expect(deliveryLines(report).join("\n")).toMatch(new RegExp(`not read {4}.*/${name}`));
    }
    const harmless = { "委托队列.csv": "a,b\n", "mdl_4_4_1.csv": "a,b\n", "mdl_6_28_2.csv": "a,b\n" };
    const report = await builtDay(delivery({ ...READ, ...harmless }));
    expect(report.result).toBe("whole");
    expect(report.leftOut.map(({ reason }) => reason)).toEqual(Array(3).fill("other_dataset"));
  });

  it("keep a security out of the index if they may hold its orders", async () => {
    const { report, pack } = await built(
      delivery({ ...READ, "20230711/000001.SZ/逐笔委托.csv.bin": "x", "20230711/000002.SZ/行情.csv": "x" }),
    );
    expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["000002", "600519"]);
    expect(countsOf(report)).toMatchObject({ no_order_file: 1 });
    expect(report.result).toBe("degraded");
  });
});
