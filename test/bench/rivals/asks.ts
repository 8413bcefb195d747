/** The tasks in which contestants return rows: pages of the measured security, and a time window. */
import { blockRows } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";
import { duckdbConnection } from "./duckdb.ts";
import { before, nineDigits, type RowsAsk } from "./rival.ts";

const PAGE_ROWS = 10_000;
/** Five minutes of ordinary trading. */
const WINDOW = { from: 100_000_000, until: 100_500_000 };

/**
 * Returns the first page, a page from the middle and the last whole page, as paging requests them, and a time window
 * that can begin anywhere inside a row group.
 */
export async function asksOf(day: BenchDay): Promise<RowsAsk[]> {
  const { entry } = day;
  const lastWhole = Math.max(
    0,
    entry.blocks.findLastIndex((_, number) => blockRows(entry, number) === PAGE_ROWS),
  );
  const pages: [string, number][] = [
    ["first page", 0],
    ["page in the middle", Math.floor(entry.blocks.length / 2)],
    ["last page", lastWhole],
  ];
  const asks = pages.map(([what, number]): RowsAsk => {
    const { firstRow, t0, k0 } = entry.blocks[number] ?? { firstRow: 0, t0: 0, k0: 0 };
    const endRow = Math.min(firstRow + PAGE_ROWS, entry.rows);
    return {
      what,
      symbol: entry.symbol,
      from: { time: t0, skip: k0 },
      endTime: null,
      limit: PAGE_ROWS,
      told: toldOf(day, firstRow, endRow),
    };
  });
  return [...asks, await windowOf(day)];
}

async function windowOf(day: BenchDay): Promise<RowsAsk> {
  const { from, until } = WINDOW;
  const duckdb = await duckdbConnection();
  const counted = await duckdb.runAndReadAll(`SELECT
      count(*) FILTER (time < '${nineDigits(from)}')::DOUBLE, count(*) FILTER (time < '${nineDigits(until)}')::DOUBLE
    FROM '${day.path}' WHERE symbol = '${day.entry.symbol}'`);
  duckdb.closeSync();
  const [startRow = 0, endRow = 0] = (counted.getRowsJS()[0] ?? []).map(Number);
  return {
    what: "five minutes",
    symbol: day.entry.symbol,
    from: { time: from, skip: 0 },
    endTime: until,
    limit: PAGE_ROWS,
    told: toldOf(day, startRow, endRow),
  };
}

/** Returns where rows `startRow` to `endRow` (exclusive) of the measured security are in the whole pack. */
function toldOf(day: BenchDay, startRow: number, endRow: number): RowsAsk["told"] {
  const { entry } = day;
  const held = entry.blocks.flatMap(({ firstRow }, number) =>
    firstRow < endRow && firstRow + blockRows(entry, number) > startRow ? [number] : [],
  );
  const { rows, rowGroups } = before(day, entry);
  return {
    startRow: rows + startRow,
    endRow: rows + endRow,
    rowGroups: held.map((number) => rowGroups + number),
    rowsBeforeGroups: rows + (entry.blocks[held[0] ?? 0]?.firstRow ?? 0),
  };
}
