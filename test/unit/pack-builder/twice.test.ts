import { describe, expect, it } from "vitest";
import { built, countsOf, delivery, rowsOf, vendorFile, vendorLine } from "./deliveries.ts";
import { zipOf } from "./zip-file.ts";

const HEADER = "symbol,tradedate,time,order_id,exchange_order_id,order_type,order_code,price,volume";
const DATAYES =
  "ChannelNo,ApplSeqNum,MDStreamID,SecurityID,SecurityIDSource,Price,OrderQty,Side,TransactTime,OrdType,LocalTime,SeqNo";
const VENDOR = "20230711/600519.SH/逐笔委托.csv";

const file = (header: string, ...lines: string[]) => `${[header, ...lines].join("\n")}\n`;

/** Returns an order of 600519.SH in the plain layout. */
const plain = (time: string, number: number, said: { symbol?: string; volume?: number } = {}) =>
  `${said.symbol ?? "600519.SH"},20230711,${time},0,${number},A,B,17.45,${said.volume ?? 100}`;

/** Returns an order of 000001.SZ in the DataYes layout. */
const datayes = (sequence: number, said: { time?: string; price?: string; channel?: number } = {}) =>
  `${said.channel ?? 2011},${sequence},011,000001,102 ,${said.price ?? "12.34"},100,49,${said.time ?? "09:30:00.010"},50,09:30:00.1,${sequence}`;

const numbersOf = async (pack: string) =>
  (await rowsOf(pack)).map(({ exchange_order_id }) => exchange_order_id);

const body = [plain("093000010", 1), plain("093000020", 2), plain("093000030", 3)];

/** `row-accounting.proof.test.ts` delivers random securities twice, in both layouts, in folders and in archives. */
describe("a security delivered twice", () => {
  it.each([
    [
      "whose rows are numbered, in two archives",
      {
        "a.zip": zipOf([{ name: "mdl_6_33_0.csv", content: file(DATAYES, datayes(1)) }]),
        "a (1).zip": zipOf([{ name: "mdl_6_33_0.csv", content: file(DATAYES, datayes(1), datayes(2)) }]),
      },
      /000001\.SZ is delivered twice: .*a \(1\)\.zip.* and .*a\.zip/,
    ],
    [
      "in two files of its own folder",
      {
        [VENDOR]: vendorFile(vendorLine()),
        "20230711/600519.SH/逐笔委托 (1).csv": vendorFile(vendorLine(), vendorLine()),
      },
      /600519\.SH is delivered twice: .*逐笔委托 \(1\)\.csv and .*逐笔委托\.csv/,
    ],
    [
      "in its own folder and in a file of many securities",
      { "again.csv": file(HEADER, ...body), [VENDOR]: vendorFile(vendorLine()) },
      /600519\.SH is delivered twice: .*again\.csv \(plain\) and .*逐笔委托\.csv \(vendor\)/,
    ],
    [
      "in two layouts, even if their rows follow each other in time",
      {
        "mdl_6_33_0.csv": file(DATAYES, datayes(1)),
        "orders.csv": file(HEADER, plain("100000000", 2, { symbol: "000001.SZ" })),
      },
      /000001\.SZ is delivered twice: .*mdl_6_33_0\.csv \(.*\) and .*orders\.csv \(plain\)/,
    ],
  ])("%s is refused with the names of both", async (_, files, message) => {
    await expect(built(delivery(files))).rejects.toThrow(message);
  });

  it("is read if the files follow each other in time, like morning and afternoon", async () => {
    const { report, pack } = await built(
      delivery({
        "b.csv": file(HEADER, ...body),
        "a.csv": file(HEADER, plain("093000030", 4), plain("130000000", 5)),
      }),
    );
    expect(await numbersOf(pack)).toEqual([1, 2, 4, 3, 5]);
    expect(countsOf(report)).toEqual({ several_files: 1 });
    expect(report.result).toBe("whole");
  });
});

describe("rows that a file contains more than once", () => {
  it.each([
    ["a whole file that is repeated", [...body, ...body]],
    ["a beginning that is repeated", [...body, ...body.slice(0, 2)]],
    ["a body that occurs three times", [...body, ...body, ...body]],
    ["a repeated body within one millisecond", [1, 2, 1, 2].map((number) => plain("093000010", number))],
  ])("are read once: %s", async (_, lines) => {
    for (const chunkBytes of [undefined, 60]) {
      const { report, pack } = await built(
        delivery({ "orders.csv": file(HEADER, ...lines) }),
        chunkBytes === undefined ? {} : { chunkBytes },
      );
      const numbers = await numbersOf(pack);
      const distinct = new Set(lines).size;
      expect(numbers).toEqual([...new Set(numbers)]);
      expect(numbers).toHaveLength(distinct);
      expect(countsOf(report).repeated_row).toBe(lines.length - distinct);
      expect(report.origin?.rows).toEqual({
        read: lines.length,
        quarantined: 0,
        leftOut: { repeated_row: lines.length - distinct },
      });
      expect(report.rows).toBe(distinct);
    }
  });

  it("are kept and counted if only single rows repeat and no column contains row numbers", async () => {
    const lines = [plain("093000010", 1), plain("093000010", 1), plain("093000020", 2)];
    const { report, pack } = await built(delivery({ "orders.csv": file(HEADER, ...lines) }));
    expect(await numbersOf(pack)).toEqual([1, 1, 2]);
    expect(countsOf(report)).toEqual({ identical_row: 1 });
    const many = Array.from({ length: 40 }, (_, number) =>
      plain("093000010", number % 20 === 0 ? 7 : number),
    );
    const burst = await built(delivery({ "orders.csv": file(HEADER, ...many) }));
    expect(countsOf(burst.report)).toEqual({ identical_row: 2 });
    expect(burst.report.rows).toBe(40);
  });

  it("are read once if they have the same channel and sequence number, and are kept if their channels differ", async () => {
    const lines = [datayes(1), datayes(2), datayes(2), datayes(2, { channel: 2012 }), datayes(3)];
    const { report, pack } = await built(delivery({ "mdl_6_33_0.csv": file(DATAYES, ...lines) }));
    expect(await numbersOf(pack)).toEqual([1, 2, 2, 3]);
    expect(countsOf(report)).toEqual({ repeated_row: 1 });
    expect(report).toMatchObject({ result: "whole", rows: 4 });
  });
});

describe("rows with equal sequence numbers but different content", () => {
  it("are quarantined, except the first", async () => {
    const lines = [datayes(1), datayes(1, { price: "12.35" }), datayes(1, { time: "09:31:00.000" })];
    const folder = delivery({ "mdl_6_33_0.csv": file(DATAYES, ...lines) });
    const { report, pack } = await built(folder, { maxBroken: 2 });
    expect(await numbersOf(pack)).toEqual([1]);
    expect(report).toMatchObject({ result: "degraded", broken: { rows: 2 } });
    expect(report.broken.first?.reason).toBe(
      "000001.SZ: has the same sequence number as another row, but different content",
    );
    expect(report.origin?.rows).toEqual({ read: 3, quarantined: 2, leftOut: {} });
  });
});
