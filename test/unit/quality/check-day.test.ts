import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Market } from "../../../src/orders/record.ts";
import { checkCoverage, checkOtherDays, sizesOf } from "../../../src/quality/check-day.ts";
import {
  type OtherDay,
  parseOtherDay,
  parseSheet,
  qualitySheet,
  type SecurityReport,
  type Verdict,
} from "../../../src/quality/sheet.ts";
import { checked } from "./checked.ts";

const DAY = "20230711" as BeijingDate;

/** Returns reports on `count` shares of an exchange. `rows` is the number of rows that each share has by dataset. */
function shares(market: Market, count: number, rows: Partial<SecurityReport["rows"]>): SecurityReport[] {
  const verdicts = checked({ security: { symbol: "600519", market } });
  return Array.from({ length: count }, (_, number) => ({
    symbol: `${market === "SH" ? "60" : "00"}${String(number).padStart(4, "0")}`,
    market,
    rows: { orders: null, trades: null, quotes: null, ...rows },
    contents: {},
    ...verdicts,
  }));
}

const FULL = { orders: 1_000, trades: 500 };
const both = (count: number) => [...shares("SH", count, FULL), ...shares("SZ", count, FULL)];

/** Returns `passed`, the reason why the check is not provable, or the kind, subject and count of each fault. */
function short(verdict: Verdict): string | (string | undefined)[] {
  if (verdict.verdict === "passed") return "passed";
  if (verdict.verdict === "not_provable") return verdict.reason;
  return verdict.faults.map(({ kind, subject, count }) => `${kind} ${subject} ${count}`);
}

describe("the coverage check of a day", () => {
  it("passes with orders and trades of both exchanges", () => {
    expect(checkCoverage(DAY, both(100))).toEqual({ verdict: "passed" });
  });

  it("fails when one dataset lacks an exchange", () => {
    const withoutTrades = [...shares("SH", 5, FULL), ...shares("SZ", 5, { orders: 1_000, trades: 0 })];
    expect(short(checkCoverage(DAY, withoutTrades))).toEqual(["exchange_missing SZ trades 1"]);
    const withoutOrders = [...shares("SZ", 5, FULL), ...shares("SH", 5, { orders: 0, trades: 500 })];
    expect(short(checkCoverage(DAY, withoutOrders))).toEqual(["exchange_missing SH orders 1"]);
    // Sources contain Shanghai's orders only since 2021-06-07.
    expect(short(checkCoverage("20210604" as BeijingDate, withoutOrders))).toBe("passed");
  });

  it("fails when one dataset lacks more than 5 % of the active shares", () => {
    const lost = (count: number) => [
      ...both(100 - count),
      ...shares("SH", count, { orders: 1_000, trades: 0 }),
    ];
    expect(short(checkCoverage(DAY, lost(5)))).toBe("passed");
    expect(short(checkCoverage(DAY, lost(6)))).toEqual(["securities_missing SH trades 6"]);
    const quiet = [...both(10), ...shares("SH", 10, { orders: 99, trades: 0 })];
    expect(short(checkCoverage(DAY, quiet))).toBe("passed");
  });

  it("is not provable with one dataset alone", () => {
    expect(short(checkCoverage(DAY, shares("SH", 3, { orders: 10, trades: null })))).toBe("no_trades");
    expect(short(checkCoverage(DAY, shares("SH", 3, { orders: null, trades: 10 })))).toBe("no_orders");
  });
});

describe("the coverage check of a day with quotes", () => {
  const rows = (trades: number, quotes: number) => ({ orders: 1_000, trades, quotes });
  const verdict = (...securities: SecurityReport[][]) => short(checkCoverage(DAY, securities.flat()));

  it("finds an exchange that the trades or the quotes lack", () => {
    const whole = shares("SH", 10, rows(500, 5_000));
    expect(verdict(whole, shares("SZ", 10, rows(500, 5_000)))).toBe("passed");
    expect(verdict(whole, shares("SZ", 10, rows(500, 0)))).toEqual(["exchange_missing SZ quotes 1"]);
    expect(verdict(whole, shares("SZ", 10, { orders: 0, trades: 0, quotes: 5_000 }))).toEqual([
      "exchange_missing SZ trades 1",
    ]);
    // Halted shares have few snapshots, and indices are not shares, so neither counts.
    expect(verdict(whole, shares("SZ", 10, { orders: 0, trades: 0, quotes: 999 }))).toBe("passed");
  });

  it("fails when more than 5 % of the traded shares lack quotes, or more than 5 % of the quoted shares lack trades", () => {
    const whole = shares("SH", 94, rows(500, 5_000));
    expect(verdict(whole, shares("SH", 6, rows(500, 0)))).toEqual(["securities_missing SH quotes 6"]);
    expect(verdict(whole, shares("SH", 6, { orders: 0, trades: 0, quotes: 5_000 }))).toEqual([
      "securities_missing SH trades 6",
    ]);
    expect(verdict(whole, shares("SH", 4, rows(500, 0)))).toBe("passed");
  });
});

describe("the sheet of another day", () => {
  const sheet = qualitySheet({
    tradedate: DAY,
    builderVersion: "1",
    packs: { orders: "a", trades: "b", quotes: null },
    securities: both(2).map((each) => ({ ...each, contents: { orders: 5 } })),
    others: [],
  });

  it("is read in any version and with any checks and datasets", () => {
    const other = parseOtherDay(JSON.stringify(sheet));
    expect(other?.sizes).toEqual(sizesOf(both(2)));
    expect(other?.contents.get("600001.SH")).toEqual({ orders: 5 });
    const earlier = {
      ...sheet,
      format: 1,
      later: true,
      summary: {},
      sizes: { SH: { orders: { securities: 1, rows: 2 } }, SZ: {} },
      securities: sheet.securities.map(({ checks: _, rows: __, ...each }) => each),
    };
    expect(parseOtherDay(JSON.stringify(earlier))?.sizes.SH).toEqual({ orders: { securities: 1, rows: 2 } });
  });

  it("is read completely from the previous format, in which `other_days` was named `last_days`", () => {
    const { other_days: last_days, ...rest } = sheet.day;
    const former = { ...sheet, format: 2, day: { ...rest, last_days } };
    expect(parseSheet(JSON.stringify(former))).toEqual(parseSheet(JSON.stringify(sheet)));
    expect(parseSheet(JSON.stringify(sheet))).toMatchObject({ tradedate: DAY, day: sheet.day });
    expect(parseSheet(JSON.stringify({ ...former, format: 1 }))).toHaveProperty("problem");
  });

  it("is ignored if it is invalid", () => {
    for (const text of ["", "{", "[]", JSON.stringify({ ...sheet, tradedate: "20230231" })]) {
      expect(parseOtherDay(text)).toBeNull();
    }
  });
});

describe("the comparison of a day with other days", () => {
  const others = ["20230706", "20230707", "20230710"].map(
    (tradedate): OtherDay => ({
      tradedate: tradedate as BeijingDate,
      sizes: sizesOf(both(100)),
      contents: new Map(),
    }),
  );
  const verdict = (securities: SecurityReport[]) => short(checkOtherDays(sizesOf(securities), others));

  it("passes if the day has as many securities as the other days, even with only 40 % of their rows", () => {
    expect(verdict(both(100))).toBe("passed");
    const thin = { orders: 400, trades: 200 };
    expect(verdict([...shares("SH", 100, thin), ...shares("SZ", 100, thin)])).toBe("passed");
  });

  it("fails when an exchange is missing, or when there are too few rows or securities", () => {
    expect(verdict(shares("SH", 100, FULL))).toEqual([
      "exchange_missing SZ orders 1",
      "exchange_missing SZ trades 1",
    ]);
    const thin = { orders: 399, trades: 500 };
    expect(verdict([...shares("SH", 100, FULL), ...shares("SZ", 100, thin)])).toEqual([
      "rows_missing SZ orders 60100",
    ]);
    expect(verdict([...shares("SH", 100, FULL), ...shares("SZ", 79, FULL)])).toEqual([
      "securities_missing SZ orders 21",
      "securities_missing SZ trades 21",
    ]);
  });

  it("passes if a dataset was not delivered, or if the rows are few but fewer than three other days exist", () => {
    const ordersOnly = { orders: 1_000, trades: null };
    const day = [...shares("SH", 100, ordersOnly), ...shares("SZ", 100, ordersOnly)];
    expect(verdict(day)).toBe("passed");
    const thin = both(100).map((each) => ({ ...each, rows: { orders: 10, trades: 10, quotes: null } }));
    expect(short(checkOtherDays(sizesOf(thin), others.slice(0, 2)))).toBe("passed");
  });

  it("is not provable without another day", () => {
    expect(short(checkOtherDays(sizesOf(both(1)), []))).toBe("no_other_days");
  });
});
