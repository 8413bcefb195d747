/** The rows of a security's auction pack against what its orders give at their times. */
import type { AuctionRow } from "../auction/rows.ts";
import { surplus } from "../auction/rows.ts";
import type { Market } from "../orders/record.ts";
import { type AuctionMatch, shenzhenPrice } from "./auction.ts";
import { CallBook } from "./call-book.ts";
import { type SecurityDay, sinceMidnightMs } from "./security-rows.ts";
import { FaultCounter, type FaultPlace, notProvable, type Verdict } from "./verdict.ts";

export interface AuctionRowCounts {
  /** Rows of the auction pack that were compared with the orders. */
  auctionRows: number;
  /** Those that the orders give. */
  auctionRowsFound: number;
}

/** A snapshot shows the book of some instant around its time: so much earlier, or so much later. */
const [EARLIER_MS, LATER_MS] = [5_000, 1_000];

/**
 * Checks that the quotes of the auction are calls and a result, that some book of 5 s before to 1 s after each call
 * gives its price, match, remainder and side, and that the book at the end gives the result.
 */
export function checkAuctionRows(day: SecurityDay): { verdict: Verdict; counts: AuctionRowCounts } {
  const { auction, orders, trades, market } = day;
  const counts: AuctionRowCounts = { auctionRows: 0, auctionRowsFound: 0 };
  if (auction === undefined) return { verdict: notProvable("no_quotes"), counts };
  const faults = new FaultCounter();
  for (const { kind, row, time } of auction.defects) faults.add(kind, { dataset: "quotes", row, time });
  if (orders === null || orders.rows === 0)
    return { verdict: faults.verdict(notProvable("no_orders")), counts };
  // Shenzhen's cancels are trades.
  if (market === "SZ" && trades === null)
    return { verdict: faults.verdict(notProvable("no_trades")), counts };
  const book = new CallBook(day, orders, trades);
  if (book.hasUnpriced) return { verdict: faults.verdict(notProvable("market_orders")), counts };
  const last = auction.rows.at(-1);
  // Only Shenzhen's choice among tied prices is not measured.
  const tied = new FaultCounter();
  for (const row of auction.rows) {
    const agreement = row.isResult ? ofResult(book, row, market) : ofCall(book, row, market);
    counts.auctionRows += 1;
    if (agreement === "agrees") counts.auctionRowsFound += 1;
    else {
      const found = agreement === "tied" ? tied : faults;
      found.add(row.isResult ? "auction_result" : "auction_row", placeOf(row));
    }
  }
  if (!last?.isResult && finalMatch(book) !== null) faults.add("auction_missing");
  if (auction.rows.length === 0) return { verdict: faults.verdict(notProvable("too_few_rows")), counts };
  const verdict = tied.verdict();
  const otherwise = verdict.verdict === "failed" ? notProvable("unmeasured_market", verdict.faults) : verdict;
  return { verdict: faults.verdict(otherwise), counts };
}

/** `tied`: all but the choice among prices that match as much and leave as little. */
type Agreement = "agrees" | "tied" | "differs";

/** Compares the row with every book around its time. Events before them stay applied for the rows that follow. */
function ofCall(book: CallBook, row: AuctionRow, market: Market): Agreement {
  const atMs = sinceMidnightMs(row.time);
  while (book.step(atMs - EARLIER_MS) !== null);
  const { priceE4 } = row;
  let { buys, sells } = book.meeting(priceE4);
  let best = agreementWith(book, row, { buys, sells, market });
  let steps = 0;
  while (best !== "agrees") {
    const event = book.step(atMs + LATER_MS);
    if (event === null) break;
    steps += 1;
    if (event.isBuy && event.priceE4 >= priceE4) buys += event.shares;
    if (!event.isBuy && event.priceE4 <= priceE4) sells += event.shares;
    const now = agreementWith(book, row, { buys, sells, market });
    if (now !== "differs") best = now;
  }
  book.undo(steps);
  return best;
}

/** The result shows the remainder only where the book has it at the price. */
function ofResult(book: CallBook, row: AuctionRow, market: Market): Agreement {
  finish(book);
  const { buys, sells } = book.meeting(row.priceE4);
  const there = book.at(row.priceE4);
  const left = buys > sells ? Math.min(buys - sells, there.buys) : -Math.min(sells - buys, there.sells);
  const { unmatched, side } = surplus(left);
  if (row.unmatched !== unmatched || row.side !== side) return "differs";
  return agreementWith(book, { ...row, ...surplus(buys - sells) }, { buys, sells, market });
}

function finish(book: CallBook): void {
  while (book.step(Number.POSITIVE_INFINITY) !== null);
}

function finalMatch(book: CallBook): AuctionMatch | null {
  finish(book);
  return book.match();
}

/** Compares a row with the book as it stands; `buys` and `sells` are what meets at the row's price. */
function agreementWith(
  book: CallBook,
  { priceE4, preCloseE4, volume, unmatched, side }: AuctionRow,
  { buys, sells, market }: { buys: number; sells: number; market: Market },
): Agreement {
  if (volume === 0) return book.match() === null ? "agrees" : "differs";
  const left = surplus(buys - sells);
  // The cheap comparison first: a whole match reads every price.
  if (Math.min(buys, sells) !== volume || left.unmatched !== unmatched || left.side !== side)
    return "differs";
  const match = book.match();
  if (match?.matched !== volume) return "differs";
  const chosen = market === "SH" ? match.priceE4 : shenzhenPrice(match, preCloseE4);
  if (chosen === priceE4) return "agrees";
  const isTied = market === "SZ" && priceE4 >= match.low && priceE4 <= match.high;
  return isTied ? "tied" : "differs";
}

function placeOf(row: AuctionRow): FaultPlace {
  return { dataset: "quotes", row: row.row, time: row.time };
}
