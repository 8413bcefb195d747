/** Chooses the securities of a sample day and the number of orders of each. */
import type { Market, Security } from "../../orders/record.ts";
import { seededRandom } from "./random.ts";

export interface SampleSecurity extends Security {
  rows: number;
  /** Reference price, yuan × 10000. */
  priceE4: number;
  /** Price step, yuan × 10000: 100 for stocks, 10 for funds and bonds. */
  tickE4: number;
  /** Volumes are multiples of the lot, except for a few odd lots. */
  lot: number;
}

type Kind = "stock" | "fund" | "bond";

/**
 * Symbol, market, kind, price in yuan, and number of orders relative to a median Shenzhen stock. 603000 is halted and
 * has no orders.
 */
const NAMED: readonly [string, Market, Kind, number, number][] = [
  ["000001", "SZ", "stock", 11.42, 5],
  ["000333", "SZ", "stock", 74.6, 3],
  ["000651", "SZ", "stock", 42.15, 2.2],
  ["000858", "SZ", "stock", 132.8, 4],
  ["002415", "SZ", "stock", 31.07, 1.8],
  ["002594", "SZ", "stock", 108.35, 5],
  ["113050", "SH", "bond", 124.316, 0.25],
  ["123107", "SZ", "bond", 131.82, 0.4],
  ["159915", "SZ", "fund", 2.318, 2.5],
  ["300059", "SZ", "stock", 24.9, 6],
  ["300750", "SZ", "stock", 268.5, 17.4],
  ["510300", "SH", "fund", 4.127, 3],
  ["600000", "SH", "stock", 10.58, 1.2],
  ["600036", "SH", "stock", 43.2, 3],
  ["600519", "SH", "stock", 1468.88, 7],
  ["600536", "SH", "stock", 51.34, 1.6],
  ["601318", "SH", "stock", 54.71, 4],
  ["601398", "SH", "stock", 7.36, 1.5],
  ["603000", "SH", "stock", 20.16, 0],
  ["688981", "SH", "stock", 92.05, 2.5],
];

/** The code ranges of generated securities: prefix, market, kind. They are used in rotation, one security at a time. */
const RANGES: readonly [string, Market, Kind][] = [
  ["60", "SH", "stock"],
  ["00", "SZ", "stock"],
  ["30", "SZ", "stock"],
  ["11", "SH", "bond"],
  ["15", "SZ", "fund"],
  ["68", "SH", "stock"],
  ["51", "SH", "fund"],
  ["12", "SZ", "bond"],
];

/** The number of securities of a full day. */
export const FULL_MARKET = 7_800;
/** The mean number of orders of a security on a full day (130 million orders, 7,800 securities). */
const MEAN_ROWS = 16_667;

/**
 * Returns the securities of a day with exactly `rows` orders, sorted by symbol. They are the 20 named securities and,
 * on larger days, generated securities of both exchanges, `count` in total. By default, `count` makes each security as
 * large as on a real day. The order counts of generated securities are distributed as on a real day (log-normal,
 * quartiles 0.57 and 1.75 of the median).
 */
export function sampleSecurities(
  rows: number,
  seed: string,
  count = Math.min(FULL_MARKET, Math.round(rows / MEAN_ROWS)),
): SampleSecurity[] {
  const random = seededRandom(`${seed} securities`);
  const weighted = NAMED.map(([symbol, market, kind, yuan, weight]) => ({
    ...security(symbol, market, kind, yuan),
    weight,
  }));
  const taken = new Set(NAMED.map(([symbol]) => symbol));
  for (let number = 0; weighted.length < count; number++) {
    const [prefix, market, kind] = RANGES[number % RANGES.length] ?? ["60", "SH", "stock"];
    const symbol = `${prefix}${String(Math.floor(number / RANGES.length) * 7 + 11).padStart(4, "0")}`;
    if (taken.has(symbol)) continue;
    const normal = Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());
    const weight = Math.min(17.4, Math.max(0.0152, Math.exp(0.83 * normal)));
    const yuan =
      kind === "stock" ? 4 + 60 * random.next() ** 2 : kind === "fund" ? 0.6 + 4 * random.next() : 118;
    weighted.push({ ...security(symbol, market, kind, yuan), weight });
  }
  weighted.sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  return shareOut(rows, weighted);
}

function security(symbol: string, market: Market, kind: Kind, yuan: number): SampleSecurity {
  const tickE4 = kind === "stock" ? 100 : 10;
  const priceE4 = Math.round((yuan * 10_000) / tickE4) * tickE4;
  return { symbol, market, rows: 0, priceE4, tickE4, lot: kind === "bond" ? 10 : 100 };
}

/** Splits `rows` by weight; the security with the largest weight gets what remains after rounding. */
function shareOut(rows: number, weighted: (SampleSecurity & { weight: number })[]): SampleSecurity[] {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const shared = weighted.map(({ weight, ...rest }) => ({
    ...rest,
    rows: Math.floor((rows * weight) / total),
  }));
  const left = rows - shared.reduce((sum, entry) => sum + entry.rows, 0);
  const heaviest = shared.reduce((best, entry) => (entry.rows > best.rows ? entry : best));
  heaviest.rows += left;
  return shared;
}
