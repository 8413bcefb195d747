import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import { sampleDatasets } from "../../../src/pack-builder/sample/day.ts";
import { writeVendorFile } from "../../../src/pack-builder/sample/vendor-csv.ts";
import {
  built,
  countsOf,
  DAY,
  delivery,
  entriesOf,
  rowsOf,
  VENDOR_HEADER,
  VENDOR_HEADER_GBK,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";

const PATH = "20230711/600519.SH/逐笔委托.csv";

/**
 * Builds a delivery of `file` and another security's file. Returns the rows of 600519.SH and the number of defects by
 * kind. The number of `blank_code` defects is returned separately.
 */
async function of(file: string | Uint8Array, path = PATH) {
  const { report, pack } = await built(delivery({ [path]: file, "20230711/000001.SZ/逐笔委托.csv": OTHER }));
  const rows = (await rowsOf(pack)).filter(({ symbol }) => symbol === "600519");
  const { blank_code, ...counts } = countsOf(report);
  return { rows, counts, report, blankCodes: blank_code };
}

/** The file of another security. With it, a day is not empty even without orders of 600519.SH. */
const OTHER = vendorFile(
  vendorLine({ code: "000001.SZ", exchangeCode: "000001", type: "0", time: "103000000" }),
);

describe("a cell of the vendor's file", () => {
  it.each([
    ["93000010", "093000010", { time_zero_lost: 1 }],
    ["093000010", "093000010", {}],
    ["143000010", "143000010", {}],
    ["143000", "143000000", { time_without_milliseconds: 1 }],
    ["093000", "093000000", { time_without_milliseconds: 1 }],
    ["93000", "093000000", { time_without_milliseconds: 1 }],
    [" 93000010\t", "093000010", { time_zero_lost: 1, padded_cell: 1 }],
  ])("with the time %j is read as %s, and defects are counted", async (time, expected, counted) => {
    const { rows, counts } = await of(vendorFile(vendorLine({ time })));
    expect(rows.map((row) => row.time)).toEqual([expected]);
    expect(counts).toEqual(counted);
  });

  it.each([
    ["18446744073709551615", 0, { sentinel: 1 }],
    ["1.84467e+019", 0, { sentinel: 1 }],
    ["1.2018e+006", 1_201_800, { exponent: 1 }],
    ["", 0, { empty_cell: 1 }],
    ["  ", 0, { empty_cell: 1, padded_cell: 1 }],
    ["\0\0", 0, { empty_cell: 1, nul_cell: 1 }],
    ["77\0", 77, { nul_cell: 1 }],
    ["2147483648", 2_147_483_648, { over_int32: 1 }],
    ["9007199254740991", 9_007_199_254_740_991, { over_int32: 1 }],
    ['"123"', 123, { quoted_cell: 1 }],
    ["100.0", 100, {}],
  ])(
    "that holds %j as an id or volume is read as %d, and defects are counted",
    async (text, expected, counted) => {
      const time = "103000000";
      for (const [cell, field] of [
        ["orderId", "order_id"],
        ["exchangeOrderId", "exchange_order_id"],
        ["volume", "volume"],
      ] as const) {
        const { rows, counts } = await of(vendorFile(vendorLine({ time, [cell]: text })));
        expect(rows.map((row) => row[field])).toEqual([expected]);
        expect(counts).toEqual(counted);
      }
    },
  );

  it.each([
    ["1.2018e+006", 120.18, { exponent: 1 }],
    ["", 0, { empty_cell: 1 }],
    ["17450000", 1745, {}],
    ["99999999999", 9_999_999.9999, { over_int32: 1 }],
  ])(
    "with the price %j in 1/10,000 yuan is read as %d yuan, and defects are counted",
    async (price, expected, counted) => {
      const { rows, counts } = await of(vendorFile(vendorLine({ time: "103000000", price })));
      expect(rows.map((row) => row.price)).toEqual([expected]);
      expect(counts).toEqual(counted);
    },
  );

  it("with a blank or unknown letter is stored as delivered, without padding, and counted", async () => {
    const lines = [
      ["S", "OCALL"],
      ["", "C"],
      ["I", "J"],
      ["O", " "],
      ["\0", "B"],
      [" D ", "S"],
    ].map(([type = "", side = ""]) => vendorLine({ time: "103000000", type, side }));
    const { rows, counts, blankCodes } = await of(vendorFile(...lines));
    expect(rows.map(({ order_type, order_code }) => [order_type, order_code])).toEqual([
      ["S", "OCALL"],
      ["", "C"],
      ["I", "J"],
      ["O", ""],
      ["", "B"],
      ["D", "S"],
    ]);
    expect(counts).toEqual({
      blank_type: 2,
      unknown_letter: 2,
      unknown_code: 2,
      padded_cell: 2,
      nul_cell: 1,
    });
    expect(blankCodes).toBe(1);
  });
});

describe("the vendor's file", () => {
  it("is read in GBK and in UTF-8, and only a byte order mark counts as a defect", async () => {
    const line = `\r\n${vendorLine({ time: "103000000" })}\r\n`;
    const gbk = Buffer.concat([VENDOR_HEADER_GBK, Buffer.from(line)]);
    expect((await of(gbk)).counts).toEqual({});
    expect((await of(VENDOR_HEADER + line)).counts).toEqual({});
    const marked = await of(`\uFEFF${VENDOR_HEADER}${line}`);
    expect(marked.counts).toEqual({ utf8_bom: 1 });
    expect(marked.rows).toHaveLength(1);
  });

  it("may lack trailing commas or the last line end, and may have LF line ends or blank lines", async () => {
    const line = vendorLine({ time: "103000000" });
    const bare = line.slice(0, -1);
    const other = vendorLine({ time: "103000000", exchangeOrderId: "89" }).slice(0, -1);
    expect((await of(`${VENDOR_HEADER.slice(0, -1)}\r\n${bare}\r\n${other}\r\n`)).counts).toEqual({
      no_trailing_comma: 2,
    });
    expect((await of(`${VENDOR_HEADER}\n${line}\n`)).counts).toEqual({ lf_line_ends: 1 });
    const tail = await of(`${VENDOR_HEADER}\r\n${line}\r\n\r\n  \r\n,,,,,,,,,,\r\n`);
    expect(tail.counts).toEqual({ blank_line: 3 });
    expect(tail.rows).toHaveLength(1);
    expect((await of(`${VENDOR_HEADER}\r\n${line}`)).rows).toHaveLength(1);
  });

  it.each([
    ["no bytes", "", { empty_file: 1 }],
    ["only the header", `${VENDOR_HEADER}\r\n`, { header_only: 1 }],
    ["only the header, without its line end", VENDOR_HEADER, { header_only: 1 }],
    ["only the header and blank lines", `${VENDOR_HEADER}\r\n\r\n`, { header_only: 1, blank_line: 1 }],
  ])("that contains %s gives its security an index row but no section", async (_, file, counted) => {
    const folder = delivery({ [PATH]: file, "20230711/000001.SZ/逐笔委托.csv": OTHER });
    const { report, pack } = await built(folder);
    expect(countsOf(report)).toEqual(counted);
    expect(report).toMatchObject({ securities: 2, securitiesWithoutOrders: 1, rows: 1, result: "whole" });
    const entry = (await entriesOf(pack)).find(({ symbol }) => symbol === "600519");
    expect(entry).toMatchObject({ market: "SH", rows: 0, length: 0, blocks: [] });
  });

  it.each(DATASET_NAMES)(
    "of %s is quarantined if its folder has a Shanghai fund's code with .SZ",
    async (dataset) => {
      const day = [...sampleDatasets({ tradedate: DAY, rows: 300 })].find(
        ({ symbol }) => symbol === "600519",
      );
      if (day === undefined) throw new Error("the sample has no 600519");
      const fund = { symbol: "510050", market: "SZ" as const };
      const folder = delivery({});
      writeVendorFile(folder, day, DAY, day[dataset], dataset);
      writeVendorFile(folder, fund, DAY, day[dataset], dataset);
      const { report, pack } = await built(folder, { dataset, maxBroken: 1 });
      expect(report).toMatchObject({
        result: "degraded",
        broken: {
          ...{ rows: 0, files: 1 },
          first: { reason: "is in a folder that gives a Shanghai fund's code the suffix of Shenzhen" },
        },
      });
      expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["600519"]);
    },
  );

  it("may have codes that lost their leading zeros, which are restored and counted", async () => {
    const lines = [
      vendorLine({ code: "000001.SZ", exchangeCode: "1", time: "103000000", type: "0" }),
      vendorLine({ code: "1.SZ", exchangeCode: "000001", time: "103000000", type: "0" }),
    ];
    const { report, pack } = await built(
      delivery({ "20230711/000001.SZ/逐笔委托.csv": vendorFile(...lines) }),
    );
    expect((await rowsOf(pack)).map(({ symbol }) => symbol)).toEqual(["000001", "000001"]);
    expect(countsOf(report)).toEqual({ code_without_zeros: 2, identical_row: 1 });
  });

  it("may be unsorted; its rows are then sorted by time and keep their order within a millisecond", async () => {
    const times = ["103000010", "103000000", "103000010", "103000000"];
    const lines = times.map((time, i) => vendorLine({ time, exchangeOrderId: String(9 - i) }));
    const { rows, counts } = await of(vendorFile(...lines));
    expect(rows.map(({ time, exchange_order_id }) => [time, exchange_order_id])).toEqual([
      ["103000000", 8],
      ["103000000", 6],
      ["103000010", 9],
      ["103000010", 7],
    ]);
    expect(counts).toEqual({ unsorted: 2 });
  });
});

describe("a kind of defect", () => {
  it("is reported once, with the position of its first occurrence", async () => {
    const lines = ["103000000", "103000000", "93000", "93000"].map((time) => vendorLine({ time }));
    const { report } = await of(vendorFile(...lines));
    const first = report.defects.find(({ kind }) => kind === "time_without_milliseconds")?.first;
    expect(first?.file).toMatch(/20230711\/600519\.SH\/逐笔委托\.csv$/);
    expect(first?.line).toBe(4);
  });
});

describe("a broken line", () => {
  it.each([
    [{ exchangeOrderId: "9007199254740992" }, "has a 交易所委托号 that is beyond 2^53"],
    [{ orderId: "99999999999999999999999" }, "has a 委托编号 that is beyond 2^53"],
    [{ volume: "-100" }, "has a 委托数量 that is negative"],
    [{ volume: "1.5" }, "has a 委托数量 that has a fraction"],
    [{ volume: "ten" }, "has a 委托数量 that is not a number"],
    [{ price: "18446744073709551615" }, "has a 委托价格 that is beyond 2^53"],
    [{ date: "20230710" }, "belongs to another day"],
    [{ code: "600520.SH", exchangeCode: "600520" }, "names a different security from its folder"],
    [{ exchangeCode: "600520" }, "has a 交易所代码 that is not its security's"],
    [{ code: "茅台" }, "names no security of a known exchange"],
    [{ time: "9300001" }, "has no time of day"],
    [{ time: "250000000" }, "has no time of day"],
    [{ time: "" }, "has no time of day"],
    [{ volume: "100,7" }, "has 12 cells instead of 10"],
    [{ volume: "100,x" }, "has 12 cells instead of 10"],
  ])("is quarantined with file, line and reason: %j", async (said, reason) => {
    const good = vendorLine();
    const folder = delivery({ [PATH]: vendorFile(good, vendorLine(said), good) });
    const { report, pack, quarantine } = await built(folder, { maxBroken: 1 });
    expect(report).toMatchObject({ result: "degraded", rows: 2, broken: { rows: 1, allowed: 1 } });
    expect(report.broken.first?.reason).toContain(reason);
    expect(report.broken.first).toMatchObject({ line: 3, file: expect.stringContaining("600519.SH") });
    expect(await rowsOf(pack)).toHaveLength(2);
    const [head, ...kept] = readFileSync(quarantine, "utf8").trimEnd().split("\n");
    expect(head).toBe("file,line,reason,text");
    expect(kept).toHaveLength(1);
    expect(kept[0]).toContain('逐笔委托.csv",3,"');
    expect(kept[0]).toContain(reason.replaceAll('"', '""'));
  });

  it("can also be a line that lacks cells, or that is cut off at the end of the file", async () => {
    const good = vendorLine({ time: "103000000" });
    const short = await built(delivery({ [PATH]: vendorFile(good, "600519.SH,600519,20230711") }), {
      maxBroken: 1,
    });
    expect(short.report.broken.first?.reason).toBe("has 3 cells instead of 10");
    const cut = await built(delivery({ [PATH]: `${vendorFile(good)}${good.slice(0, -2)}` }), {
      maxBroken: 1,
    });
    expect(cut.report.broken.first?.reason).toContain("is truncated");
    expect(cut.report.rows).toBe(1);
  });

  it("beyond the allowed number makes the build fail without a pack", async () => {
    const folder = delivery({
      [PATH]: vendorFile(vendorLine(), vendorLine({ volume: "x" }), vendorLine({ volume: "y" })),
    });
    const { report, pack, quarantine } = await built(folder, { maxBroken: 1 });
    expect(report).toMatchObject({ result: "failed", pack: null, broken: { rows: 2, allowed: 1 } });
    expect(() => readFileSync(pack)).toThrow("ENOENT");
    expect(readFileSync(quarantine, "utf8").split("\n")).toHaveLength(4);
  });
});
