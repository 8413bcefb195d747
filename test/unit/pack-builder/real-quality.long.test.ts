import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Rows } from "../../../src/datasets/dataset.ts";
import { orders } from "../../../src/datasets/orders.ts";
import { trades } from "../../../src/datasets/trades.ts";
import { checkFolder } from "../../../src/pack-builder/check-packs.ts";
import { openPackFile } from "../../../src/pack-builder/pack-file.ts";
import { sectionRows } from "../../../src/pack-builder/verify/section-rows.ts";
import { checkSecurity } from "../../../src/quality/check-security.ts";
import { replayShanghai } from "../../../src/quality/shanghai.ts";
import { tradedTotals } from "../../../src/quality/sums.ts";
import { printedRandom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";
import { readVendorQuotes } from "../../support/vendor-zip.ts";
import { builtDay, temporaryFolder } from "./deliveries.ts";

const DATA = "../shared/data";
const JULY = "20230711" as BeijingDate;
const FEBRUARY = "20230201" as BeijingDate;
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real day was checked !!!\n`);

async function checkedDay(tradedate: BeijingDate, archives: readonly string[]) {
  const outFolder = temporaryFolder();
  const sources = archives.map((name) => join(DATA, name));
  await builtDay(sources, { tradedate, outFolder, threads: 2 });
  return { outFolder, ...(await checkFolder(outFolder, tradedate)) };
}

/** Returns the rows of a security in a pack. */
async function rowsOf<D extends typeof orders | typeof trades>(path: string, dataset: D, symbol: string) {
  const pack = bare(await openPackFile(path, ["orders", "trades"]));
  if ("reason" in pack) throw new Error(`${path} is no pack`);
  const entry = pack.index.entries.find((each) => each.symbol === symbol);
  if (entry === undefined) throw new Error(`${path} has no ${symbol}`);
  const rows = sectionRows(entry, await pack.read(entry.offset, entry.length), dataset);
  await pack.close();
  return rows;
}

/** Returns the columns with row `row` replaced by `count` copies. */
function withCopies<R extends Rows>(rows: R, row: number, count: number): R {
  const kept = [...rows.time.keys()].flatMap((each) =>
    each === row ? Array<number>(count).fill(row) : each,
  );
  const taken = <A extends Int32Array | Float64Array | Uint16Array>(values: A): A =>
    // The cast is safe, because the constructor of a typed array creates arrays of the same type.
    (values.constructor as unknown as { from(values: number[]): A }).from(
      kept.map((each) => values[each] ?? 0),
    );
  const columns = Object.entries(rows).map(([name, column]) => {
    if (typeof column === "number") return [name, kept.length];
    return [name, "index" in column ? { ...column, index: taken(column.index) } : taken(column)];
  });
  return Object.fromEntries(columns) as R;
}

describe.skipIf(!existsSync(DATA))("the quality check of real days", () => {
  it.each(["vendor", "insight"])("finds no fault in the day 2023-07-11 in layout %s", async (layout) => {
    const { sheet } = await checkedDay(JULY, [
      `orders-20230711-${layout}.zip`,
      `trades-20230711-${layout}.zip`,
    ]);
    expect(sheet.verdict).toBe("passed");
    expect(sheet.counts).toEqual({
      cancels: 39_588,
      cancelsExact: 39_588,
      fills: 108_026,
      fillsFound: 108_026,
      auctionRows: 0,
      auctionRowsFound: 0,
    });
    const passed = { passed: 5, failed: 0, notProvable: {} };
    expect(sheet.summary).toEqual({
      matching: passed,
      sequence: passed,
      // Trade numbers run per channel, not per security.
      gaps: { passed: 0, failed: 0, notProvable: { shared_numbers: 5 } },
      priority: passed,
      calendar: passed,
      shape: passed,
      scale: passed,
      opening_auction: passed,
      closing_auction: passed,
      auction_rows: { passed: 0, failed: 0, notProvable: { no_quotes: 5 } },
      sums: { passed: 0, failed: 0, notProvable: { no_quotes: 5 } },
      other_days: { passed: 0, failed: 0, notProvable: { no_other_days: 5 } },
    });
    expect(sheet.day.coverage).toEqual({ verdict: "passed" });
  });

  it("finds no fault in the orders, trades and quotes of 600519 on 2023-02-01", async () => {
    const archive = "full-20230201-600519-vendor.zip";
    const { sheet, outFolder } = await checkedDay(FEBRUARY, [archive]);
    expect(sheet.verdict).toBe("passed");
    expect(sheet.counts).toEqual({
      cancels: 15_668,
      cancelsExact: 15_668,
      fills: 26_572,
      fillsFound: 26_572,
      auctionRows: 126,
      auctionRowsFound: 126,
    });
    const { gaps, other_days, ...provable } = sheet.summary;
    for (const summary of Object.values(provable)) {
      expect(summary).toEqual({ passed: 1, failed: 0, notProvable: {} });
    }
    expect([gaps.notProvable, other_days.notProvable]).toEqual([{ shared_numbers: 1 }, { no_other_days: 1 }]);
    const security = { symbol: "600519", market: "SH" } as const;
    const own = {
      orders: await rowsOf(join(outFolder, "20230201.parquet"), orders, "600519"),
      trades: await rowsOf(join(outFolder, "20230201_trades.parquet"), trades, "600519"),
    };
    const quotes = (await readVendorQuotes(join(DATA, archive))).get("600519") ?? [];
    const last = quotes.findLast(({ time }) => time < 150500000);
    if (last === undefined) throw new Error("no snapshot");
    // A separate reader returns the last snapshot. The snapshot's totals equal the trades' totals to the hundredth of a
    // yuan.
    const { checks } = checkSecurity({ ...security, ...own, lastSnapshot: last }, {}, []);
    expect(checks.sums).toEqual({ verdict: "passed" });
    const { volume, amount } = tradedTotals(own.trades);
    expect({ volume, amount }).toEqual({ volume: last.volume, amount: last.amount });
    const wrong = { ...last, amount: last.amount / 10_000 };
    expect(checkSecurity({ ...security, ...own, lastSnapshot: wrong }, {}, []).checks.sums.verdict).toBe(
      "failed",
    );
    const { priority } = replayShanghai(security, own.orders, own.trades);
    console.log(`600519: ${priority.passedOver} of ${priority.judged} fills pass over a better order`);
  });

  it("finds every doubled row and wrong remainder planted in 601825 on 2023-07-11", async () => {
    const { outFolder } = await checkedDay(JULY, [
      "orders-20230711-vendor.zip",
      "trades-20230711-vendor.zip",
    ]);
    const own = {
      orders: await rowsOf(join(outFolder, "20230711.parquet"), orders, "601825"),
      trades: await rowsOf(join(outFolder, "20230711_trades.parquet"), trades, "601825"),
    };
    const type = (row: number) => own.orders.orderType.values[own.orders.orderType.index[row] ?? 0];
    const rowsWith = (letter: string) => [...own.orders.time.keys()].filter((row) => type(row) === letter);
    const fills = [...own.trades.time.keys()];
    const random = printedRandom("faults of one row");
    const found = (rows: number[], plant: (row: number) => typeof own) => {
      let count = 0;
      for (let time = 0; time < 150; time++) {
        const day = {
          symbol: "601825",
          market: "SH",
          ...plant(random.pick(rows)),
          lastSnapshot: null,
        } as const;
        const { checks } = checkSecurity(day, {}, []);
        if (Object.values(checks).some(({ verdict }) => verdict === "failed")) count += 1;
      }
      return count;
    };
    const [isNew, isCancel] = [rowsWith("A"), rowsWith("D")];
    const ofOrders = (rows: typeof own.orders) => ({ ...own, orders: rows });
    const ofTrades = (rows: typeof own.trades) => ({ ...own, trades: rows });
    const shares = (volumes: Float64Array, row: number) => volumes.with(row, (volumes[row] ?? 0) + 100);
    const { orders: o, trades: t } = own;
    const counts = {
      doubledOrder: found(isNew, (row) => ofOrders(withCopies(o, row, 2))),
      doubledTrade: found(fills, (row) => ofTrades(withCopies(t, row, 2))),
      wrongRemainder: found(isCancel, (row) => ofOrders({ ...o, volume: shares(o.volume, row) })),
      tradeTooLarge: found(fills, (row) => ofTrades({ ...t, volume: shares(t.volume, row) })),
      lostOrder: found(isNew, (row) => ofOrders(withCopies(o, row, 0))),
      lostTrade: found(fills, (row) => ofTrades(withCopies(t, row, 0))),
      lostCancel: found(isCancel, (row) => ofOrders(withCopies(o, row, 0))),
    };
    console.log("601825, found of 150:", counts);
    expect(counts).toMatchObject({ doubledOrder: 150, doubledTrade: 150, wrongRemainder: 150 });
    expect(counts.tradeTooLarge).toBeGreaterThan(135);
    // One run found 95 lost orders and 13 lost trades.
    expect(counts.lostOrder).toBeGreaterThan(70);
    expect(counts.lostTrade).toBeGreaterThan(3);
  });

  it("judges the sequence of 000001.SZ on 2023-02-01 from trades alone", async () => {
    const { sheet } = await checkedDay(FEBRUARY, ["trades-20230201-szse-vendor.zip"]);
    expect(sheet.summary.sequence).toEqual({ passed: 1, failed: 0, notProvable: {} });
    expect(sheet.summary.matching.notProvable).toEqual({ no_orders: 1 });
    expect(sheet.verdict).toBe("not_provable");
  });
});
