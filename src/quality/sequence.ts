/** Checks the trade and order numbers in trades. The orders themselves are not needed. */
import { OrderTable } from "./order-table.ts";
import { isAscending, type SecurityDay, shenzhenCancels, type TradeColumns } from "./security-rows.ts";
import type { Verdict } from "./sheet.ts";
import { FaultCounter, notProvable, rowPlace } from "./verdict.ts";

/**
 * Checks that no trade number repeats. In Shenzhen, also checks that every trade's number is above the numbers of its
 * orders, and that no trade follows the cancel of its order. The verdict is "not provable" without trades and, in
 * Shanghai, when the source does not number its trades.
 */
export function checkSequence({ trades, market }: SecurityDay): Verdict {
  if (trades === null || trades.rows === 0) return notProvable("no_trades");
  const faults = new FaultCounter();
  const place = (row: number) => rowPlace("trades", row, trades);
  const isNumbered = trades.tradeId.some((id) => id > 0);
  if (isNumbered) for (const row of repeatedRows(trades.tradeId)) faults.add("trade_repeated", place(row));
  if (market === "SZ") {
    const below = isNumbered ? rowsBelowTheirOrders(trades) : [];
    // If at least half of the trades have a lower number than one of their orders, trades and orders do not share a
    // sequence of numbers, so there is nothing to check.
    if (below.length * 2 < trades.rows) for (const row of below) faults.add("trade_number", place(row));
    for (const row of rowsAfterCancel(trades)) faults.add("after_cancel", place(row));
  }
  return faults.verdict(isNumbered || market === "SZ" ? undefined : notProvable("no_number"));
}

/** If more than this fraction of the numbers is missing, several securities share one sequence of trade numbers. */
const MOST_MISSING = 0.01;
const ENOUGH_NUMBERS = 200;

/**
 * Checks that no trade number is missing. This is provable only where each security has its own trade numbers, which
 * begin with 1 and have few gaps. When several securities share one sequence of numbers, each of them has gaps.
 */
export function checkGaps({ trades }: SecurityDay): Verdict {
  if (trades === null || trades.rows === 0) return notProvable("no_trades");
  const { tradeId, rows } = trades;
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let row = 0; row < rows; row++) {
    const id = tradeId[row] ?? 0;
    if (id < least) least = id;
    if (id > most) most = id;
  }
  if (most === 0) return notProvable("no_number");
  // Repeated numbers can hide gaps. `checkSequence` reports repeated numbers.
  const missing = Math.max(0, most - rows);
  if (least !== 1 || missing > most * MOST_MISSING) return notProvable("shared_numbers");
  if (rows < ENOUGH_NUMBERS) return notProvable("too_few_rows");
  const faults = new FaultCounter();
  if (missing > 0) {
    const row = tradeId.findIndex((id, place) => id !== (tradeId[place - 1] ?? 0) + 1);
    faults.add("numbers_missing", rowPlace("trades", row, trades), missing);
  }
  return faults.verdict();
}

/** Returns the rows whose number already occurred in an earlier row. The number 0 stands for no number. */
function repeatedRows(ids: Float64Array): number[] {
  if (isAscending(ids)) return [];
  const known = new OrderTable(ids.length);
  const repeated: number[] = [];
  ids.forEach((id, row) => {
    if (id > 0 && !known.add(id, row)) repeated.push(row);
  });
  return repeated;
}

function rowsBelowTheirOrders({ rows, tradeId, buyOrderId, sellOrderId }: TradeColumns): number[] {
  const below: number[] = [];
  for (let row = 0; row < rows; row++) {
    const id = tradeId[row] ?? 0;
    if (id <= (buyOrderId[row] ?? 0) || id <= (sellOrderId[row] ?? 0)) below.push(row);
  }
  return below;
}

/** Returns the rows of fills and cancels that follow the cancel of one of their orders. */
function rowsAfterCancel(trades: TradeColumns): number[] {
  const isCancel = shenzhenCancels(trades);
  const { buyOrderId, sellOrderId, rows } = trades;
  const cancelled = new OrderTable(isCancel.reduce((sum, each) => sum + each, 0));
  const after: number[] = [];
  for (let row = 0; row < rows; row++) {
    const [buy, sell] = [buyOrderId[row] ?? 0, sellOrderId[row] ?? 0];
    if ((buy > 0 && cancelled.find(buy) >= 0) || (sell > 0 && cancelled.find(sell) >= 0)) after.push(row);
    else if (isCancel[row] === 1) cancelled.add(buy === 0 ? sell : buy, row);
  }
  return after;
}
