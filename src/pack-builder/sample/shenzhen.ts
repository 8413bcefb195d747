/**
 * Generates a sample day of one Shenzhen security: limit (0), market (1) and best-own-side (U) orders. Its cancels are
 * in the trades. As in the source, `order_id` can repeat and can be 0.
 */
import type { OrderColumns } from "../../orders/record.ts";
import { BUY, blankColumns, numbering, orderVolume, pricePath, SELL } from "./columns.ts";
import type { Random } from "./random.ts";
import type { SampleSecurity } from "./securities.ts";
import { sessionTimes, withBurst } from "./session.ts";

const [LIMIT, MARKET, BEST_OWN_SIDE] = [0, 1, 2];
const MARKET_SHARE = 0.0043;
const BEST_OWN_SIDE_SHARE = 0.00005;
/** A security with at least this many rows has a burst: more rows with the same time than on any observed real day. */
const BURST_FROM_ROWS = 20_000;
const BURST = { time: 93000000, rows: 720 };

/** Returns `security.rows` orders, sorted by time. */
export function shenzhenOrders(security: SampleSecurity, random: Random): OrderColumns {
  const burst = security.rows >= BURST_FROM_ROWS ? BURST.rows : 0;
  const times = withBurst(sessionTimes(random, security.rows - burst), BURST.time, burst);
  const columns = blankColumns(times, ["0", "1", "U"], ["B", "S"]);
  const nextNumber = numbering(random, columns.rows);
  const quote = pricePath(random, security);
  // Every security of 100 rows or more has at least one order of each type.
  const rare = columns.rows >= 100 ? [1 + random.below(49), 50 + random.below(49)] : [];
  for (let row = 0; row < columns.rows; row++) {
    const side = random.chance(0.52) ? BUY : SELL;
    const number = nextNumber();
    columns.orderType.index[row] = orderType(random, rare.indexOf(row));
    columns.orderCode.index[row] = side;
    columns.exchangeOrderId[row] = number;
    columns.orderId[row] = orderId(random, number, columns.orderId[row - 1] ?? 0);
    columns.priceE4[row] = quote(side);
    columns.volume[row] = orderVolume(random, security.lot);
  }
  return columns;
}

function orderType(random: Random, forced: number): number {
  const draw = random.next();
  if (forced === 0 || (forced < 0 && draw < MARKET_SHARE)) return MARKET;
  if (forced === 1 || draw > 1 - BEST_OWN_SIDE_SHARE) return BEST_OWN_SIDE;
  return LIMIT;
}

/**
 * Returns the order id: usually `number`; in 0.5 % of cases `before`, the id of the previous row; in 0.3 % of cases 0.
 */
function orderId(random: Random, number: number, before: number): number {
  const draw = random.next();
  if (draw < 0.003) return 0;
  return draw < 0.008 ? before : number;
}
