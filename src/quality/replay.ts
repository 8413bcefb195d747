/** What a replay of a security's orders and trades finds; `shanghai.ts` and `shenzhen.ts` do the replaying. */
import type { AuctionCheck } from "./auction-check.ts";
import { FaultCounter, type FaultPlace, notProvable, type Verdict } from "./verdict.ts";

export interface Replay {
  matching: FaultCounter;
  counts: ReplayCounts;
  priority: Priority;
  opening: AuctionCheck;
  closing: AuctionCheck;
}

export interface ReplayCounts {
  cancels: number;
  /** Cancels of a live order with its side, its price and all that is left of it. */
  cancelsExact: number;
  /** Trades outside the auctions; with both orders in Shenzhen. */
  fills: number;
  /** Fills whose resting order (Shenzhen: both orders) is live, large enough and of the right price. */
  fillsFound: number;
}

/** HHMMSSmmm. */
export const [OPENING_CALL, CONTINUOUS, CLOSING_CALL] = [91500000, 93000000, 145700000] as const;

/** A share of fills that are not those of the best order, as times in milliseconds leave a few. */
const MOST_PASSED_OVER = 0.02;
const LEAST_FILLS = 500;

/** Counts the fills of an order that was not the first by price, then time. */
export class Priority {
  judged = 0;
  passedOver = 0;
  private first: FaultPlace | null = null;

  add(isBest: boolean, place: () => FaultPlace): void {
    this.judged += 1;
    if (isBest) return;
    this.passedOver += 1;
    this.first ??= place();
  }

  /** Returns `failed` when more than 2 % of at least 500 fills passed over a better order. */
  verdict(): Verdict {
    if (this.judged < LEAST_FILLS) return notProvable("too_few_rows");
    const faults = new FaultCounter();
    if (this.passedOver > this.judged * MOST_PASSED_OVER) faults.add("priority", this.first, this.passedOver);
    return faults.verdict();
  }
}
