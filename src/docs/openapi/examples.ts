/** Example requests, which can be sent with a valid key, and the answer to the first. */
import { FIELDS } from "../../orders/record.ts";
import { EXAMPLE, type ExampleDays, exampleRows } from "../example-day.ts";
import type { Apiname } from "./parameters.ts";

type Json = Record<string, unknown>;

export interface RequestExample {
  apiname: Apiname;
  params: Json;
  fields?: string;
}

/** Returns the examples by name; each requests the day of its dataset in `days`. */
export function requestExamples(days: ExampleDays): Record<string, RequestExample> {
  const { symbol } = EXAMPLE;
  const { orders: tradedate, trades, quotes } = days;
  const month = tradedate.slice(0, 6);
  return {
    first_page: {
      apiname: "level2_order_history",
      params: { symbol, tradedate, page_size: exampleRows(tradedate).length },
    },
    one_minute: {
      apiname: "level2_order_history",
      params: { symbol: `${symbol}.SH`, tradedate, start_time: "09:30", end_time: "09:31" },
      fields: "time,price,volume",
    },
    parquet_file: { apiname: "level2_order_history", params: { symbol, tradedate, format: "parquet" } },
    share: {
      apiname: "file_download",
      // The year of the quotes, because the auction files are made from quotes.
      params: { data_type: "auction_tick", year: Number(quotes.slice(0, 4)) },
    },
    account: { apiname: "account_info", params: {} },
    status: { apiname: "data_status", params: { month } },
    changes: { apiname: "data_changes", params: { since: `${month}01`, limit: 50 } },
    symbols: { apiname: "data_symbols", params: { tradedate, market: "SH" } },
    estimate: { apiname: "order_history_estimate", params: { symbol, tradedate } },
    trades_page: {
      apiname: "level2_trade_history",
      params: { symbol, tradedate: trades, start_time: "09:30", end_time: "09:31" },
    },
    trades_file: {
      apiname: "level2_trade_history",
      params: { symbol, tradedate: trades, format: "parquet" },
    },
    trades_estimate: { apiname: "trade_history_estimate", params: { symbol, tradedate: trades } },
    quotes_page: {
      apiname: "level2_quote_history",
      params: { symbol, tradedate: quotes, start_time: "09:30", end_time: "09:31" },
      fields: "time,close,volume,bid1,bid_vol1,ask1,ask_vol1",
    },
    quotes_file: {
      apiname: "level2_quote_history",
      params: { symbol, tradedate: quotes, format: "parquet" },
    },
    quotes_estimate: { apiname: "quote_history_estimate", params: { symbol, tradedate: quotes } },
  };
}

/** Returns an example of the answer to `first_page`. The cursor is invented. */
export function firstPage(tradedate: string): Json {
  const items = exampleRows(tradedate);
  return {
    code: 200,
    message: "success",
    data: {
      fields: FIELDS,
      items,
      tradedate,
      page_size: items.length,
      next_cursor: `v5.${"A".repeat(88)}`,
      has_more: true,
    },
  };
}
