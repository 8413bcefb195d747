/**
 * `data_symbols` (contract 9): the securities of a dataset on one day. Needs a plan with order history, and a day
 * inside its window. Charges nothing, takes no slot.
 */
import * as z from "zod";
import { ok, type Result } from "../base/result.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { dayDenial } from "../catalog/day-denial.ts";
import { type ListedSecurity, listSecurities } from "../catalog/day-securities.ts";
import { type OrderDayQuestion, orderDayStatement } from "../catalog/order-day.ts";
import type { Denial } from "../http/denial.ts";
import type { Envelope } from "../http/envelope.ts";
import { succeed } from "../http/respond.ts";
import { historyParameters } from "../orders/query/history-parameters.ts";
import {
  datasetParameter,
  lazily,
  optional,
  parseParameters,
  textParameter,
} from "../orders/query/parameters.ts";
import { formatTimeOfDay } from "../orders/query/time-window.ts";
import type { Market } from "../orders/record.ts";
import { openDay } from "./open-day.ts";
import type { Call, Operation, Prepared, Scope } from "./operation.ts";
import type { DataSymbols } from "./wire.ts";

export const dataSymbolsParameters = lazily(() => ({
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
const FIELDS = ["symbol", "market", "rows", "size_bytes", "first_time", "last_time"] as const;

interface Query {
  question: OrderDayQuestion;
  market: Market | null;
  unknownParameters: string[];
}

export const dataSymbols: Operation = { apiname: "data_symbols", paramsOptional: true, prepare };

async function prepare(
  envelope: Envelope,
  { settings, nowMs, env }: Scope,
): Promise<Result<Prepared, Denial>> {
  const asked = parseParameters(envelope.params, dataSymbolsParameters(), {
    unknownParameters: settings.UNKNOWN_PARAMETERS,
  });
  if (!asked.ok) return asked;
  const { values, unknown } = asked.value;
  const { tradedate, market, dataset } = values;
  // The day is read as for a history request, but without a security.
  const question = {
    ...{ dataset: dataset ?? "orders", tradedate: tradedate ?? null },
    ...{ symbol: "", today: beijingDate(nowMs) },
  };
  const query: Query = { question, market: market ?? null, unknownParameters: unknown };
  return ok({ reads: [orderDayStatement(env.DB, question)], run: (call) => run(call, query) });
}

async function run(call: Call, { question, market, unknownParameters }: Query): Promise<Response> {
  const { env, log, requestId } = call;
  const open = await openDay(call, question);
  if (!open.ok) return call.refuse(open.refusal);
  const { orderDay } = open.value;
  const { tradedate, day } = orderDay;
  const unserved = dayDenial(orderDay, question.today, question.dataset);
  if (unserved !== null) return call.refuse(unserved);
  if (day === null) throw new Error("the day is not loaded, but dayDenial returned no refusal");

  const { revision } = day;
  const { dataset } = question;
  const securities = await log.stage("d1", () =>
    listSecurities(env.DB, { dataset, tradedate, revision, market }),
  );
  log.note({ code: 200, reason: "success", rows: securities.length });
  return succeed(dataOf(tradedate, revision, securities), { requestId, revision, unknownParameters });
}

type Item = DataSymbols["items"][number];

function dataOf(tradedate: BeijingDate, revision: number, securities: ListedSecurity[]): DataSymbols {
  const time = (value: number | null) => (value === null ? null : formatTimeOfDay(value));
  const items = securities.map(
    ({ symbol, market, rows, sizeBytes, firstTime, lastTime }): Item => [
      symbol,
      market,
      rows,
      sizeBytes,
      time(firstTime),
      time(lastTime),
    ],
  );
  return { tradedate, revision, fields: [...FIELDS], items };
}
