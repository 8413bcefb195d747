/**
 * Generates sample days: synthetic orders that resemble real ones, and trades and quotes that fit them. The same seed,
 * date and size give the same rows on every machine. The distributions of orders were measured in order files of both
 * exchanges. Every fill names its orders, and every cancel removes all that remains of its order. Within a millisecond,
 * events have the order of real days: orders, then trades, then cancels. Quotes are snapshots of the resulting book.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { OrderColumns, Security } from "../../orders/record.ts";
import { seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { shanghaiDay } from "./shanghai.ts";
import { shenzhenOrders } from "./shenzhen.ts";
import { shenzhenTrades } from "./shenzhen-trades.ts";

export const DEFAULT_SEED = "edgetape";
/** The default number of orders in a sample day. About 29,000 of them belong to the security 300750. */
export const DEFAULT_ROWS = 120_000;

export interface SampleSection extends Security {
  /** The security's orders; `columns.rows` is 0 for the halted security. */
  columns: OrderColumns;
}

export interface SampleDay {
  tradedate: BeijingDate;
  /** The number of orders of the whole day, at least 1. */
  rows?: number;
  seed?: string;
  /** The number of securities, at least the 20 that every sample day has; `sampleSecurities` gives the default. */
  securities?: number;
}

/** Yields the sections of a sample day sorted by symbol, so that memory holds one security at a time. */
export function* sampleSections({
  tradedate,
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
  securities,
}: SampleDay): Generator<SampleSection> {
  for (const security of sampleSecurities(rows, seed, securities)) {
    const { symbol, market } = security;
    yield { symbol, market, columns: sampleOrders(security, `${seed} ${tradedate}`) };
  }
}

/**
 * Yields the rows of every security of a sample day, sorted by symbol. The orders are the same as from
 * `sampleSections`. `hasQuotes: false` leaves out the quotes, which take the most time.
 */
export function* sampleDatasets(
  { tradedate, rows = DEFAULT_ROWS, seed = DEFAULT_SEED, securities }: SampleDay,
  { hasQuotes = true } = {},
) {
  for (const security of sampleSecurities(rows, seed, securities)) {
    const { symbol, market } = security;
    yield { symbol, market, ...sampleRows(security, `${seed} ${tradedate}`, hasQuotes) };
  }
}

/** Returns the orders of one sample security. `seed` includes the date. */
function sampleOrders(security: SampleSecurity, seed: string): OrderColumns {
  const random = seededRandom(`${seed} ${security.symbol}.${security.market}`);
  return security.market === "SH" ? shanghaiDay(security, random).orders : shenzhenOrders(security, random);
}

/** Returns the orders, trades and quotes of one sample security. `seed` includes the date. */
function sampleRows(security: SampleSecurity, seed: string, hasQuotes: boolean) {
  const code = `${security.symbol}.${security.market}`;
  if (security.market === "SH") return shanghaiDay(security, seededRandom(`${seed} ${code}`), { hasQuotes });
  const orders = sampleOrders(security, seed);
  const random = seededRandom(`${seed} trades ${code}`);
  return { orders, ...shenzhenTrades(security, orders, random, { hasQuotes }) };
}
