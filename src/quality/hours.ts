/**
 * Checks rows against the hours of their exchange, and the time span of each dataset against the other datasets' spans.
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { CANCEL, IGNORED } from "./live-orders.ts";
import { CLOSING_CALL, CONTINUOUS, OPENING_CALL } from "./replay.ts";
import { kindOf, tradesAfterHours } from "./security-kind.ts";
import {
  coded,
  type QuoteSpan,
  type SecurityDay,
  sinceMidnightMs,
  type TradeColumns,
} from "./security-rows.ts";
import { shanghaiKind } from "./shanghai.ts";
import { shenzhenCancels } from "./shenzhen.ts";
import { FaultCounter, type FaultPlace, rowPlace, type Verdict } from "./verdict.ts";

/** Times as HHMMSSmmm; ends are exclusive. Exchanges may stamp rows up to a second after the end of a phase. */
const NO_CANCEL = 92000000;
const OPENING_END = 92500000;
const NOON = 113000000;
const NOON_END = 113001000;
const AFTERNOON = 130000000;
const CLOSE = 150000000;
const CLOSE_END = 150001000;
/** The closing call's trades come within seconds of 15:00. */
const TRADES_END = 150100000;
const AFTER_HOURS = 150500000;
const AFTER_HOURS_END = 153001000;

/** A longer time without a trade counts as a trading halt. After a halt, trading resumes with a separate auction. */
const HALT_MS = 9 * 60_000;

/** With fewer rows, a dataset's first and last times prove little. */
const ENOUGH_ROWS = 500;
const MOST_APART_MS = 30 * 60_000;

/** Checks the times of orders and trades, the time span of each dataset, and Shanghai's flags by phase. */
export function checkHours(security: SecurityDay): Verdict {
  const { orders, trades, quoteSpan } = security;
  const faults = new FaultCounter();
  if (orders !== null) checkOrders(security, orders, faults);
  if (trades !== null && security.market === "SH") checkShanghaiTrades(security, trades, faults);
  if (trades !== null && security.market === "SZ") checkShenzhenTrades(security, trades, faults);
  if (orders !== null && trades !== null) checkSpans(orders, trades, faults);
  if (trades !== null && quoteSpan !== undefined) checkQuoteSpan(trades, quoteSpan, faults);
  return faults.verdict();
}

function checkOrders(security: Security, orders: OrderColumns, faults: FaultCounter): void {
  const isShanghai = security.market === "SH";
  const kinds = isShanghai ? coded(orders.orderType, shanghaiKind) : null;
  for (let row = 0; row < orders.rows; row++) {
    const time = orders.time[row] ?? 0;
    const kind = kinds?.[row];
    if (kind === IGNORED && isShanghai) continue;
    if (!isOpen(time, security, isShanghai))
      faults.add("order_outside_hours", rowPlace("orders", row, orders));
    else if (kind === CANCEL && isWithoutCancels(time, security)) {
      faults.add("cancel_outside_hours", rowPlace("orders", row, orders));
    }
  }
}

/**
 * Returns whether the exchange accepts orders. Shenzhen also accepts them from 09:25 to 09:30, for the session that
 * follows.
 */
function isOpen(time: number, security: Security, isShanghai: boolean): boolean {
  if (time < OPENING_CALL) return false;
  if (isShanghai && time >= OPENING_END && time < CONTINUOUS) return false;
  if (time < NOON_END) return true;
  if (time < AFTERNOON) return false;
  return time < (isShanghai ? CLOSE : CLOSE_END) || isAfterHours(time, security);
}

function isAfterHours(time: number, security: Security): boolean {
  return tradesAfterHours(security) && time >= AFTER_HOURS && time < AFTER_HOURS_END;
}

/**
 * Returns whether `time` is in a period without cancels: the last five minutes of the opening call, or the closing
 * call. Only shares are known to have a closing call.
 */
function isWithoutCancels(time: number, security: Security): boolean {
  if (time >= NO_CANCEL && time < OPENING_END) return true;
  return time >= CLOSING_CALL && time < CLOSE && kindOf(security) === "share";
}

function checkShanghaiTrades(security: Security, trades: TradeColumns, faults: FaultCounter): void {
  const isAuction = coded(trades.bsFlag, (flag) => (flag === "N" ? 1 : 0));
  const hasFlags = trades.bsFlag.values.some((flag) => flag !== "");
  const hasClosingCall = kindOf(security) === "share";
  let [before, haltEnd] = [0, -1];
  for (let row = 0; row < trades.rows; row++) {
    const time = trades.time[row] ?? 0;
    const phase = phaseOf(time);
    if (phase === null && !isAfterHours(time, security))
      faults.add("trade_outside_hours", rowPlace("trades", row, trades));
    else if (!hasFlags) continue;
    else if (isAuction[row] === 1 && phase === "continuous") {
      if (sinceMidnightMs(time) - sinceMidnightMs(before) > HALT_MS) haltEnd = time;
      if (time !== haltEnd) faults.add("flag_outside_phase", rowPlace("trades", row, trades));
    } else if (isAuction[row] === 0 && (phase === "opening" || (phase === "closing" && hasClosingCall))) {
      faults.add("flag_outside_phase", rowPlace("trades", row, trades));
    }
    before = time;
  }
}

/** Returns the phase of a trade at `time`; `null` when there cannot be one. */
function phaseOf(time: number): "opening" | "continuous" | "closing" | null {
  if (time < OPENING_END) return null;
  if (time < CONTINUOUS) return "opening";
  if (time < NOON_END) return "continuous";
  if (time < AFTERNOON) return null;
  if (time < CLOSING_CALL) return "continuous";
  return time < TRADES_END ? "closing" : null;
}

function checkShenzhenTrades(security: Security, trades: TradeColumns, faults: FaultCounter): void {
  const isCancel = shenzhenCancels(trades);
  for (let row = 0; row < trades.rows; row++) {
    const time = trades.time[row] ?? 0;
    const isOutside =
      isCancel[row] === 1
        ? !isOpen(time, security, false) || isWithoutCancels(time, security)
        : phaseOf(time) === null && !isAfterHours(time, security);
    const kind = isCancel[row] === 1 ? "cancel_outside_hours" : "trade_outside_hours";
    if (isOutside) faults.add(kind, rowPlace("trades", row, trades));
  }
}

/**
 * If both datasets have enough rows, checks when they begin and end. Orders must begin first. Trades must begin at most
 * half an hour after 09:30, or after the first order if that is later. Both datasets must end within half an hour of
 * each other.
 */
function checkSpans(orders: OrderColumns, trades: TradeColumns, faults: FaultCounter): void {
  if (orders.rows < ENOUGH_ROWS || trades.rows < ENOUGH_ROWS) return;
  const [orderFirst, orderLast] = spanOf(orders.time);
  const [tradeFirst, tradeLast] = spanOf(trades.time);
  const tradeAt = (row: number) => rowPlace("trades", row, trades);
  const orderAt = (row: number) => rowPlace("orders", row, orders);
  if (tradeFirst > Math.max(orderFirst, tradingMs(CONTINUOUS)) + MOST_APART_MS) {
    faults.add("begins_late", tradeAt(0));
  }
  // Orders precede their trades, so the orders begin first.
  if (orderFirst > tradeFirst) faults.add("begins_late", orderAt(0));
  if (tradeLast < orderLast - MOST_APART_MS) faults.add("ends_early", tradeAt(trades.rows - 1));
  if (orderLast < tradeLast - MOST_APART_MS) faults.add("ends_early", orderAt(orders.rows - 1));
}

/**
 * Checks that snapshots begin at most half an hour after the first trade, and end at most half an hour before the last
 * trade.
 */
function checkQuoteSpan(trades: TradeColumns, quotes: QuoteSpan, faults: FaultCounter): void {
  if (trades.rows < ENOUGH_ROWS) return;
  const [tradeFirst, tradeLast] = spanOf(trades.time);
  const place = (row: number, time: number): FaultPlace => ({ dataset: "quotes", row, time });
  if (tradingMs(quotes.first) > tradeFirst + MOST_APART_MS) faults.add("begins_late", place(0, quotes.first));
  if (tradingMs(quotes.last) < tradeLast - MOST_APART_MS) {
    faults.add("ends_early", place(quotes.rows - 1, quotes.last));
  }
}

function spanOf(times: Int32Array): [number, number] {
  return [tradingMs(times[0] ?? 0), tradingMs(times[times.length - 1] ?? 0)];
}

/** Returns milliseconds since midnight, without the pause at noon. */
function tradingMs(time: number): number {
  const [noon, afternoon] = [sinceMidnightMs(NOON), sinceMidnightMs(AFTERNOON)];
  const at = sinceMidnightMs(time);
  return at <= noon ? at : Math.max(noon, at - (afternoon - noon));
}
