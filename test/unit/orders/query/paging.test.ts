import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { DatedCursor } from "../../../../src/orders/query/cursor.ts";
import {
  type HistoryQuery,
  parseHistoryQuery as parseHistoryQueryResult,
} from "../../../../src/orders/query/history-query.ts";
import { continuePaging as continuePagingResult } from "../../../../src/orders/query/paging.ts";
import { baring } from "../../../support/result.ts";

const parseHistoryQuery = baring(parseHistoryQueryResult);
const continuePaging = baring(continuePagingResult);

function query(params: Record<string, unknown>): HistoryQuery {
  const parsed = parseHistoryQuery({ params }, { unknownParameters: "refuse" }, "orders");
  if ("reason" in parsed) throw new Error(`refused: ${parsed.reason}`);
  return parsed;
}

const CURSOR: DatedCursor = {
  dataset: "orders",
  tradedate: "20240102" as BeijingDate,
  symbol: "600519",
  market: "SH",
  start: 93_000_000,
  end: 100_000_000,
  revision: 3,
  packMark: "00f1e2d3c4b5",
  position: { time: 94_500_000, skip: 2 },
};
const WINDOW = { start_time: "09:30", end_time: "10:00" };

describe("continuePaging (contract 5.3)", () => {
  it("treats 00:00 as an omitted start", () => {
    const whole = { ...CURSOR, start: 0, end: 240_000_000 };
    expect(continuePaging(query({ symbol: "600519", start_time: "00:00" }), whole, "orders")).toMatchObject({
      revision: 3,
    });
  });

  it("reports a cursor of another interface before any other difference", () => {
    const other = { reason: "cursor_mismatch", parameter: "apiname" };
    const same = query({ symbol: "600519", ...WINDOW });
    expect(continuePaging(same, CURSOR, "trades")).toEqual(other);
    expect(continuePaging(query({ symbol: "300750" }), { ...CURSOR, dataset: "trades" }, "orders")).toEqual(
      other,
    );
    expect(continuePaging(same, { ...CURSOR, dataset: "trades" }, "trades")).toMatchObject({ revision: 3 });
    expect(continuePaging(same, { tradedate: null, position: CURSOR.position }, "trades")).toEqual(other);
  });
});

describe("continuePaging with an undated cursor (contract 5.5)", () => {
  const undated = { tradedate: null, position: { time: 94_500_000, skip: 2 } };

  it.each([
    ["start_time", { start_time: "094500001" }],
    ["end_time", { end_time: "09:45" }],
  ])("refuses a position outside the window and names %s", (parameter, window) => {
    const outside = query({ symbol: "600519", tradedate: "20240102", ...window });
    expect(continuePaging(outside, undated, "orders")).toEqual({ reason: "cursor_mismatch", parameter });
  });
});
