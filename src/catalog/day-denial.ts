/** Finds why a dataset's day cannot be served, and the facts that the message about it needs (contract 3.13). */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { AskedMarket, DayDenial } from "../orders/query/query-denial.ts";
import { isIndexCode } from "../orders/query/symbol.ts";
import type { Market } from "../orders/record.ts";
import type { OrderDay } from "./order-day.ts";

/** Number of calendar days, including today, whose delivery can still arrive. */
const RECENT_DAYS = 7;

/** Returns why the dataset's day cannot be served, or null when it can. `today` is the Beijing day. */
export function dayDenial(orderDay: OrderDay, today: BeijingDate, dataset: DatasetName): DayDenial | null {
  const { tradedate, day } = orderDay;
  if (day === null) return notLoaded(orderDay, today, dataset);
  switch (day.state) {
    case "available":
      return null;
    case "withdrawn":
      return { reason: "withdrawn", dataset, tradedate };
    case "damaged":
      return { reason: "day_damaged", dataset, tradedate };
  }
}

function notLoaded({ tradedate, facts }: OrderDay, today: BeijingDate, dataset: DatasetName): DayDenial {
  const newestLoaded = facts?.newest ?? null;
  const earliestLoaded = facts?.earliest ?? null;
  if (tradedate > today) return { reason: "future_day", dataset, tradedate, today, newestLoaded };
  if (facts?.open === 0) return { reason: "not_trading_day", dataset, tradedate, newestLoaded };
  if (earliestLoaded !== null && tradedate < earliestLoaded) {
    return { reason: "before_history", dataset, tradedate, earliestLoaded };
  }
  const recent = tradedate > addDays(today, -RECENT_DAYS);
  return { reason: "not_loaded", dataset, tradedate, recent, newestLoaded };
}

/**
 * Returns why the day has no rows of the security, or null when it has rows. `market` is null for a code without a
 * suffix. Rows on either exchange then count, except those of an index. When both exchanges have rows, `chooseMarket`
 * decides.
 */
export function securityDenial(
  { tradedate, sections, elsewhere }: OrderDay,
  symbol: string,
  market: AskedMarket | null,
  dataset: DatasetName,
): DayDenial | null {
  const isMeant = (held: Market) => (market === null ? !isIndexCode(symbol, held) : held === market);
  const meant = sections.filter((section) => isMeant(section.market));
  const [first] = meant;
  if (first === undefined) {
    // Another dataset of the day has rows of the security, so the requested code is correct.
    const known = elsewhere.find((each) => each === market);
    if (known !== undefined) return { reason: "no_orders", dataset, tradedate, symbol, market: known };
    const carriedOn = sections[0]?.market ?? elsewhere[0] ?? null;
    return { reason: "security_unknown", tradedate, symbol, market, carriedOn };
  }
  if (meant.every((section) => section.rows === 0)) {
    return { reason: "no_orders", dataset, tradedate, symbol, market: first.market };
  }
  return null;
}
