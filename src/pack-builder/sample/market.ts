/** What the sample markets of both exchanges share: the hours, the order book, the tape of trades, and both auctions. */
import type { OrderColumns } from "../../orders/record.ts";
import { Book } from "./book.ts";
import type { CallMatch } from "./call-auction.ts";
import type { Random } from "./random.ts";
import { Tape, type TradeColumns } from "./tape.ts";

/** HHMMSSmmm. No order is withdrawn from `NO_CANCEL_FROM` to the end of the opening call, nor in the closing call. */
const [OPENING, CLOSE] = [92500000, 150000000];
export const [NO_CANCEL_FROM, CONTINUOUS, CLOSING_CALL] = [92000000, 93000000, 145700000];

/** A trade of the orders in the rows `buy` and `sell`. */
export interface Fill {
  price: number;
  buy: number;
  sell: number;
  volume: number;
}

export abstract class SampleMarket {
  readonly orders: OrderColumns;
  protected readonly random: Random;
  protected readonly book: Book;
  protected readonly tape = new Tape();
  private isOpened = false;

  constructor(orders: OrderColumns, random: Random) {
    this.orders = orders;
    this.random = random;
    this.book = new Book(orders);
  }

  /** Matches the closing auction and returns all trades. */
  end(): TradeColumns {
    this.openOnce();
    this.call(CLOSE);
    return this.tape.columns();
  }

  /** Matches the opening auction, unless it was matched. */
  protected openOnce(): void {
    if (this.isOpened) return;
    this.isOpened = true;
    this.call(OPENING);
  }

  /** Returns how the orders in the book match in an auction; null when they do not. */
  protected abstract matched(): CallMatch | null;

  /** Adds a fill to the tape, at least those of the auctions. */
  protected abstract addFill(time: number, fill: Fill): void;

  private call(time: number): void {
    const match = this.matched();
    for (const pair of match?.pairs ?? []) {
      this.addFill(time, { price: match?.priceE4 ?? 0, ...pair });
      this.book.take(pair.buy, pair.volume);
      this.book.take(pair.sell, pair.volume);
    }
  }
}
