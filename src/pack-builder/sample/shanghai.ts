/**
 * Generates a sample day of one Shanghai security: orders, trades and quotes. The order rows are new orders (A),
 * cancels (D) and phase flags (S). A cancel has the number of its order; the numbers of a flag are all 0. As in
 * Shanghai's stream, the row of an order contains what remains after its immediate fills, and an order that was filled
 * completely has no row. `order_id` is always 0, as in the source.
 */
import type { Call } from "./call-auction.ts";
import { BUY, blankColumns, numbering, orderVolume, pricePath, SELL, type Side } from "./columns.ts";
import {
  CLOSING_CALL,
  CONTINUOUS,
  type Fill,
  type MarketStart,
  NO_CANCEL_FROM,
  SampleMarket,
} from "./market.ts";
import type { Random } from "./random.ts";
import type { SampleSecurity } from "./securities.ts";
import { sessionTimes, withBurst } from "./session.ts";
import type { TapeRow } from "./tape.ts";

/** Row types and order codes: B and S are sides; O, T and C mark the opening call, trading and the closing call. */
const [ADD, CANCEL, PHASE] = [0, 1, 2];
const CODES = ["B", "S", "O", "T", "C"];
const PHASES = [
  { time: 91500000, code: 2 },
  { time: 93000000, code: 3 },
  { time: 145700000, code: 4 },
];

/** The maximum number of orders that are kept as candidates for a cancel. */
const OPEN_ORDERS = 4096;
/** The maximum number of consecutive orders that are filled on arrival. */
const MOST_WITHOUT_ROW = 20;
/** The fraction of cancels that are for a partly filled order. */
const PARTLY_SHARE = 0.02;

/**
 * Returns the day of a security: `security.rows` orders as they arrive, and the trades that result when orders match by
 * price, then time. With fewer than 8 rows, there are no phase flags. `hasQuotes` adds snapshots.
 */
export function shanghaiDay(security: SampleSecurity, random: Random, { hasQuotes = false } = {}) {
  const flags = security.rows >= 8 ? PHASES : [];
  let times = sessionTimes(random, security.rows - flags.length);
  for (const flag of flags) times = withBurst(times, flag.time, 1);
  const orders = blankColumns(times, ["A", "D", "S"], CODES);
  const market = new Market({ security, random, orders, hasQuotes });
  let flagged = 0;
  for (let row = 0; row < times.length; row++) {
    const flag = flags[flagged];
    if (flag !== undefined && flag.time === times[row]) {
      market.phase(row, flag.code);
      flagged++;
    } else market.arrive(row);
  }
  return { orders, ...market.end() };
}

class Market extends SampleMarket {
  private readonly quote: (side: Side) => number;
  private readonly nextNumber: () => number;
  private readonly open: OpenOrders;
  /** Rows of orders that were filled in part, the latest last. */
  private readonly partly: number[] = [];
  private readonly cancelShare: number;
  private cancels = 0;
  private trades = 0;

  constructor(start: MarketStart) {
    super(start);
    const { security, random, orders } = start;
    this.cancelShare = 0.265 + 0.03 * random.next();
    this.nextNumber = numbering(random, orders.rows);
    this.quote = pricePath(random, security);
    this.open = new OpenOrders(random);
  }

  phase(row: number, code: number): void {
    this.orders.orderType.index[row] = PHASE;
    this.orders.orderCode.index[row] = code;
  }

  /** Writes a cancel or a new order to the row. */
  arrive(row: number): void {
    const { orders, random, cancelShare } = this;
    const time = orders.time[row] ?? 0;
    this.reach(time);
    // Of the rows with one timestamp, only the last can trade or be a cancel, because the new orders of a timestamp
    // precede its trades.
    const isLast = orders.time[row + 1] !== time;
    const isContinuous = time >= CONTINUOUS && time < CLOSING_CALL;
    const mayCancel = isLast && (time < NO_CANCEL_FROM || isContinuous);
    // The probability of a cancel is adjusted so that the share of cancels reaches `cancelShare` even with few rows.
    const behind = cancelShare * row - this.cancels;
    const chance = behind > 2 ? 0.75 : behind < -2 ? 0.08 : cancelShare;
    const cancelled = mayCancel && random.chance(chance) ? this.openOrder() : undefined;
    if (cancelled === undefined) this.order(row, { isContinuous, mayTrade: isContinuous && isLast });
    else this.cancel(row, cancelled);
  }

  /** Returns the row of an order to cancel, sometimes of a partly filled one; `undefined` when there is none. */
  private openOrder(): number | undefined {
    const isLive = (row: number) => (this.book.left[row] ?? 0) > 0;
    if (this.random.chance(PARTLY_SHARE)) {
      const partly = this.partly.findLast(isLive);
      if (partly !== undefined) return partly;
    }
    return this.open.take(isLive);
  }

  /** Writes the cancel of the order in row `ordered` to `row`, with the order's number, side, price and remainder. */
  private cancel(row: number, ordered: number): void {
    const { orders, book } = this;
    orders.orderType.index[row] = CANCEL;
    orders.orderCode.index[row] = orders.orderCode.index[ordered] ?? 0;
    orders.exchangeOrderId[row] = orders.exchangeOrderId[ordered] ?? 0;
    orders.priceE4[row] = orders.priceE4[ordered] ?? 0;
    orders.volume[row] = book.remove(ordered);
    this.cancels++;
  }

  /** Lets orders arrive until one has a remainder after its fills. That order gets the row. */
  private order(row: number, { isContinuous, mayTrade }: { isContinuous: boolean; mayTrade: boolean }): void {
    const { orders, random, security, book } = this;
    // All orders that arrive for this row are on the same side. A replay adds the row's order to the book before it
    // applies the trades with the same time. There, trades of an earlier arrival on the other side could skip the row's
    // order although that order has the better price.
    const side: Side = random.chance(0.52) ? BUY : SELL;
    for (let tries = 0; ; tries++) {
      const number = this.nextNumber();
      const isPassive = isContinuous && (!mayTrade || tries === MOST_WITHOUT_ROW);
      const price = isPassive ? this.passive(side) : this.quote(side);
      const volume = orderVolume(random, security.lot);
      const rest = mayTrade ? this.match(orders.time[row] ?? 0, { side, number, price, volume }) : volume;
      if (rest === 0) continue;
      orders.orderType.index[row] = ADD;
      orders.orderCode.index[row] = side;
      orders.exchangeOrderId[row] = number;
      orders.priceE4[row] = price;
      orders.volume[row] = rest;
      book.add(row, rest);
      this.open.add(row);
      return;
    }
  }

  /** Returns a price that matches no order of the other side. */
  private passive(side: Side): number {
    const quoted = this.quote(side);
    const resting = this.book.crossed(side, quoted);
    if (resting === undefined) return quoted;
    const step = side === BUY ? -this.security.tickE4 : this.security.tickE4;
    return (this.orders.priceE4[resting] ?? 0) + step;
  }

  /** Fills the arriving order with orders of the other side, the best first. Returns what remains of it. */
  private match(time: number, order: { side: Side; number: number; price: number; volume: number }): number {
    const { orders, book } = this;
    let rest = order.volume;
    while (rest > 0) {
      const resting = book.crossed(order.side, order.price);
      if (resting === undefined) return rest;
      const volume = Math.min(rest, book.left[resting] ?? 0);
      const own = orders.exchangeOrderId[resting] ?? 0;
      const [buy, sell] = order.side === BUY ? [order.number, own] : [own, order.number];
      const flag = order.side === BUY ? "B" : "S";
      this.trade({ time, price: orders.priceE4[resting] ?? 0, volume, flag, buy, sell });
      book.take(resting, volume);
      this.partly.push(resting);
      if (this.partly.length > 32) this.partly.shift();
      rest -= volume;
    }
    return 0;
  }

  protected call(): Call {
    return { orders: this.book.forCall(() => true), tickE4: this.security.tickE4, lastE4: null };
  }

  protected addFill(time: number, { price, buy, sell, volume }: Fill): void {
    const { exchangeOrderId } = this.orders;
    const [buyer, seller] = [exchangeOrderId[buy] ?? 0, exchangeOrderId[sell] ?? 0];
    this.trade({ time, price, volume, flag: "N", buy: buyer, sell: seller });
  }

  private trade(row: Omit<TapeRow, "id" | "code">): void {
    this.addTrade({ id: ++this.trades, code: "", ...row });
  }
}

/** Rows of the orders that can be cancelled; recent ones are chosen far more often. */
class OpenOrders {
  private readonly random: Random;
  private readonly ring = new Int32Array(OPEN_ORDERS);
  private size = 0;

  constructor(random: Random) {
    this.random = random;
  }

  add(row: number): void {
    if (this.size === OPEN_ORDERS) {
      this.ring.copyWithin(0, OPEN_ORDERS / 4);
      this.size -= OPEN_ORDERS / 4;
    }
    this.ring[this.size++] = row;
  }

  /** Removes and returns the row of an order for which `isLive` returns true; `undefined` when there is none. */
  take(isLive: (row: number) => boolean): number | undefined {
    const { ring, random } = this;
    while (this.size > 0) {
      const at = this.size - 1 - Math.floor(this.size * random.next() ** 3);
      const row = ring[at] ?? 0;
      ring[at] = ring[this.size - 1] ?? 0;
      this.size--;
      if (isLive(row)) return row;
    }
    return undefined;
  }
}
