/**
 * Generates trades of a sample security that fit its orders: every fill has its orders, and every cancel is for its
 * order's remainder. Within a millisecond the order of events is as on real days: orders, then trades, then cancels.
 */
import type { OrderColumns, Security } from "../../orders/record.ts";
import { DEFAULT_ROWS, DEFAULT_SEED, type SampleDay, sampleOrders } from "./day.ts";
import { seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { shanghaiDay } from "./shanghai.ts";
import { shenzhenTrades } from "./shenzhen-trades.ts";
import type { TradeColumns } from "./tape.ts";

/** Yields the orders and trades of every security of a sample day by symbol; the orders are those of `sampleSections`. */
export function* sampleDatasets({
  tradedate,
  rows = DEFAULT_ROWS,
  seed = DEFAULT_SEED,
}: SampleDay): Generator<Security & { orders: OrderColumns; trades: TradeColumns }> {
  for (const security of sampleSecurities(rows, seed)) {
    const { symbol, market } = security;
    yield { symbol, market, ...sampleDay(security, `${seed} ${tradedate}`) };
  }
}

/** Yields the trades of every security of a sample day by symbol. */
export function* sampleTradeSections(day: SampleDay): Generator<Security & { columns: TradeColumns }> {
  for (const { symbol, market, trades } of sampleDatasets(day)) yield { symbol, market, columns: trades };
}

/** Returns the orders and trades of one sample security for the day seed `seed`. */
function sampleDay(security: SampleSecurity, seed: string): { orders: OrderColumns; trades: TradeColumns } {
  const code = `${security.symbol}.${security.market}`;
  if (security.market === "SH") return shanghaiDay(security, seededRandom(`${seed} ${code}`));
  const orders = sampleOrders(security, seed);
  return { orders, trades: shenzhenTrades(security, orders, seededRandom(`${seed} trades ${code}`)) };
}
