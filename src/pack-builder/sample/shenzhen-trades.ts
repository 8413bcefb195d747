/**
 * Generates the trades of a sample Shenzhen security from its orders, whose rows contain the full volume. The trades
 * are the fills of continuous trading (by price, then time), the fills of both auctions, and cancels. A cancel removes
 * the whole remaining volume of an order.
 */
import type { OrderColumns } from "../../orders/record.ts";
import type { Call } from "./call-auction.ts";
import { BUY } from "./columns.ts";
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

const CANCEL_SHARE = 0.22;
/** The number of the newest resting orders, one of which a cancel selects. */
const YOUNG_ORDERS = 64;
const LIMIT = "0";

/** Returns the trades of one security with these `orders`, and its snapshots if `hasQuotes` is true. */
export function shenzhenTrades(
  security: SampleSecurity,
  orders: OrderColumns,
  random: Random,
  { hasQuotes = false } = {},
) {
  const session = new Session({ security, orders, random, hasQuotes });
  for (let row = 0; row < orders.rows; row++) session.order(row);
  return session.end();
}

class Session extends SampleMarket {
  private readonly young: number[] = [];
  private last: number;
  private lastNumber = 0;
  private lastId = 0;

  constructor(start: MarketStart) {
    super(start);
    this.last = start.security.priceE4;
  }

  /** Adds the order in `row` and the trades it causes. */
  order(row: number): void {
    const { orders, random, book } = this;
    const time = orders.time[row] ?? 0;
    this.reach(time);
    const isContinuous = time >= CONTINUOUS && time < CLOSING_CALL;
    // An auction accepts limit orders only.
    if (!isContinuous && !this.isLimit(row)) return;
    this.lastNumber = orders.exchangeOrderId[row] ?? 0;
    const rest = isContinuous ? this.match(time, row) : (orders.volume[row] ?? 0);
    if (rest > 0) {
      book.add(row, rest);
      this.young.push(row);
      if (this.young.length > YOUNG_ORDERS) this.young.shift();
    }
    const mayCancel = isContinuous || time < NO_CANCEL_FROM;
    if (mayCancel && random.chance(CANCEL_SHARE)) this.cancel(time);
  }

  private isLimit(row: number): boolean {
    const { orderType } = this.orders;
    return orderType.values[orderType.index[row] ?? 0] === LIMIT;
  }

  /** Matches the arriving order with orders of the other side, the best price first. Returns its unfilled quantity. */
  private match(time: number, row: number): number {
    const { orders, book } = this;
    const side = book.side(row);
    let rest = orders.volume[row] ?? 0;
    while (rest > 0) {
      const resting = book.crossed(side, orders.priceE4[row] ?? 0);
      if (resting === undefined) return rest;
      const volume = Math.min(rest, book.left[resting] ?? 0);
      const [buy, sell] = side === BUY ? [row, resting] : [resting, row];
      this.addFill(time, { price: orders.priceE4[resting] ?? 0, buy, sell, volume });
      book.take(resting, volume);
      rest -= volume;
    }
    return 0;
  }

  protected call(): Call {
    const orders = this.book.forCall((row) => this.isLimit(row));
    return { orders, tickE4: this.security.tickE4, lastE4: this.last };
  }

  protected addFill(time: number, said: Fill): void {
    const { exchangeOrderId } = this.orders;
    this.last = said.price;
    this.addTrade({
      time,
      id: this.nextId(),
      flag: "",
      code: "0",
      price: said.price,
      volume: said.volume,
      buy: exchangeOrderId[said.buy] ?? 0,
      sell: exchangeOrderId[said.sell] ?? 0,
    });
  }

  /** Selects a recent order and, if it has a remainder, adds its cancel. */
  private cancel(time: number): void {
    const { young, orders, random, book } = this;
    const [row] = young.splice(Math.floor(young.length * random.next()), 1);
    const volume = row === undefined ? 0 : book.remove(row);
    if (row === undefined || volume === 0) return;
    const number = orders.exchangeOrderId[row] ?? 0;
    const [buy, sell] = book.side(row) === BUY ? [number, 0] : [0, number];
    this.tape.push({ time, id: this.nextId(), price: 0, volume, flag: "", code: "C", buy, sell });
  }

  /**
   * Returns the next trade number. Orders and trades share one ascending sequence, so it is above the numbers of all
   * orders so far.
   */
  private nextId(): number {
    this.lastId = Math.max(this.lastId, this.lastNumber) + 1;
    return this.lastId;
  }
}
