/** Compares the auction rows of a security with the order book at the time of each row. */
import { type AuctionRow, surplus } from "../auction/rows.ts";
import { isShenzhenChoice } from "./auction.ts";
import { CallBook } from "./call-book.ts";
import { type SecurityDay, sinceMidnightMs } from "./security-rows.ts";
import type { QualitySheet, Verdict } from "./sheet.ts";
import { FaultCounter, notProvable, PASSED, type Unprovable, unproven } from "./verdict.ts";

type RowCounts = Pick<QualitySheet["counts"], "auctionRows" | "auctionRowsFound">;

/** A snapshot may show the order book as it was up to 5 s before or 1 s after the snapshot's time. */
const [EARLIER_MS, LATER_MS] = [5_000, 1_000];

/**
 * Checks the quotes of the opening auction. Each must be a virtual match or the result. The orders must yield the same
 * price, matched volume, unmatched volume and side: for a virtual match, at some time from 5 s before it to 1 s after
 * it; for the result, at the end of the auction.
 */
export function checkAuctionRows(day: SecurityDay): { verdict: Verdict; counts: RowCounts } {
  const { auction, orders, trades, market } = day;
  const counts: RowCounts = { auctionRows: 0, auctionRowsFound: 0 };
  if (auction === undefined) return { verdict: notProvable("no_quotes"), counts };
  const defects = new FaultCounter();
  for (const { kind, row, time } of auction.defects) defects.add(kind, { dataset: "quotes", row, time });
  const without = (reason: Unprovable) => ({ verdict: defects.verdict(notProvable(reason)), counts });
  if (orders === null || orders.rows === 0) return without("no_orders");
  // Shenzhen's cancels are among the trades.
  if (market === "SZ" && trades === null) return without("no_trades");
  const book = new CallBook(day, orders, trades);
  const [differing, tied] = [new FaultCounter(), new FaultCounter()];
  for (const row of auction.rows) {
    const agreement = row.isResult ? ofResult(book, row) : ofCall(book, row);
    counts.auctionRows += 1;
    if (agreement === "agrees") counts.auctionRowsFound += 1;
    else {
      const found = agreement === "tied" ? tied : differing;
      const place = { dataset: "quotes" as const, row: row.row, time: row.time };
      found.add(row.isResult ? "auction_result" : "auction_row", place);
    }
  }
  finish(book);
  if (!auction.rows.at(-1)?.isResult && book.match() !== null) differing.add("auction_missing");
  const compared = auction.rows.length === 0 ? notProvable("too_few_rows") : PASSED;
  // Real data does not show whether market orders take part in the match, or which tied price Shenzhen chooses.
  const choice = unproven(tied.verdict(compared), "unmeasured_market");
  const verdict = differing.verdict(choice);
  return {
    verdict: defects.verdict(book.hasUnpriced ? unproven(verdict, "market_orders") : verdict),
    counts,
  };
}

/** `tied`: the row agrees except for the choice among tied prices. */
type Agreement = "agrees" | "tied" | "differs";

/**
 * Compares the row with each order book from 5 s before to 1 s after the row's time, until one agrees. Then resets
 * `book` to the first of these order books, because the next row's range can begin there.
 */
function ofCall(book: CallBook, row: AuctionRow): Agreement {
  const atMs = sinceMidnightMs(row.time);
  while (book.step(atMs - EARLIER_MS) !== null);
  const { priceE4 } = row;
  let { buys, sells } = book.meeting(priceE4);
  let best = agreementWith(book, row, { buys, sells });
  let steps = 0;
  while (best !== "agrees") {
    const event = book.step(atMs + LATER_MS);
    if (event === null) break;
    steps += 1;
    if (event.isBuy && event.level.price >= priceE4) buys += event.shares;
    if (!event.isBuy && event.level.price <= priceE4) sells += event.shares;
    const now = agreementWith(book, row, { buys, sells });
    if (now !== "differs") best = now;
  }
  book.undo(steps);
  return best;
}

/**
 * Compares the result with the final book. The unmatched volume of the result counts only orders at the auction price;
 * the unmatched volume of a virtual match also counts orders at better prices.
 */
function ofResult(book: CallBook, row: AuctionRow): Agreement {
  finish(book);
  const { buys, sells } = book.meeting(row.priceE4);
  const there = book.at(row.priceE4);
  const left = buys > sells ? Math.min(buys - sells, there.buys) : -Math.min(sells - buys, there.sells);
  const { unmatched, side } = surplus(left);
  if (row.unmatched !== unmatched || row.side !== side) return "differs";
  return agreementWith(book, { ...row, ...surplus(buys - sells) }, { buys, sells });
}

function finish(book: CallBook): void {
  while (book.step(Number.POSITIVE_INFINITY) !== null);
}

/**
 * Compares a row with the current book. `buys` is the quantity bid at the row's price or above, `sells` the quantity
 * asked at the row's price or below, in shares.
 */
function agreementWith(
  book: CallBook,
  { priceE4, preCloseE4, volume, unmatched, side }: AuctionRow,
  { buys, sells }: { buys: number; sells: number },
): Agreement {
  if (volume === 0) return book.match() === null ? "agrees" : "differs";
  const left = surplus(buys - sells);
  // The cheap comparison comes first, because a whole match reads every price.
  if (Math.min(buys, sells) !== volume || left.unmatched !== unmatched || left.side !== side)
    return "differs";
  const match = book.match();
  if (match?.matched !== volume) return "differs";
  const isShanghai = book.market === "SH";
  const isChosen = isShanghai
    ? match.priceE4 === priceE4
    : isShenzhenChoice(priceE4, match, { levels: book.levels, lastE4: preCloseE4 });
  if (isChosen) return "agrees";
  const isTied = !isShanghai && priceE4 >= match.low && priceE4 <= match.high;
  return isTied ? "tied" : "differs";
}
