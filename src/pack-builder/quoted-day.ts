/**
 * Reads what the quality check needs from a security's quotes: only the opening auction and the last block that begins
 * before 15:05, not the whole section.
 */
import type { Auction } from "../auction/rows.ts";
import { storedColumns } from "../datasets/dataset.ts";
import { quotes } from "../datasets/quotes.ts";
import { blockEnd, blockRows, type SectionEntry } from "../packs/layout.ts";
import type { DayTotals, QuoteSpan } from "../quality/security-rows.ts";
import { lastSnapshot, SUMMED_BEFORE } from "../quality/sums.ts";
import { readAuction } from "./auction-pack.ts";
import { contentsHash } from "./fingerprint.ts";
import type { PackFile } from "./pack-file.ts";
import { sectionRows } from "./verify/section-rows.ts";

interface QuotedDay {
  /** The last snapshot before 15:05; `null` when there is none. */
  lastSnapshot: DayTotals | null;
  span: QuoteSpan | null;
  /** The opening auction; absent when there are no snapshots. */
  auction?: Auction;
  /**
   * A hash of the rows before 15:05 in the last block that begins before 15:05. Equal hashes on two days indicate
   * the same rows. 0 when the security did not trade.
   */
  contents: number;
}

/** The result for a security without snapshots. */
const UNQUOTED: QuotedDay = { lastSnapshot: null, span: null, contents: 0 };

const TOTALS = new Set(["volume", "amount", "highE4", "lowE4"]);
const UNREAD = storedColumns(quotes).flatMap(({ key }) => (TOTALS.has(key) ? [] : [key]));

/** Reads a security's `QuotedDay` from its section of a quote pack. Throws `PackFormatError`. */
export async function readQuotedDay(pack: Pick<PackFile, "read">, entry: SectionEntry): Promise<QuotedDay> {
  const [first] = entry.blocks;
  if (first === undefined) return UNQUOTED;
  const auction = await readAuction(pack, entry);
  const span = { rows: entry.rows, first: first.t0, last: entry.lastTime };
  const number = entry.blocks.findLastIndex(({ t0 }) => t0 < SUMMED_BEFORE);
  const block = entry.blocks[number];
  if (block === undefined) return { ...UNQUOTED, auction, span };
  const bytes = await pack.read(entry.offset + block.offset, blockEnd(entry, number) - block.offset);
  const rows = blockRows(entry, number);
  const only = { ...entry, rows, length: bytes.length, footerLength: 0 };
  const part = { ...only, blocks: [{ ...block, offset: 0, firstRow: 0 }] };
  const totals = sectionRows(part, bytes, quotes, { unread: UNREAD, before: SUMMED_BEFORE });
  const last = lastSnapshot(totals);
  // The snapshots of a security that did not trade can be equal on two days.
  const contents = (last?.volume ?? 0) > 0 ? contentsHash.quotes(totals) : 0;
  return { lastSnapshot: last, span, auction, contents };
}
