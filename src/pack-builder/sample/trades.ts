/**
 * The trades of a sample security that fit its orders: every fill has its orders, and every cancel is for what is left
 * of its order. Order of events, as in real days: an order's row, then trades, then cancels of one millisecond.
 */
import type { CodeColumn, RowsOf } from "../../datasets/dataset.ts";
import type { trades } from "../../datasets/trades.ts";
import type { OrderColumns, Security } from "../../orders/record.ts";
import { BUY, orderVolume, SELL } from "./columns.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleOrders } from "./day.ts";
import { type Random, seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";

export type TradeColumns = RowsOf<typeof trades>;
type Side = typeof BUY | typeof SELL;

const OPENING = 92500000;
const CONTINUOUS = 93000000;
const CLOSING_CALL = 145700000;
const CLOSE = 150000000;
/** Shenzhen orders may not be withdrawn in the last minutes of either call. */
const NO_CANCEL_FROM = 92000000;
const CANCEL_SHARE = 0.22;
/** Aggressive Shanghai orders that are filled at once have no row. */
const WITHOUT_ROW_SHARE = 0.35;
/** Cancels take one of the youngest orders. */
const YOUNG_ORDERS = 64;
const [AUCTION, NONE] = ["N", ""];

/** The trades of every security of a sample day, by symbol: they fit the orders that `sampleSections` gives that day. */
export function* sampleTradeSections({
  tradedate,
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
}: SampleDay): Generator<Security & { columns: TradeColumns }> {
  for (const security of sampleSecurities(rows, seed)) {
    const { symbol, market } = security;
    const orders = sampleOrders(security, `${seed} ${tradedate}`);
    const random = seededRandom(`${seed} ${tradedate} trades ${symbol}.${market}`);
    yield { symbol, market, columns: sampleTrades(security, orders, random) };
  }
}

/** The trades of one security with these `orders`. */
export function sampleTrades(security: SampleSecurity, orders: OrderColumns, random: Random): TradeColumns {
  const session = new Session(security, orders, random);
  for (let row = 0; row < orders.rows; row++) session.order(row);
  session.end();
  return session.tape.columns();
}

/** Trades as they happen. */
class Tape {
  private readonly times: number[] = [];
  private readonly ids: number[] = [];
  private readonly prices: number[] = [];
  private readonly volumes: number[] = [];
  private readonly flags: string[] = [];
  private readonly codes: string[] = [];
  private readonly buys: number[] = [];
  private readonly sells: number[] = [];

  add(
    time: number,
    said: {
      id: number;
      price: number;
      volume: number;
      flag: string;
      code: string;
      buy: number;
      sell: number;
    },
  ): void {
    this.times.push(time);
    this.ids.push(said.id);
    this.prices.push(said.price);
    this.volumes.push(said.volume);
    this.flags.push(said.flag);
    this.codes.push(said.code);
    this.buys.push(said.buy);
    this.sells.push(said.sell);
  }

  columns(): TradeColumns {
    return {
      rows: this.times.length,
      time: Int32Array.from(this.times),
      tradeId: Float64Array.from(this.ids),
      priceE4: Float64Array.from(this.prices),
      volume: Float64Array.from(this.volumes),
      bsFlag: codeColumn(this.flags),
      tradeCode: codeColumn(this.codes),
      buyOrderId: Float64Array.from(this.buys),
      sellOrderId: Float64Array.from(this.sells),
      orderKind: codeColumn(this.times.map(() => NONE)),
    };
  }
}

function codeColumn(texts: readonly string[]): CodeColumn {
  const values = [...new Set(texts)];
  return { values, index: Uint16Array.from(texts, (text) => values.indexOf(text)) };
}

/** Rows of one side's orders, the best one first. */
class Book {
  private readonly heap: number[] = [];
  private readonly before: (a: number, b: number) => boolean;

  constructor({ priceE4 }: OrderColumns, side: Side) {
    const sign = side === BUY ? -1 : 1;
    this.before = (a, b) => {
      const difference = ((priceE4[a] ?? 0) - (priceE4[b] ?? 0)) * sign;
      return difference < 0 || (difference === 0 && a < b);
    };
  }

  best(): number | undefined {
    return this.heap[0];
  }

  add(row: number): void {
    const { heap } = this;
    let at = heap.push(row) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.isBefore(at, above); above = (at - 1) >> 1) {
      this.swap(at, above);
      at = above;
    }
  }

  removeBest(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      let next = 2 * at + 1;
      if (next + 1 < heap.length && this.isBefore(next + 1, next)) next += 1;
      if (next >= heap.length || !this.isBefore(next, at)) return;
      this.swap(at, next);
      at = next;
    }
  }

  private isBefore(a: number, b: number): boolean {
    return this.before(this.heap[a] ?? 0, this.heap[b] ?? 0);
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
  }
}

class Session {
  readonly tape = new Tape();
  private readonly orders: OrderColumns;
  private readonly isShanghai: boolean;
  private readonly lot: number;
  private readonly random: Random;
  private readonly bySide: [Book, Book];
  /** What trades may still take of each order. */
  private readonly left: Float64Array;
  /** Shanghai: the row of an order by its number. */
  private readonly rowOf = new Map<number, number>();
  private readonly young: number[] = [];
  private isOpened = false;
  private lastNumber = 0;
  private lastId = 0;

  constructor({ market, lot }: SampleSecurity, orders: OrderColumns, random: Random) {
    this.orders = orders;
    this.isShanghai = market === "SH";
    this.lot = lot;
    this.random = random;
    this.bySide = [new Book(orders, BUY), new Book(orders, SELL)];
    this.left = this.isShanghai ? this.withoutCancelled() : orders.volume.slice();
  }

  /** The order or cancel in `row`, and the trades that it brings. */
  order(row: number): void {
    const { orders, random } = this;
    const time = orders.time[row] ?? 0;
    if (time >= CONTINUOUS && !this.isOpened) this.open();
    const type = orders.orderType.values[orders.orderType.index[row] ?? 0];
    if (type === "S") return;
    if (this.isShanghai && type === "D") {
      this.beforeCancel(row);
      return;
    }
    const number = orders.exchangeOrderId[row] ?? 0;
    this.lastNumber = number;
    const isContinuous = time >= CONTINUOUS && time < CLOSING_CALL;
    if (isContinuous) this.match(row);
    if ((this.left[row] ?? 0) > 0) {
      this.bySide[this.side(row)].add(row);
      this.young.push(row);
      if (this.young.length > YOUNG_ORDERS) this.young.shift();
    }
    if (this.isShanghai && isContinuous && random.chance(WITHOUT_ROW_SHARE)) this.aggress(time);
    const mayCancel = isContinuous || time < NO_CANCEL_FROM;
    if (!this.isShanghai && mayCancel && random.chance(CANCEL_SHARE)) this.cancel(time);
  }

  end(): void {
    if (!this.isOpened) this.open();
    this.auction(CLOSE);
  }

  private open(): void {
    this.isOpened = true;
    this.auction(OPENING);
  }

  /** What is left for trades of each Shanghai order when its cancel has taken its part. */
  private withoutCancelled(): Float64Array {
    const { orderType, exchangeOrderId, volume, rows } = this.orders;
    const left = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      const type = orderType.values[orderType.index[row] ?? 0];
      const number = exchangeOrderId[row] ?? 0;
      if (type === "A") {
        this.rowOf.set(number, row);
        left[row] = volume[row] ?? 0;
      } else if (type === "D") {
        const ordered = this.rowOf.get(number) ?? -1;
        left[ordered] = (left[ordered] ?? 0) - (volume[row] ?? 0);
      }
    }
    return left;
  }

  private side(row: number): Side {
    return this.orders.orderCode.index[row] === BUY ? BUY : SELL;
  }

  private price(row: number): number {
    return this.orders.priceE4[row] ?? 0;
  }

  /** The best order of a side that trades may still take from. */
  private best(side: Side): number | undefined {
    const book = this.bySide[side];
    for (let row = book.best(); row !== undefined; row = book.best()) {
      if ((this.left[row] ?? 0) > 0) return row;
      book.removeBest();
    }
    return undefined;
  }

  /** Fills of the arriving order. In Shanghai its row is what is left behind them. */
  private match(row: number): void {
    const side = this.side(row);
    const time = this.orders.time[row] ?? 0;
    const number = this.orders.exchangeOrderId[row] ?? 0;
    for (;;) {
      const resting = this.best(side === BUY ? SELL : BUY);
      if (resting === undefined || (this.isShanghai ? false : (this.left[row] ?? 0) === 0)) return;
      const isCrossed =
        side === BUY ? this.price(resting) <= this.price(row) : this.price(resting) >= this.price(row);
      if (!isCrossed) return;
      const available = this.left[resting] ?? 0;
      const volume = this.isShanghai ? available : Math.min(available, this.left[row] ?? 0);
      if (!this.isShanghai) this.left[row] = (this.left[row] ?? 0) - volume;
      this.fill(time, { resting, number, volume });
    }
  }

  /** An aggressive Shanghai order that is filled at once. */
  private aggress(time: number): void {
    const number = this.lastNumber + 1;
    const resting = this.best(this.random.chance(0.5) ? BUY : SELL);
    if (this.rowOf.has(number) || resting === undefined) return;
    const volume = Math.min(this.left[resting] ?? 0, orderVolume(this.random, this.lot));
    this.fill(time, { resting, number, volume });
  }

  /** Takes from the order in `row`, before its cancel, what the cancel does not. */
  private beforeCancel(row: number): void {
    const resting = this.rowOf.get(this.orders.exchangeOrderId[row] ?? 0) ?? -1;
    const volume = this.left[resting] ?? 0;
    const time = this.orders.time[row] ?? 0;
    if (volume <= 0) return;
    const isCall = time < CONTINUOUS || time >= CLOSING_CALL;
    const rest = isCall ? this.pairOff(time, resting) : volume;
    if (rest <= 0) return;
    let number = this.lastNumber + 1;
    while (this.rowOf.has(number)) number += 1;
    this.fill(time, { resting, number, volume: rest });
  }

  /** Fills the order with those of the other side, as an auction does; returns what is left of it. */
  private pairOff(time: number, resting: number): number {
    const { left } = this;
    const side = this.side(resting);
    const numberOf = (row: number) => this.orders.exchangeOrderId[row] ?? 0;
    for (;;) {
      const other = this.best(side === BUY ? SELL : BUY);
      const rest = left[resting] ?? 0;
      if (rest === 0 || other === undefined) return rest;
      const volume = Math.min(rest, left[other] ?? 0);
      left[resting] = rest - volume;
      left[other] = (left[other] ?? 0) - volume;
      const [buy, sell] = side === BUY ? [resting, other] : [other, resting];
      const price = this.price(resting);
      this.trade(time, { price, volume, flag: AUCTION, buy: numberOf(buy), sell: numberOf(sell) });
    }
  }

  /** A trade of a resting order with the order that came as `number`. */
  private fill(
    time: number,
    { resting, number, volume }: { resting: number; number: number; volume: number },
  ): void {
    const isSeller = this.side(resting) === SELL;
    const own = this.orders.exchangeOrderId[resting] ?? 0;
    this.left[resting] = (this.left[resting] ?? 0) - volume;
    const flag = isSeller ? "B" : "S";
    const [buy, sell] = isSeller ? [number, own] : [own, number];
    this.trade(time, { price: this.price(resting), volume, flag, buy, sell });
  }

  /** All orders that cross, at one price: that of the last seller, which no earlier one is above. */
  private auction(time: number): void {
    const pairs: { buy: number; sell: number; volume: number }[] = [];
    let price = 0;
    for (;;) {
      const [buy, sell] = [this.best(BUY), this.best(SELL)];
      if (buy === undefined || sell === undefined || this.price(buy) < this.price(sell)) break;
      const volume = Math.min(this.left[buy] ?? 0, this.left[sell] ?? 0);
      this.left[buy] = (this.left[buy] ?? 0) - volume;
      this.left[sell] = (this.left[sell] ?? 0) - volume;
      price = this.price(sell);
      pairs.push({ buy, sell, volume });
    }
    const numberOf = (row: number) => this.orders.exchangeOrderId[row] ?? 0;
    for (const { buy, sell, volume } of pairs) {
      this.trade(time, { price, volume, flag: AUCTION, buy: numberOf(buy), sell: numberOf(sell) });
    }
  }

  /** The withdrawal of a young Shenzhen order. */
  private cancel(time: number): void {
    const { young, orders, random } = this;
    const [row] = young.splice(Math.floor(young.length * random.next()), 1);
    const volume = row === undefined ? 0 : (this.left[row] ?? 0);
    if (row === undefined || volume === 0) return;
    this.left[row] = 0;
    const number = orders.exchangeOrderId[row] ?? 0;
    const [buy, sell] = this.side(row) === BUY ? [number, 0] : [0, number];
    const id = this.nextId();
    this.tape.add(time, { id, price: 0, volume, flag: NONE, code: "C", buy, sell });
  }

  private trade(
    time: number,
    said: { price: number; volume: number; flag: string; buy: number; sell: number },
  ): void {
    this.tape.add(time, { id: this.nextId(), code: this.isShanghai ? NONE : "0", ...said });
  }

  /** Ascending; in Shenzhen, whose orders and trades share their numbers, above all orders so far. */
  private nextId(): number {
    this.lastId = Math.max(this.lastId, this.isShanghai ? 0 : this.lastNumber) + 1;
    return this.lastId;
  }
}
