/**
 * Writes a security with more snapshots than a real day has, so that pages of 10,000 rows begin and end inside its day.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type RowsOf, storedColumns } from "../../src/datasets/dataset.ts";
import { quotes } from "../../src/datasets/quotes.ts";
import { packName } from "../../src/pack-builder/pack-file.ts";
import { type SampleDay, sampleDatasets } from "../../src/pack-builder/sample/day.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";

type QuoteColumns = RowsOf<typeof quotes>;

/**
 * The number of copies of each snapshot. Without copies one page would hold the whole day: a security that trades
 * without pause has about 5,000 snapshots a day.
 */
const COPIES = 7;

/**
 * Writes a pack that repeats the sample day's snapshots of `symbol` seven times, each time with different numbers.
 * Returns the path of the pack.
 */
export async function writeDenseQuotes(day: SampleDay, folder: string, symbol: string): Promise<string> {
  for (const security of sampleDatasets(day)) {
    if (security.symbol !== symbol) continue;
    const section = { symbol, market: security.market, columns: dense(security.quotes) };
    const path = join(folder, packName("quotes", day.tradedate));
    await writeFile(path, await buildPackBytes(day.tradedate, [section], undefined, "quotes"));
    return path;
  }
  throw new Error(`the sample day has no ${symbol}`);
}

/**
 * Returns the copies of all rows of `source`, spread over the times of the day. Numbers other than 0 differ in each
 * copy.
 */
function dense(source: QuoteColumns): QuoteColumns {
  const rows = source.rows * COPIES;
  const columns = storedColumns(quotes).map(({ key, kind }) => {
    const numbers = source[key as keyof Omit<QuoteColumns, "rows" | "time">];
    const step = kind === "price" ? 1_300 : kind === "yuan" ? 1_000_000.01 : 100;
    const numberOf = (_: unknown, row: number) => {
      const number = numbers[row % source.rows] ?? 0;
      return number === 0 ? 0 : number + Math.floor(row / source.rows) * step;
    };
    return [key, Float64Array.from({ length: rows }, numberOf)];
  });
  const time = Int32Array.from({ length: rows }, (_, row) => source.time[Math.floor(row / COPIES)] ?? 0);
  return { rows, time, ...Object.fromEntries(columns) };
}
