import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { orders } from "../../../src/datasets/orders.ts";
import { FIELDS } from "../../../src/orders/record.ts";
import { readOrderPage } from "../../../src/packs/order-page.ts";
import { memoryBucket, openTestPack } from "../../support/packs.ts";
import { bare } from "../../support/result.ts";
import { built, countsOf, DAY, delivery, rowsOf, spotLine } from "./deliveries.ts";

const lines = (...each: string[]) => `${each.join("\n")}\n`;

const DATAYES =
  "ChannelNo,ApplSeqNum,MDStreamID,SecurityID,SecurityIDSource,Price,OrderQty,Side,TransactTime,OrdType,LocalTime,SeqNo";
const datayes = (
  number: number,
  said: { code?: string; source?: string; price?: string; side?: string; type?: string } = {},
) =>
  `2011,${number},011,${said.code ?? "2009"},${said.source ?? "102 "},${said.price ?? "12.34"},100,${said.side ?? "49"},09:30:00.010,${said.type ?? "50"},09:30:00.1,${number}`;

describe("a header line", () => {
  it("may begin with HEAD and name no columns, as in Entrust.csv", async () => {
    const file = lines(
      "HEAD:v2,2021/04/03 17:10:56",
      "600519,20230711093000010,5,1700.5,100,B,A,1,1,9",
      "600519,20230711093000020,5,1700.5,100,B,D,2,1,10",
    );
    const { report, pack } = await built(delivery({ "SH/Entrust.csv": file }));
    expect((await rowsOf(pack)).map(({ order_type, price }) => [order_type, price])).toEqual([
      ["A", 1700.5],
      ["D", 1700.5],
    ]);
    expect(report).toMatchObject({ result: "whole", layouts: { "sse-entrust": 1 } });
    const broken = await built(delivery({ "SH/Entrust.csv": `${file}x\n` }), { maxBroken: 1 });
    expect(broken.report.broken.first?.line).toBe(4);
  });

  it("is skipped in the Shenzhen exchange's file, which normally has none", async () => {
    const names =
      "tradedate,OrigTime,SendTime,recvtime,dbtime,ChannelNo,MDStreamID,ApplSeqNum,SecurityID,SecurityIDSource,Price,OrderQty,TransactTime,Side,OrderType,ConfirmID,Contactor,ContactInfo,ExpirationDays,ExpirationType";
    const row = spotLine("20230711093000010", 1, "1", "2");
    const { report } = await built(
      delivery({ "am_hq_order_spot.txt": lines(names.replaceAll(",", "\t"), row) }),
    );
    expect(report).toMatchObject({ result: "whole", rows: 1 });
    expect(countsOf(report)).toMatchObject({ header_line: 1 });
    expect(report.origin?.rows.read).toBe(1);
  });
});

describe("Hong Kong rows", () => {
  it("are left out and counted, while a Shanghai row in a Shenzhen file is quarantined", async () => {
    const file = lines(
      DATAYES,
      datayes(1),
      datayes(2, { code: "00700", source: "103 " }),
      datayes(3, { source: "101" }),
    );
    const { report, pack } = await built(delivery({ "mdl_6_33_0.csv": file }), { maxBroken: 1 });
    expect((await rowsOf(pack)).map(({ symbol }) => symbol)).toEqual(["002009"]);
    expect(report.origin?.rows).toEqual({ read: 3, quarantined: 1, leftOut: { market_not_carried: 1 } });
  });
});

describe("Shenzhen orders in DataYes's layout", () => {
  it("may have the loan sides 70 and 71 or an unknown side, but are quarantined if a code is overlong", async () => {
    const file = lines(
      DATAYES,
      datayes(1, { side: "70" }),
      datayes(2, { side: "71" }),
      datayes(3, { side: "72" }),
      datayes(4, { type: "x".repeat(33) }),
      datayes(5, { side: "y".repeat(5_000_000) }),
    );
    const { report, pack, quarantine } = await built(delivery({ "mdl_6_33_0.csv": file }), { maxBroken: 2 });
    expect((await rowsOf(pack)).map(({ order_code }) => order_code)).toEqual(["F", "G", "72"]);
    expect(countsOf(report)).toMatchObject({ unknown_code: 1 });
    expect(report.broken).toMatchObject({ rows: 2, first: { reason: "has an OrdType that is not a code" } });
    expect(readFileSync(quarantine).length).toBeLessThan(5_000);
  });

  it("may have a zero, all-nines or negative market price, while a negative limit price is quarantined", async () => {
    const file = lines(
      DATAYES,
      datayes(1, { type: "49", price: "0.0000" }),
      datayes(2, { type: "49", price: "999999.9990" }),
      datayes(3, { type: "85", price: "999999.999" }),
      datayes(4, { type: "49", price: "-1.0000" }),
      datayes(5, { type: "85", price: "-999999.9999" }),
      datayes(6, { type: "50", price: "-1" }),
      datayes(7, { type: "49", price: "-" }),
    );
    const { report, pack } = await built(delivery({ "mdl_6_33_0.csv": file }), {
      maxBroken: 2,
      verify: true,
    });
    const rows = await rowsOf(pack);
    expect(rows.map(({ price }) => price)).toEqual([0, 999_999.999, 999_999.999, -1, -999_999.9999]);
    expect(rows.map(({ amount }) => amount)).toEqual([0, 99_999_999.9, 99_999_999.9, -100, -99_999_999.99]);
    expect(countsOf(report)).toMatchObject({
      market_price_zero: 1,
      market_price_nines: 2,
      market_price_negative: 2,
    });
    expect(report.broken).toMatchObject({ rows: 2, first: { reason: "has a Price that is negative" } });
  });

  it("may have a negative price, which JSON and Parquet return alike", async () => {
    const file = lines(
      DATAYES,
      datayes(1, { type: "49", price: "-1.0000" }),
      datayes(2, { type: "49", price: "-0.0001" }),
      datayes(3, { type: "49", price: "12.34" }),
    );
    const { pack } = await built(delivery({ "mdl_6_33_0.csv": file }), { verify: true });
    const { bytes, entryOf } = await openTestPack(new Uint8Array(readFileSync(pack)));
    const { bucket, object } = memoryBucket(bytes);
    const columns = FIELDS.map((field) => ({ field, name: field }));
    const ask = { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10, columns };
    const page = bare(
      await readOrderPage(bucket, { ...object, tradedate: DAY }, entryOf("002009"), ask, { dataset: orders }),
    );
    if ("reason" in page) throw new Error(page.reason);
    const items = JSON.parse(Buffer.concat(page.items).toString()) as unknown[][];
    expect(items.map((row) => [row[7], row[9]])).toEqual([
      [-1, -100],
      [-0.0001, -0.01],
      [12.34, 1234],
    ]);
    expect(items).toEqual((await rowsOf(pack)).map((row) => Object.values(row)));
  });
});
