/** Computes the maximum memory of an answer before anything is read. */
import { type Column, columnNamed, type Dataset } from "../datasets/dataset.ts";
import { type PageAsk, planPage } from "../orders/query/page-plan.ts";
import { blockEnd, blockRows, type SectionEntry } from "./layout.ts";
import { PIECE_BYTES } from "./parquet-answer.ts";

/** Bytes of the envelope around the rows, including its cursor. */
const ENVELOPE_BYTES = 2_000;

/** The bytes of two brackets and a comma. */
const ROW_BYTES = 3;

/**
 * By kind of column, the maximum bytes of a value in JSON, including quotation marks and the following comma. Codes
 * have at most six characters.
 */
const VALUE_BYTES: Readonly<Record<Column["kind"], number>> = {
  symbol: 9,
  tradedate: 11,
  time: 12,
  code: 9,
  integer: 17,
  price: 19,
  yuan: 25,
  amount: 25,
};

/**
 * Returns the maximum bytes in memory for the page `ask` of `entry` with these `fields` of `dataset`. Counts the range
 * read from the pack, and the page's JSON as if every value had its maximum length. For a page without blocks, only the
 * envelope counts.
 */
export function pageBytes(
  entry: SectionEntry,
  ask: PageAsk,
  fields: readonly string[],
  dataset: Dataset,
): number {
  const { firstBlock, endBlock } = planPage(entry, ask);
  if (firstBlock === endBlock) return ENVELOPE_BYTES;
  const rangeBytes = blockEnd(entry, endBlock - 1) - (entry.blocks[firstBlock]?.offset ?? 0);
  let rows = 0;
  for (let number = firstBlock; number < endBlock; number++) rows += blockRows(entry, number);
  const rowBytes = fields.reduce(
    (sum, field) => sum + VALUE_BYTES[columnNamed(dataset, field).kind],
    ROW_BYTES,
  );
  return ENVELOPE_BYTES + rangeBytes + Math.min(rows, ask.pageSize) * rowBytes;
}

/**
 * How many pieces of a file are in memory: one being filled by the store, one being checked, and one being read by the
 * client.
 */
const PIECES = 3;

/**
 * Returns the maximum bytes in memory for the Parquet answer of `entry`. Counts the pieces in transit. Also counts the
 * chunk table, the largest block and a footer, although only an answer with chosen columns holds them.
 */
export function fileBytes(entry: SectionEntry): number {
  const blocks = entry.blocks.map(({ offset }, number) => blockEnd(entry, number) - offset);
  const head = entry.blocks[0]?.offset ?? 0;
  return PIECES * PIECE_BYTES + Math.max(0, ...blocks) + head + entry.footerLength;
}
