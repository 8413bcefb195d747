/**
 * Why a day or security cannot be served (decisions 1, 3): facts only. All are code 1002 but
 * `day_damaged`, which is 503.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { Market } from "../orders/record.ts";

export type DayDenial =
  /** A trading day, or one the calendar does not know, that is not loaded (yet). */
  | { reason: "not_loaded"; tradedate: BeijingDate; newestLoaded: BeijingDate | null }
  | { reason: "not_trading_day"; tradedate: BeijingDate; newestLoaded: BeijingDate | null }
  | { reason: "future_day"; tradedate: BeijingDate; today: BeijingDate; newestLoaded: BeijingDate | null }
  | { reason: "before_history"; tradedate: BeijingDate; earliestLoaded: BeijingDate }
  | { reason: "withdrawn"; tradedate: BeijingDate }
  | { reason: "day_damaged"; tradedate: BeijingDate }
  /** `market` is null when the caller gave no suffix; `carriedOn` is the exchange that has the symbol instead. */
  | {
      reason: "security_unknown";
      tradedate: BeijingDate;
      symbol: string;
      market: Market | null;
      carriedOn: Market | null;
    }
  /** Delivered, but without a single order that day. */
  | { reason: "no_orders"; tradedate: BeijingDate; symbol: string; market: Market };
