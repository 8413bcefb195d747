/**
 * A sample day of one Shanghai security: new orders (A), cancels (D) that repeat their order's number,
 * and phase flags (S) whose numbers are all zero. Shanghai's source leaves `order_id` at 0 throughout.
 */
import type { OrderColumns } from "../../orders/record.ts";
import { BUY, blankColumns, numbering, orderVolume, pricePath, SELL } from "./columns.ts";
import type { Random } from "./random.ts";
import type { SampleSecurity } from "./securities.ts";
import { sessionTimes, withBurst } from "./session.ts";

/** Row types, and order codes: B and S are sides, O, T and C begin the opening call, trading and the closing call. */
const [ADD, CANCEL, PHASE] = [0, 1, 2];
const CODES = ["B", "S", "O", "T", "C"];
const PHASES = [
  { time: 91500000, code: 2 },
  { time: 93000000, code: 3 },
  { time: 145700000, code: 4 },
];

/** Orders may not be withdrawn in the last five minutes of the opening call. */
const NO_CANCEL_FROM = 92000000;
const NO_CANCEL_TO = 93000000;
/** Orders that can still be withdrawn; older ones count as traded. */
const OPEN_ORDERS = 4096;

/** `security.rows` orders in time order; below 8 rows there are no phase flags. */
export function shanghaiOrders(security: SampleSecurity, random: Random): OrderColumns {
  const flags = security.rows >= 8 ? PHASES : [];
  let times = sessionTimes(random, security.rows - flags.length);
  for (const flag of flags) times = withBurst(times, flag.time, 1);
  const columns = blankColumns(times, ["A", "D", "S"], CODES);
  const cancelShare = 0.265 + 0.03 * random.next();
  const nextNumber = numbering(random, columns.rows);
  const prices = pricePath(random, security);
  const open = openOrders(random);
  let [cancels, flagged] = [0, 0];
  for (let row = 0; row < columns.rows; row++) {
    const time = times[row] ?? 0;
    const flag = flags[flagged];
    if (flag?.time === time) {
      columns.orderType.index[row] = PHASE;
      columns.orderCode.index[row] = flag.code;
      flagged++;
      continue;
    }
    const mayCancel = open.count() > 0 && (time < NO_CANCEL_FROM || time >= NO_CANCEL_TO);
    // Steered to its share, so that a small security has it too.
    const behind = cancelShare * row - cancels;
    if (mayCancel && random.chance(behind > 2 ? 0.6 : behind < -2 ? 0.08 : cancelShare)) {
      cancelRow(columns, row, open.take(), random);
      cancels++;
    } else {
      const side = random.chance(0.52) ? BUY : SELL;
      columns.orderType.index[row] = ADD;
      columns.orderCode.index[row] = side;
      columns.exchangeOrderId[row] = nextNumber();
      columns.priceE4[row] = prices.quote(side);
      columns.volume[row] = orderVolume(random, security.lot);
      open.add(row);
    }
  }
  return columns;
}

/** The withdrawal of the order in row `ordered`: same number, side and price; 2.7 % were partly traded before. */
function cancelRow(columns: OrderColumns, row: number, ordered: number, random: Random): void {
  const volume = columns.volume[ordered] ?? 0;
  columns.orderType.index[row] = CANCEL;
  columns.orderCode.index[row] = columns.orderCode.index[ordered] ?? 0;
  columns.exchangeOrderId[row] = columns.exchangeOrderId[ordered] ?? 0;
  columns.priceE4[row] = columns.priceE4[ordered] ?? 0;
  columns.volume[row] = volume > 1 && random.chance(0.027) ? 1 + random.below(volume - 1) : volume;
}

/** Rows of the orders that can be withdrawn; the young ones are taken far more often than the old. */
function openOrders(random: Random) {
  const ring = new Int32Array(OPEN_ORDERS);
  let size = 0;
  return {
    count: () => size,
    add(row: number) {
      if (size === OPEN_ORDERS) {
        ring.copyWithin(0, OPEN_ORDERS / 4);
        size -= OPEN_ORDERS / 4;
      }
      ring[size++] = row;
    },
    take(): number {
      const at = size - 1 - Math.floor(size * random.next() ** 3);
      const row = ring[at] ?? 0;
      ring[at] = ring[size - 1] ?? 0;
      size--;
      return row;
    },
  };
}
