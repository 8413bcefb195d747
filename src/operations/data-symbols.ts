/**
 * `data_symbols` (contract 9): the securities of a dataset on one day. The caller needs a plan with order history whose
 * window contains the day.
 */
import * as z from "zod";
import { ok, refused } from "../base/result.ts";
import { beijingDate } from "../calendar/beijing.ts";
import { type ListedSecurity, listSecurities } from "../catalog/day-securities.ts";
import { dayDenial, type OrderDayQuestion, orderDayStatement } from "../catalog/order-day.ts";
import { historyParameters } from "../orders/query/history-query.ts";
import type { Parsed } from "../orders/query/parameters.ts";
import { datasetParameter, lazily, optional, textParameter } from "../orders/query/parameters.ts";
import { formatTimeOfDay } from "../orders/query/time-window.ts";
import type { Market } from "../orders/record.ts";
import { lookUp, openDay, type Scope } from "./operation.ts";
import type { DataSymbols } from "./wire.ts";

const parameters = lazily(() => ({
  tradedate: historyParameters().tradedate,
  market: optional(textParameter(marketSchema(), "SH, SZ"), { description: "SH or SZ; both when omitted." }),
  dataset: datasetParameter(),
}));

function marketSchema() {
  return z
    .string()
    .regex(/^\s*[sS][hHzZ]\s*$/)
    .meta({ examples: ["SH"] })
    .transform((text) => text.trim().toUpperCase() as Market);
}

/**
 * The columns of `items`. `rows` counts the security's rows in the dataset, and `size_bytes` is the size of its Parquet
 * file with all fields. `first_time` and `last_time` are the times of its first and last row as HHMMSSmmm, null without
 * rows.
 */
const FIELDS: DataSymbols["fields"] = ["symbol", "market", "rows", "size_bytes", "first_time", "last_time"];

/** Returns the catalog query for the day: the query of a history request, but with an empty symbol. */
function questionOf(
  { nowMs }: Pick<Scope, "nowMs">,
  { tradedate, dataset }: Parsed<ReturnType<typeof parameters>>,
): OrderDayQuestion {
  return {
    dataset: dataset ?? "orders",
    tradedate: tradedate ?? null,
    symbol: "",
    today: beijingDate(nowMs),
  };
}

export const dataSymbols = lookUp({
  apiname: "data_symbols",
  parameters,
  reads: (scope, values) => [orderDayStatement(scope.env.DB, questionOf(scope, values))],
  async answer(call, values) {
    const question = questionOf(call, values);
    const open = await openDay(call, question);
    if (!open.ok) return open;
    const { orderDay } = open.value;
    const { tradedate, day } = orderDay;
    const { dataset, today } = question;
    const unserved = dayDenial(orderDay, today, dataset);
    if (unserved !== null) return refused(unserved);
    if (day === null) throw new Error("the day is not loaded, but dayDenial returned no refusal");

    const { revision } = day;
    const asked = { dataset, tradedate, revision, market: values.market ?? null };
    const securities = await call.log.stage("d1", () => listSecurities(call.env.DB, asked));
    call.log.note({ rows: securities.length });
    const data: DataSymbols = { tradedate, revision, fields: FIELDS, items: securities.map(itemOf) };
    return ok({ data, revision });
  },
});

function itemOf(security: ListedSecurity): DataSymbols["items"][number] {
  const { symbol, market, rows, sizeBytes, firstTime, lastTime } = security;
  const time = (value: number | null) => (value === null ? null : formatTimeOfDay(value));
  return [symbol, market, rows, sizeBytes, time(firstTime), time(lastTime)];
}
