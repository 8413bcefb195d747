/**
 * The `params` of each operation, built from the schemas that its parser uses. The parser also checks what a schema
 * cannot express (start before end, the years of a data type).
 */
import * as z from "zod";
import { perDataset } from "../../datasets/registry.ts";
import { dataChanges } from "../../operations/data-changes.ts";
import { dataStatus } from "../../operations/data-status.ts";
import { dataSymbols } from "../../operations/data-symbols.ts";
import { shareParameters } from "../../operations/file-download.ts";
import { estimateParameters } from "../../operations/history/estimate.ts";
import { EXCLUDED_WITH_PARQUET, historyParameters } from "../../orders/query/history-query.ts";
import { lazily, schemasOf } from "../../orders/query/parameters.ts";

/** `params` of a history request that is answered with JSON pages. */
export const pageParams = lazily(() =>
  z.strictObject({
    ...schemasOf(historyParameters()),
    format: z.literal("json").nullish().meta({ description: "The default." }),
  }),
);

/** `params` of a history request that is answered with a Parquet file; paging parameters are refused. */
export const fileParams = lazily(() => {
  const excluded = Object.fromEntries(EXCLUDED_WITH_PARQUET.map((name) => [name, z.null().optional()]));
  return z.strictObject({
    ...schemasOf(historyParameters()),
    ...excluded,
    format: z.literal("parquet").meta({ description: "The whole day of the security as one file." }),
  });
});

/** A schema of `params` for every `apiname`. */
export const paramsSchemas = lazily(
  () =>
    ({
      ...perDataset("apiname", () => z.union([pageParams(), fileParams()])),
      file_download: z.strictObject(schemasOf(shareParameters())),
      account_info: z.strictObject({}).nullish(),
      data_status: z.strictObject(schemasOf(dataStatus.parameters())).nullish(),
      data_changes: z.strictObject(schemasOf(dataChanges.parameters())).nullish(),
      data_symbols: z.strictObject(schemasOf(dataSymbols.parameters())).nullish(),
      ...perDataset("estimate", () => z.strictObject(schemasOf(estimateParameters()))),
    }) as const,
);

export type Apiname = keyof ReturnType<typeof paramsSchemas>;

/** A one-sentence summary of each operation. */
export const SUMMARIES: Readonly<Record<Apiname, string>> = {
  level2_order_history:
    "Order records of one security on one trading day: JSON pages by cursor, or one Parquet file. Each accepted request counts; one at a time per account and interface.",
  level2_trade_history:
    "Trade records of one security on one trading day, including Shenzhen's cancels. Like order history, with its own slot and counters.",
  level2_quote_history:
    "Quotes of one security on one trading day, a snapshot with ten levels about every three seconds. Like order history, with its own slot and counters.",
  file_download: "The share of one year's daily files: URL, password and coverage. Not charged.",
  account_info: "Plan, windows, today's remaining quotas, the last 20 requests. Not charged.",
  data_status: "The trading days of a month and the state of each dataset. Not charged.",
  data_changes: "The changes of a dataset's readable days, so that a local copy can follow. Not charged.",
  data_symbols: "A dataset's securities on a day: rows, file sizes, first and last times. Not charged.",
  order_history_estimate: "Rows, pages, bytes and cost of an order query before it is sent. Not charged.",
  trade_history_estimate: "The same for a trade query. Not charged.",
  quote_history_estimate: "The same for a quote query. Not charged.",
};
