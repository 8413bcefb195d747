import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { CodeColumn } from "../../../../src/datasets/dataset.ts";
import { DATASET_NAMES, type DatasetName } from "../../../../src/datasets/registry.ts";
import { sampleDatasets } from "../../../../src/pack-builder/sample/day.ts";
import { vendorFile } from "../../../../src/pack-builder/sample/vendor-csv.ts";
import { HEADERS } from "../../../support/random-deliveries.ts";

const TRADEDATE = "20261127" as BeijingDate;

const levels = (key: (level: number) => string) => Array.from({ length: 10 }, (_, at) => key(at + 1));
/**
 * The columns in the order of the vendor's cells after the time; `null` stands for a cell without a column.
 */
const KEYS: Record<DatasetName, (string | null)[]> = {
  orders: ["orderId", "exchangeOrderId", "orderType", "orderCode", "priceE4", "volume"],
  trades: ["tradeId", "tradeCode", "orderKind", "bsFlag", "priceE4", "volume", "sellOrderId", "buyOrderId"],
  quotes: [
    ...["closeE4", null, null, "numTrades", "iopvE4", null, null, "volume", "amount"],
    ...["highE4", "lowE4", "openE4", "preCloseE4"],
    ...levels((level) => `ask${level}E4`),
    ...levels((level) => `askVolume${level}`),
    ...levels((level) => `bid${level}E4`),
    ...levels((level) => `bidVolume${level}`),
    ...["avgAskPriceE4", "avgBidPriceE4", "totalAskVolume", "totalBidVolume"],
    ...[null, null, null, null, null],
  ],
};

describe.each(DATASET_NAMES)("the vendor's file of %s for a sample security", (dataset) => {
  const sections = [...sampleDatasets({ tradedate: TRADEDATE, rows: 3_000 })];
  const sectionOf = (symbol: string) => {
    const section = sections.find((entry) => entry.symbol === symbol);
    if (section === undefined) throw new Error(`the sample has no ${symbol}`);
    return section;
  };
  const fileOf = (symbol: string): string => {
    const section = sectionOf(symbol);
    return new TextDecoder("gbk").decode(vendorFile(section, TRADEDATE, section[dataset], dataset));
  };

  it("begins with the vendor's header in GBK and ends every line with a comma and CRLF", () => {
    const lines = fileOf("600519").split("\r\n");
    expect(lines[0]).toBe(HEADERS[dataset].vendor);
    expect(lines.at(-1)).toBe("");
    const cells = HEADERS[dataset].vendor.split(",").length;
    expect(lines.slice(0, -1).every((line) => line.endsWith(",") && line.split(",").length === cells)).toBe(
      true,
    );
  });

  it.each(["600519", "300750"])("has a line with every cell for each generated row of %s", (symbol) => {
    const { market, [dataset]: columns } = sectionOf(symbol);
    const byKey = columns as unknown as Record<string, Float64Array | CodeColumn>;
    const cellOf = (key: string, row: number) => {
      const column = byKey[key];
      return column instanceof Float64Array ? column[row] : column?.values[column.index[row] ?? 0];
    };
    const lines = fileOf(symbol).split("\r\n").slice(1, -1);
    expect(lines).toHaveLength(columns.rows);
    expect(columns.rows).toBeGreaterThan(0);
    lines.forEach((line, row) => {
      const written = line.split(",");
      const cells = KEYS[dataset].map((key, at) => (key === null ? written[at + 4] : cellOf(key, row)));
      expect(line).toBe([`${symbol}.${market}`, symbol, TRADEDATE, columns.time[row], ...cells, ""].join());
    });
  });

  it("has no rows for the halted security, except three in the file of quotes", () => {
    expect(fileOf("603000").split("\r\n")).toHaveLength(dataset === "quotes" ? 5 : 2);
  });
});

it("The interval values of a snapshot are the growth of its totals since the previous snapshot", () => {
  const sections = [...sampleDatasets({ tradedate: TRADEDATE, rows: 3_000 })];
  const security = sections.find(({ symbol }) => symbol === "510300");
  if (security === undefined) throw new Error("the sample has no 510300");
  const { quotes } = security;
  const file = vendorFile(security, TRADEDATE, quotes, "quotes").toString("latin1");
  const cells = file
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(",").map(Number));
  const [volumes, amounts] = [5, 6].map((at) => cells.map((row) => row[at] ?? 0));
  let [volume, amount] = [0, 0];
  for (const [row, each] of (volumes ?? []).entries()) {
    volume += each;
    amount = Math.round((amount + (amounts?.[row] ?? 0)) * 1000) / 1000;
    expect([volume, amount]).toEqual([quotes.volume[row], quotes.amount[row]]);
  }
});
