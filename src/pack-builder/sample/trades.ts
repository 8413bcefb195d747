/**
 * Generates trades and quotes that fit the orders of a sample security. Every fill names its orders, and every
 * cancel removes all that remains of its order. Within a millisecond, events have the order of real days: orders, then
 * trades, then cancels. Quotes are snapshots of the resulting order book.
 */
import type { OrderColumns, Security } from "../../orders/record.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleOrders } from "./day.ts";
import { seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { shanghaiDay } from "./shanghai.ts";
import { shenzhenTrades } from "./shenzhen-trades.ts";
import type { QuoteColumns } from "./snapshots.ts";
import type { TradeColumns } from "./tape.ts";

/** The rows of one sample security. */
interface SampleRows {
  orders: OrderColumns;
  trades: TradeColumns;
  /** Empty unless quotes were requested. */
  quotes: QuoteColumns;
}

/**
 * Yields the rows of every security of a sample day, sorted by symbol. The orders are the same as from
 * `sampleSections`. `hasQuotes: false` leaves out the quotes, which take the most time.
 */
export function* sampleDatasets(
  { tradedate, rows = DEFAULT_ROWS, seed = DEFAULT_SEED }: SampleDay,
  { hasQuotes = true } = {},
): Generator<Security & SampleRows> {
  for (const security of sampleSecurities(rows, seed)) {
    const { symbol, market } = security;
    yield { symbol, market, ...sampleDay(security, `${seed} ${tradedate}`, hasQuotes) };
  }
}

/** Returns the rows of one sample security. `seed` includes the date. */
function sampleDay(security: SampleSecurity, seed: string, hasQuotes: boolean): SampleRows {
  const code = `${security.symbol}.${security.market}`;
  if (security.market === "SH") return shanghaiDay(security, seededRandom(`${seed} ${code}`), { hasQuotes });
  const orders = sampleOrders(security, seed);
  const random = seededRandom(`${seed} trades ${code}`);
  return { orders, ...shenzhenTrades(security, orders, random, { hasQuotes }) };
}
