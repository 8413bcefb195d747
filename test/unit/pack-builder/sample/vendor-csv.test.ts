import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { sampleSections } from "../../../../src/pack-builder/sample/day.ts";
import { vendorFile } from "../../../../src/pack-builder/sample/vendor-csv.ts";

const TRADEDATE = "20261127" as BeijingDate;

describe("a sample security in the vendor layout", () => {
  const sections = [...sampleSections({ tradedate: TRADEDATE, rows: 3_000 })];
  const fileOf = (symbol: string): string => {
    const section = sections.find((entry) => entry.symbol === symbol);
    if (section === undefined) throw new Error(`the sample has no ${symbol}`);
    return new TextDecoder("gbk").decode(vendorFile(section, TRADEDATE, section.columns));
  };

  it("begins with the vendor's header in GBK and ends every line with a comma and CRLF", () => {
    const lines = fileOf("600519").split("\r\n");
    expect(lines[0]).toBe(
      "万得代码,交易所代码,自然日,时间,委托编号,交易所委托号,委托类型,委托代码,委托价格,委托数量,",
    );
    expect(lines.at(-1)).toBe("");
    expect(lines.slice(0, -1).every((line) => line.endsWith(",") && line.split(",").length === 11)).toBe(
      true,
    );
  });

  it.each(["600519", "300750"])("%s: every cell reads back as the row that went in", (symbol) => {
    const section = sections.find((entry) => entry.symbol === symbol);
    const lines = fileOf(symbol).split("\r\n").slice(1, -1);
    expect(lines).toHaveLength(section?.columns.rows ?? -1);
    lines.forEach((line, row) => {
      const columns = section?.columns;
      if (columns === undefined) return;
      expect(line).toBe(
        [
          `${symbol}.${section?.market}`,
          symbol,
          TRADEDATE,
          columns.time[row],
          columns.orderId[row],
          columns.exchangeOrderId[row],
          columns.orderType.values[columns.orderType.index[row] ?? 0],
          columns.orderCode.values[columns.orderCode.index[row] ?? 0],
          columns.priceE4[row],
          columns.volume[row],
          "",
        ].join(","),
      );
    });
  });

  it("is a header alone for the halted security", () => {
    expect(fileOf("603000").split("\r\n")).toHaveLength(2);
  });
});
