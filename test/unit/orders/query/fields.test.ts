import { describe, expect, it } from "vitest";
import type { DatasetName } from "../../../../src/datasets/registry.ts";
import { areAllColumns, parseFields as parseFieldsResult } from "../../../../src/orders/query/fields.ts";
import { baring } from "../../../support/result.ts";

const parseFields = baring(parseFieldsResult);

/** The standard fields of contract 4.1, in order. */
const STANDARD =
  "symbol tradedate time order_id exchange_order_id order_type order_code price volume amount".split(" ");

/** The standard fields of contract 4.6, in order: ten fields, then four fields for each of the ten levels. */
const STANDARD_OF_QUOTES = [
  ..."symbol tradedate time open high low close pre_close volume amount".split(" "),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((n) => [`bid${n}`, `bid_vol${n}`, `ask${n}`, `ask_vol${n}`]),
];
const ON_REQUEST_OF_QUOTES = "num_trades total_bid_vol total_ask_vol avg_bid_price avg_ask_price iopv".split(
  " ",
);

function namesOf(fields: unknown, dataset: DatasetName = "orders"): string[] {
  const columns = parseFields(fields, dataset);
  if ("reason" in columns) throw new Error(`refused: ${columns.reason}`);
  return columns.map(({ name }) => name);
}

describe("parseFields (contract 3.10)", () => {
  it("returns the fifty standard fields of quotes, and the on-request fields only when they are named", () => {
    expect(namesOf(undefined, "quotes")).toEqual(STANDARD_OF_QUOTES);
    expect(STANDARD_OF_QUOTES).toHaveLength(50);
    const all = [...STANDARD_OF_QUOTES, ...ON_REQUEST_OF_QUOTES, "total_volume", "total_amount"];
    expect(namesOf(all.toReversed().join(","), "quotes")).toEqual(all.toReversed());
    expect(parseFields("total_volume,total_amount", "quotes")).toEqual([
      { field: "volume", name: "total_volume" },
      { field: "amount", name: "total_amount" },
    ]);
    expect(parseFields("bid11", "quotes")).toMatchObject({ reason: "field_unknown", field: "bid11" });
  });

  it.each([
    ["Price", "price"],
    ["volum", "volume"],
    ["orderno", "order_no"],
    ["trade_date", "tradedate"],
  ])("refuses the unknown name %s and suggests %s", (field, nearest) => {
    expect(parseFields(`time,${field}`, "orders")).toEqual({
      reason: "field_unknown",
      dataset: "orders",
      field,
      nearest,
    });
  });

  it("selects the whole standard row only if no fields are named or all standard fields are named in order", () => {
    const standard = (fields: unknown) => {
      const columns = parseFields(fields, "orders");
      return !("reason" in columns) && areAllColumns(columns, "orders");
    };
    expect(standard(null)).toBe(true);
    expect(standard(STANDARD.join(","))).toBe(true);
    expect(standard([...STANDARD].reverse())).toBe(false);
    expect(standard(STANDARD.slice(1))).toBe(false);
    expect(standard(STANDARD.join(",").replace("order_code", "side"))).toBe(false);
  });
});

describe("parseFields of trades (contract 4.5)", () => {
  const standard =
    "symbol tradedate time trade_id price volume amount bs_flag trade_code buy_order_id sell_order_id";

  it("selects every column of the pack only when order_kind is named", () => {
    const isCopy = (fields: unknown) => {
      const columns = parseFields(fields, "trades");
      return !("reason" in columns) && areAllColumns(columns, "trades");
    };
    expect(isCopy(null)).toBe(false);
    expect(isCopy(`${standard.replaceAll(" ", ",")},order_kind`)).toBe(true);
  });
});
