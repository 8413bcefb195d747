/** Checks a security's rows as a whole: properties of every trading day, and the magnitude of prices and volumes. */
import { kindOf } from "./security-kind.ts";
import { CANCEL, LIMIT, orderKinds, type SecurityDay, shenzhenCancels } from "./security-rows.ts";
import type { Verdict } from "./sheet.ts";
import { FaultCounter, notProvable } from "./verdict.ts";

/** With fewer orders, a security may have no cancel and no small order. */
const ENOUGH_ORDERS = 200;
const ENOUGH_TRADES = 20;
const NOON = 130000000;

/**
 * The lowest and the highest plausible price, in ten-thousandths of a yuan. No share or fund has ever cost less than
 * 0.05 or more than 10,000 yuan.
 */
const [LEAST_PRICE_E4, MOST_PRICE_E4] = [500, 100_000_000];
/** A volume in shares. In correct data, at least 2 % of a share's orders are smaller, whatever the share's price. */
const BIG_ORDER = 10_000;
const LEAST_SMALL_SHARE = 0.02;
/** The number of shares in one lot. Only remainders are sold in smaller volumes. */
const LOT = 100;
const MOST_ODD_SHARE = 0.9;

/**
 * Checks that there are cancels, and that neither dataset ends at noon while the other continues. Not provable with
 * fewer than 200 orders.
 */
export function checkShape({ market, orders, trades }: SecurityDay): Verdict {
  if (orders === null) return notProvable("no_orders");
  if (orders.rows < ENOUGH_ORDERS) return notProvable("too_few_rows");
  const faults = new FaultCounter();
  const hasCancel =
    market === "SH"
      ? orderKinds(orders, market).includes(CANCEL)
      : trades === null || shenzhenCancels(trades).includes(1);
  if (!hasCancel) faults.add("no_cancels");
  if (trades !== null) {
    const [ordersAfter, tradesAfter] = [rowsFrom(orders.time, NOON), rowsFrom(trades.time, NOON)];
    const tradesBefore = trades.rows - tradesAfter;
    const isTradesOver = tradesAfter === 0 && tradesBefore >= ENOUGH_TRADES && ordersAfter >= ENOUGH_ORDERS;
    const isOrdersOver = ordersAfter === 0 && tradesAfter >= ENOUGH_TRADES;
    if (isTradesOver || isOrdersOver) faults.add("nothing_after_noon");
  }
  return faults.verdict();
}

/** Returns the number of rows at or after `time`. */
function rowsFrom(times: Int32Array, time: number): number {
  const at = times.findIndex((each) => each >= time);
  return at < 0 ? 0 : times.length - at;
}

/**
 * Checks prices and volumes for a wrong conversion factor. This is provable for shares and funds with at least 200
 * orders. Volumes that are too large are provable for shares only, because some funds have only orders of market
 * makers.
 */
export function checkScale(day: SecurityDay): Verdict {
  const { orders, market } = day;
  const kind = kindOf(day);
  if (kind === "other") return notProvable("unmeasured_market");
  if (orders === null) return notProvable("no_orders");
  const kinds = orderKinds(orders, market);
  let [count, wrongPrice, small, odd] = [0, 0, 0, 0];
  for (let row = 0; row < orders.rows; row++) {
    if (kinds[row] !== LIMIT) continue;
    const [price, volume] = [orders.priceE4[row] ?? 0, orders.volume[row] ?? 0];
    count += 1;
    if (price < LEAST_PRICE_E4 || price > MOST_PRICE_E4) wrongPrice += 1;
    if (volume < BIG_ORDER) small += 1;
    if (volume < LOT) odd += 1;
  }
  if (count < ENOUGH_ORDERS) return notProvable("too_few_rows");
  const faults = new FaultCounter();
  if (wrongPrice * 2 > count) faults.add("price_factor", null, wrongPrice);
  if (kind === "share" && small < count * LEAST_SMALL_SHARE) faults.add("volume_factor", null, count - small);
  if (odd > count * MOST_ODD_SHARE) faults.add("volume_factor", null, odd);
  return faults.verdict();
}
