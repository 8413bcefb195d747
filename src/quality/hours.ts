/**
 * Checks rows against the hours of their exchange, and the time span of each dataset against the other datasets' spans.
 */
import type { Rows } from "../datasets/dataset.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { OrderColumns, Security } from "../orders/record.ts";
import { CLOSING_CALL, CONTINUOUS, OPENING_CALL } from "./replay.ts";
import { kindOf } from "./security-kind.ts";
import {
  CANCEL,
  coded,
  IGNORED,
  orderKinds,
  type QuoteSpan,
  type SecurityDay,
  shenzhenCancels,
  sinceMidnightMs,
  type TradeColumns,
} from "./security-rows.ts";
import type { Verdict } from "./sheet.ts";
import { FaultCounter, rowPlace } from "./verdict.ts";

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
export function checkHours(day: SecurityDay): Verdict {
  const { market, orders, trades } = day;
  const faults = new FaultCounter();
  if (orders !== null) checkOrders(day, orders, faults);
  if (trades !== null && market === "SH") checkShanghaiTrades(day, trades, faults);
  if (trades !== null && market === "SZ") checkShenzhenTrades(day, trades, faults);
  checkSpans(day, faults);
  return faults.verdict();
}

function checkOrders(security: Security, orders: OrderColumns, faults: FaultCounter): void {
  const kinds = orderKinds(orders, security.market);
  for (let row = 0; row < orders.rows; row++) {
    const time = orders.time[row] ?? 0;
    if (kinds[row] === IGNORED) continue;
    if (!isOpen(time, security)) faults.add("order_outside_hours", rowPlace("orders", row, orders));
    else if (kinds[row] === CANCEL && isWithoutCancels(time, security)) {
      faults.add("cancel_outside_hours", rowPlace("orders", row, orders));
    }
  }
}

/**
 * Returns whether the exchange accepts orders. Shenzhen also accepts them from 09:25 to 09:30, for the session that
 * follows.
 */
function isOpen(time: number, security: Security): boolean {
  const isShanghai = security.market === "SH";
  if (time < OPENING_CALL) return false;
  if (isShanghai && time >= OPENING_END && time < CONTINUOUS) return false;
  if (time < NOON_END) return true;
  if (time < AFTERNOON) return false;
  return time < (isShanghai ? CLOSE : CLOSE_END) || isAfterHours(time, security);
}

/** Returns whether `time` is in the fixed-price trading after the close, which STAR and ChiNext shares have. */
function isAfterHours(time: number, { symbol, market }: Security): boolean {
  if (time < AFTER_HOURS || time >= AFTER_HOURS_END) return false;
  return symbol.startsWith(market === "SH" ? "68" : "30");
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
        ? !isOpen(time, security) || isWithoutCancels(time, security)
        : phaseOf(time) === null && !isAfterHours(time, security);
    const kind = isCancel[row] === 1 ? "cancel_outside_hours" : "trade_outside_hours";
    if (isOutside) faults.add(kind, rowPlace("trades", row, trades));
  }
}

/**
 * Checks when datasets with enough rows begin and end. Orders must begin before trades. Trades must begin at most half
 * an hour after 09:30, or after the first order if that is later, and snapshots at most half an hour after the first
 * trade. Orders and trades must end within half an hour of each other, and snapshots at most half an hour before the
 * last trade.
 */
function checkSpans({ orders, trades, quoteSpan }: SecurityDay, faults: FaultCounter): void {
  if (trades === null || trades.rows < ENOUGH_ROWS) return;
  const late = (dataset: DatasetName, { first }: QuoteSpan) =>
    faults.add("begins_late", { dataset, row: 0, time: first });
  const early = (dataset: DatasetName, { rows, last }: QuoteSpan) =>
    faults.add("ends_early", { dataset, row: rows - 1, time: last });
  const traded = spanOf(trades);
  const [begin, end] = [tradingMs(traded.first), tradingMs(traded.last)];
  if (orders !== null && orders.rows >= ENOUGH_ROWS) {
    const ordered = spanOf(orders);
    const [orderBegin, orderEnd] = [tradingMs(ordered.first), tradingMs(ordered.last)];
    if (begin > Math.max(orderBegin, tradingMs(CONTINUOUS)) + MOST_APART_MS) late("trades", traded);
    if (orderBegin > begin) late("orders", ordered);
    if (end < orderEnd - MOST_APART_MS) early("trades", traded);
    if (orderEnd < end - MOST_APART_MS) early("orders", ordered);
  }
  if (quoteSpan === undefined) return;
  if (tradingMs(quoteSpan.first) > begin + MOST_APART_MS) late("quotes", quoteSpan);
  if (tradingMs(quoteSpan.last) < end - MOST_APART_MS) early("quotes", quoteSpan);
}

function spanOf({ rows, time }: Rows): QuoteSpan {
  return { rows, first: time[0] ?? 0, last: time[rows - 1] ?? 0 };
}

/** Returns milliseconds since midnight, without the pause at noon. */
function tradingMs(time: number): number {
  const [noon, afternoon] = [sinceMidnightMs(NOON), sinceMidnightMs(AFTERNOON)];
  const at = sinceMidnightMs(time);
  return at <= noon ? at : Math.max(noon, at - (afternoon - noon));
}
