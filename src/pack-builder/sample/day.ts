/**
 * Generates sample days: synthetic orders that resemble real ones. The same seed, date and size give the same orders on
 * every machine. Their distributions were measured in order files of both exchanges.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { OrderColumns, Security } from "../../orders/record.ts";
import { seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { shanghaiDay } from "./shanghai.ts";
import { shenzhenOrders } from "./shenzhen.ts";

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
}

/** Yields the sections of a sample day sorted by symbol, so that memory holds one security at a time. */
export function* sampleSections({
  tradedate,
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
}: SampleDay): Generator<SampleSection> {
  for (const security of sampleSecurities(rows, seed)) {
    const { symbol, market } = security;
    yield { symbol, market, columns: sampleOrders(security, `${seed} ${tradedate}`) };
  }
}

/** Returns the orders of one sample security. `seed` includes the date. */
export function sampleOrders(security: SampleSecurity, seed: string): OrderColumns {
  const random = seededRandom(`${seed} ${security.symbol}.${security.market}`);
  return security.market === "SH" ? shanghaiDay(security, random).orders : shenzhenOrders(security, random);
}
