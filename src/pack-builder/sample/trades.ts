/**
 * Generates trades of a sample security that fit its orders: every fill has its orders, and every cancel is for its
 * order's remainder. Within a millisecond the order of events is as on real days: orders, then trades, then cancels.
 */
import type { Security } from "../../orders/record.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleOrders } from "./day.ts";
import { seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { shanghaiDay } from "./shanghai.ts";
import { shenzhenTrades } from "./shenzhen-trades.ts";
import type { TradeColumns } from "./tape.ts";

/** Yields the trades of every security of a sample day by symbol; they fit the orders of `sampleSections`. */
export function* sampleTradeSections({
  tradedate,
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
}: SampleDay): Generator<Security & { columns: TradeColumns }> {
  for (const security of sampleSecurities(rows, seed)) {
    const { symbol, market } = security;
    yield { symbol, market, columns: sampleTrades(security, `${seed} ${tradedate}`) };
  }
}

/** The trades of one sample security on the day that `seed` names. */
function sampleTrades(security: SampleSecurity, seed: string): TradeColumns {
  const code = `${security.symbol}.${security.market}`;
  if (security.market === "SH") return shanghaiDay(security, seededRandom(`${seed} ${code}`)).trades;
  return shenzhenTrades(security, sampleOrders(security, seed), seededRandom(`${seed} trades ${code}`));
}
