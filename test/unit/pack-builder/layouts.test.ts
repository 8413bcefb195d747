import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import {
  built,
  builtDay,
  countsOf,
  DAY,
  delivery,
  rowsOf,
  spotLine,
  temporaryFolder,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";

/**
 * Builds `files`. Expects the number of files by layout, the counts if they are given, and rows with these values of
 * the fields in which layouts differ.
 */
async function expectRead(
  files: Record<string, string>,
  layouts: Record<string, number>,
  rows: (string | number)[][],
  counts?: Record<string, number>,
): Promise<void> {
  const { pack, report } = await built(delivery(files));
  const fields = "symbol time order_id exchange_order_id order_type order_code price volume".split(" ");
  expect((await rowsOf(pack)).map((row) => fields.map((name) => row[name]))).toEqual(rows);
  expect(report.layouts).toEqual(layouts);
  if (counts !== undefined) expect(countsOf(report)).toEqual(counts);
}

const lines = (...each: string[]) => `${each.join("\n")}\n`;

describe("the pack builder", () => {
  it("reads Insight orders of types 2, 10 and 11 and sides 1 and 2, with float noise in prices", async () => {
    const file = lines(
      "MDDate,MDTime,SecurityType,SecuritySubType,SecurityIDSource,Symbol,ReceiveDateTime,OrderIndex,OrderType,OrderPrice,OrderQty,OrderBSFlag,ChannelNo,ApplSeqNum,OrderNO,SecurityID",
      "2023.07.11,09:15:00.280,2,02001,101,恒润股份,2023.07.11T09:25:21.401,169409,2,15.929999999999999,300,2,1,186445,1329,605580.SH",
      "2023.07.11,09:15:00.920,2,02001,101,恒润股份,2023.07.11T09:25:21.401,169410,10,14.92,400,1,1,186446,2647,605580.SH",
      "2023.07.11,09:30:00.000,2,02001,101,恒润股份,2023.07.11T09:30:01.401,169411,11,0,0,OCALL,1,186447,0,605580.SH",
      "2023.07.11,09:15:00.920,2,02001,102,平安,2023.07.11T09:25:21.401,1,1,0,400,1,1,186446,7,000001.SZ",
    );
    await expectRead(
      { "SHorders.csv": file },
      { insight: 1 },
      [
        ["000001", "091500920", 0, 7, "1", "B", 0, 400],
        ["605580", "091500280", 0, 1329, "A", "S", 15.93, 300],
        ["605580", "091500920", 0, 2647, "D", "B", 14.92, 400],
        ["605580", "093000000", 0, 0, "S", "OCALL", 0, 0],
      ],
      { market_price_zero: 1 },
    );
  });

  it("reads DataYes Shanghai orders and sorts them by BizIndex", async () => {
    const file = lines(
      "DataStatus,OrderIndex,OrderChannel,SecurityID,OrderTime,OrderType,OrderNO,OrderPrice,Balance,OrderBSFlag,BizIndex,LocalTime,SeqNo",
      "0,68338,6,600519,09:15:00.220,A,1248,1801.00999999999999,100,B,76840,09:25:26.145,560196",
      "0,68339,6,600519,09:15:00.220,D,1251,1855,400,S,76839,09:25:26.145,560197",
    );
    await expectRead({ "20230711/mdl_4_19_0.csv": file }, { "datayes-sse-orders": 1 }, [
      ["600519", "091500220", 0, 1251, "D", "S", 1855, 400],
      ["600519", "091500220", 0, 1248, "A", "B", 1801.01, 100],
    ]);
  });

  it("reads orders and phases from merged DataYes Shanghai files, and leaves their trades out", async () => {
    const file = lines(
      "BizIndex,Channel,SecurityID,TickTime,Type,BuyOrderNO,SellOrderNO,Price,Qty,TradeMoney,TickBSFlag,LocalTime,SeqNo",
      "1,1,600519,09:15:00.010,S,0,0,0.000,0,0,OCALL,09:15:00.1,1",
      "2,1,600519,09:30:00.010,A,11,0,1700.010,100,0,B,09:30:00.1,2",
      "3,1,600519,09:30:00.010,A,0,12,1700.020,200,0,S,09:30:00.1,3",
      "4,1,600519,09:30:00.010,T,11,12,1700.020,100,170002,B,09:30:00.1,4",
      "5,1,600519,09:30:00.010,D,0,12,1700.020,100,0,S,09:30:00.1,5",
    );
    await expectRead(
      { "mdl_4_24_0.csv": file },
      { "datayes-sse-merged": 1 },
      [
        ["600519", "091500010", 0, 0, "S", "OCALL", 0, 0],
        ["600519", "093000010", 0, 11, "A", "B", 1700.01, 100],
        ["600519", "093000010", 0, 12, "A", "S", 1700.02, 200],
        ["600519", "093000010", 0, 12, "D", "S", 1700.02, 100],
      ],
      { trade_row: 1 },
    );
  });

  it("reads DataYes Shenzhen orders with codes as characters, as numbers or without leading zeros", async () => {
    const head =
      "ChannelNo,ApplSeqNum,MDStreamID,SecurityID,SecurityIDSource,Price,OrderQty,Side,TransactTime,OrdType,LocalTime,SeqNo";
    const file = lines(
      head,
      "2011,1,011,2009,102 ,12.3400,100,49,09:15:00.010,50,09:15:00.1,1",
      "2011,2,011,2009,102 ,0.0000,200,50,09:30:00.010,49,09:30:00.1,2",
      "2011,3,011,002009,102 ,-0.0000,300,1,09:30:00.010,85,09:30:00.1,3",
      "2011,4,011,002009,102 ,12.35,300,2,09:30:00.020,U,09:30:00.1,4",
      "2011,5,011,002009,102 ,12.35,300,F,09:30:00.020,2,09:30:00.1,5",
    );
    await expectRead(
      { "mdl_6_33_0.csv": file },
      { "datayes-szse-orders": 1 },
      [
        ["002009", "091500010", 0, 1, "0", "B", 12.34, 100],
        ["002009", "093000010", 0, 2, "1", "S", 0, 200],
        ["002009", "093000010", 0, 3, "U", "B", 0, 300],
        ["002009", "093000020", 0, 4, "U", "S", 12.35, 300],
        ["002009", "093000020", 0, 5, "0", "F", 12.35, 300],
      ],
      { code_without_zeros: 2, market_price_zero: 2 },
    );
  });

  it("reads the Shanghai exchange's Entrust.csv and StockTick.csv", async () => {
    const head =
      "SecurityID,TransactTime,OrderNo,Price,Balance,OrderBSFlag,OrdType,OrderIndex,ChannelNo,BizIndex";
    const entrust = lines(
      head,
      "600519,20230711093000010,5,1700.5,100,B,A,1,1,9",
      "600519,20230711093000010,5,1700.5,100,B,D,2,1,8",
    );
    await expectRead({ "SH/2023/20230711/Entrust.csv": entrust }, { "sse-entrust": 1 }, [
      ["600519", "093000010", 0, 5, "D", "B", 1700.5, 100],
      ["600519", "093000010", 0, 5, "A", "B", 1700.5, 100],
    ]);
    const tick = lines(
      `${head},TradeQty,Type`,
      "600519,20230711093000010,5,1700.5,100,B,A,1,1,9,0,A",
      "600519,20230711093000010,5,1700.5,0,B,A,1,1,10,100,T",
      "600519,20230711091500000,0,0,0,OCALL,S,1,1,1,0,S",
    );
    await expectRead({ "StockTick.csv": tick }, { "sse-stock-tick": 1 }, [
      ["600519", "091500000", 0, 0, "S", "OCALL", 0, 0],
      ["600519", "093000010", 0, 5, "A", "B", 1700.5, 100],
    ]);
  });

  it("reads the Shenzhen exchange's morning and afternoon files, which have tabs and no header", async () => {
    const files = {
      "20230711/pm_hq_order_spot.txt": lines(spotLine("20230711130000010", 3, "G", "U")),
      "20230711/am_hq_order_spot.txt": lines(
        spotLine("20230711093000010", 1, "1", "2"),
        spotLine("20230711093000010", 2, "2", "1"),
      ),
    };
    await expectRead(files, { "szse-order-spot": 2 }, [
      ["002009", "093000010", 0, 1, "0", "B", 12.34, 100],
      ["002009", "093000010", 0, 2, "1", "S", 12.34, 100],
      ["002009", "130000010", 0, 3, "U", "G", 12.34, 100],
    ]);
  });

  it("reads plain CSV in any column order, with the market in a suffix, a column or the order type", async () => {
    const file = lines(
      "volume,price,order_code,order_type,exchange_order_id,order_id,time,tradedate,symbol,market",
      "100,12.34005,B,A,7,1,093000010,20230711,600519,",
      "100,12.34,S,0,8,2,93000010,2023-07-11,1,",
      "100,12.34,S,J,9,3,09:30:00.01,2023/07/11,000002,SZ",
      "100,12.34,S,J,9,3,09:30:00,20230711,510300.SH,",
    );
    await expectRead({ "orders.csv": file }, { plain: 1 }, [
      ["000001", "093000010", 2, 8, "0", "S", 12.34, 100],
      ["000002", "093000010", 3, 9, "J", "S", 12.34, 100],
      ["510300", "093000000", 3, 9, "J", "S", 12.34, 100],
      ["600519", "093000010", 1, 7, "A", "B", 12.3401, 100],
    ]);
  });

  it("does not read its own packs and quality sheet when they are in the delivered folder", async () => {
    const folder = delivery({ "20230711/600519.SH/逐笔委托.csv": vendorFile(vendorLine()) });
    for (let run = 0; run < 2; run++) {
      const report = await builtDay(folder, { outFolder: folder, verify: true });
      expect(report).toMatchObject({ result: "whole", absent: ["trades", "quotes"], packs: [{ rows: 1 }] });
      const own = report.leftOut.map(({ path, reason }) => [basename(path), reason]);
      const written = [`${DAY}.parquet`, `${DAY}_quality.html`, `${DAY}_quality.json`];
      expect(own).toEqual(run === 0 ? [] : written.map((name) => [name, "own_output"]));
    }
  });
});

describe("a delivery without a usable order file", () => {
  it("is refused if it is absent, has only unknown files or files of another day, or lacks a column", async () => {
    await expect(built(delivery({ "notes.txt": "x" }))).rejects.toThrow(/no order file .*notes\.txt/);
    await expect(
      built(delivery({ "20230710/600519.SH/逐笔委托.csv": vendorFile(vendorLine()) })),
    ).rejects.toThrow(/no file has rows of 20230711; .*20230710/);
    await expect(built(join(temporaryFolder(), "absent"))).rejects.toThrow(/absent does not exist/);
    await expect(
      built(delivery({ "600519.SH/逐笔委托.csv": "万得代码,交易所代码,自然日\r\n" })),
    ).rejects.toThrow(/逐笔委托\.csv: the column 时间 of the layout vendor is missing/);
  });
});

const HEAD = "../shared/data/orders-20230201-datayes-head.zip";
if (!existsSync(HEAD))
  console.error(`\n!!! SKIPPED: ${HEAD} is absent, the real DataYes file was not built !!!\n`);

describe.skipIf(!existsSync(HEAD))("the first rows of a real DataYes file", () => {
  it("give 3,000 orders of 600519 without a defect", async () => {
    const tradedate = "20230201" as BeijingDate;
    const { report, pack } = await built(HEAD, { tradedate, maxBroken: null, verify: true });
    expect(report).toMatchObject({ result: "whole", rows: 3000, securities: 1, defects: [] });
    const [first, second] = await rowsOf(pack);
    expect(first).toMatchObject({ time: "091500020", exchange_order_id: 90, price: 1745, volume: 50 });
    expect(second).toMatchObject({ time: "091500220", price: 1801.01, order_type: "A", order_code: "B" });
  });
});
