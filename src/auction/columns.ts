/** What an auction pack is called. */
import type { BeijingDate } from "../calendar/beijing.ts";

/** Returns the file name of the auction pack of `tradedate` (contract 8.7). */
export function auctionPackName(tradedate: BeijingDate): string {
  return `${tradedate}_aucde.parquet`;
}
