/** The common part of both exchanges' sample markets: hours, order book, tape of trades, and both auctions. */
import type { OrderColumns } from "../../orders/record.ts";
import { Book } from "./book.ts";
import { type Call, type CallPair, callPairs, callPrice } from "./call-auction.ts";
import type { Random } from "./random.ts";
import type { SampleSecurity } from "./securities.ts";
import { quoteColumns, SnapshotRecorder } from "./snapshots.ts";
import { type TapeRow, tradeColumns } from "./tape.ts";

/** The times of the opening auction and of the closing auction, HHMMSSmmm. */
const [OPENING, CLOSE] = [92500000, 150000000];
/**
 * HHMMSSmmm. Orders cannot be cancelled from `NO_CANCEL_FROM` to the end of the opening call, nor in the closing call.
 */
export const [NO_CANCEL_FROM, CONTINUOUS, CLOSING_CALL] = [92000000, 93000000, 145700000];

/** A trade of the orders in the rows `buy` and `sell`. */
export interface Fill extends CallPair {
  price: number;
}

/** The inputs of a sample market. */
export interface MarketStart {
  security: SampleSecurity;
  orders: OrderColumns;
  random: Random;
  /** Whether snapshots are made. */
  hasQuotes: boolean;
}

export abstract class SampleMarket {
  readonly orders: OrderColumns;
  protected readonly security: SampleSecurity;
  protected readonly random: Random;
  protected readonly book: Book;
  protected readonly tape: TapeRow[] = [];
  private readonly recorder: SnapshotRecorder | null;
  private isOpened = false;

  constructor({ security, orders, random, hasQuotes }: MarketStart) {
    this.security = security;
    this.orders = orders;
    this.random = random;
    this.book = new Book(orders, { hasLevels: hasQuotes });
    const { levels } = this.book;
    const virtualMatch = () => callPrice(this.call());
    this.recorder = levels === null ? null : new SnapshotRecorder(levels, security.priceE4, virtualMatch);
  }

  /** Matches the closing auction and returns all trades and snapshots. Without `hasQuotes`, there are no snapshots. */
  end() {
    this.reach(CLOSE);
    this.endCall(CLOSE);
    this.recorder?.take(CLOSE);
    return { trades: tradeColumns(this.tape), quotes: quoteColumns(this.recorder?.snapshots ?? []) };
  }

  /**
   * Advances to `time`: matches the opening auction if it has ended, and adds the snapshots that are due before `time`.
   */
  protected reach(time: number): void {
    if (time >= CONTINUOUS && !this.isOpened) {
      this.isOpened = true;
      this.recorder?.takeBefore(OPENING);
      this.endCall(OPENING);
      this.recorder?.take(OPENING);
    }
    this.recorder?.takeBefore(time);
  }

  /** Adds a fill to the tape. */
  protected addTrade(row: TapeRow): void {
    this.tape.push(row);
    this.recorder?.traded(row.price, row.volume);
  }

  /** Returns the orders that an auction would match now, and the exchange's rule for tied prices. */
  protected abstract call(): Call;

  /** Adds a fill of an auction to the tape. */
  protected abstract addFill(time: number, fill: Fill): void;

  private endCall(time: number): void {
    const call = this.call();
    const match = callPrice(call);
    if (match === null) return;
    for (const pair of callPairs(call.orders, match.priceE4)) {
      this.addFill(time, { price: match.priceE4, ...pair });
      this.book.take(pair.buy, pair.volume);
      this.book.take(pair.sell, pair.volume);
    }
  }
}
