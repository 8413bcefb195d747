/** Why an order day cannot be served, with the facts its message needs (contract 3.13). */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { AskedMarket, DayDenial } from "../orders/denial.ts";

import type { OrderDay } from "./order-day.ts";

/** Calendar days up to today, today included, whose delivery may still be on its way. */
const RECENT_DAYS = 7;

interface DayFacts {
  newest: BeijingDate | null;
  earliest: BeijingDate | null;
  /** 1, 0, or null when the calendar does not know the day. */
  open: number | null;
}

const FACTS = `
  SELECT (SELECT max(tradedate) FROM order_days WHERE state = 'available') AS newest,
    (SELECT min(tradedate) FROM order_days WHERE state = 'available') AS earliest,
    (SELECT open FROM trading_days WHERE day = ?1) AS open`;

/**
 * Why nothing of this day can be served, or null when it can. A second read happens only for a day that
 * is not loaded: its message names the newest one. `today` is the Beijing day.
 */
export async function dayDenial(
  db: D1Database,
  { tradedate, day }: OrderDay,
  today: BeijingDate,
): Promise<DayDenial | null> {
  if (day === null) return notLoaded(db, tradedate, today);
  switch (day.state) {
    case "available":
      return null;
    case "withdrawn":
      return { reason: "withdrawn", tradedate };
    case "damaged":
      return { reason: "day_damaged", tradedate };
  }
}

async function notLoaded(db: D1Database, tradedate: BeijingDate, today: BeijingDate): Promise<DayDenial> {
  const facts = await db.prepare(FACTS).bind(tradedate).first<DayFacts>();
  const newestLoaded = facts?.newest ?? null;
  const earliestLoaded = facts?.earliest ?? null;
  if (tradedate > today) return { reason: "future_day", tradedate, today, newestLoaded };
  if (facts?.open === 0) return { reason: "not_trading_day", tradedate, newestLoaded };
  if (earliestLoaded !== null && tradedate < earliestLoaded) {
    return { reason: "before_history", tradedate, earliestLoaded };
  }
  return { reason: "not_loaded", tradedate, recent: tradedate > addDays(today, -RECENT_DAYS), newestLoaded };
}

/**
 * Why this day has nothing of the security, or null when it has. `market` is null for a code without a
 * suffix: then either exchange will do, and which of two is meant is not decided here.
 */
export function securityDenial(
  { tradedate, sections }: OrderDay,
  symbol: string,
  market: AskedMarket | null,
): DayDenial | null {
  const meant = sections.filter((section) => market === null || section.market === market);
  const [first] = meant;
  if (first === undefined) {
    return { reason: "security_unknown", tradedate, symbol, market, carriedOn: sections[0]?.market ?? null };
  }
  if (meant.every((section) => section.rows === 0)) {
    return { reason: "no_orders", tradedate, symbol, market: first.market };
  }
  return null;
}
