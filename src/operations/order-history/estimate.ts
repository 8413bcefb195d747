/**
 * `order_history_estimate` (contract 9): what a query would bring and cost before it is asked. The same
 * checks as order history up to the slot; then nothing is read of the pack, charged or held.
 */
import { ok, type Result } from "../../base/result.ts";
import { beijingDate } from "../../calendar/beijing.ts";
import { orderDayStatement } from "../../catalog/order-day.ts";
import type { GateState } from "../../gate/protocol.ts";
import { gateOf } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import type { Envelope } from "../../http/envelope.ts";
import { succeed } from "../../http/respond.ts";
import { orderParameters } from "../../orders/query/order-parameters.ts";
import { type OrderQuery, parseOrderQuery } from "../../orders/query/order-query.ts";
import { beginPaging } from "../../orders/query/paging.ts";
import { givenParameters, lazily } from "../../orders/query/parameters.ts";
import { type Bounds, rowsInWindow } from "../../orders/query/row-bounds.ts";
import { formatTimeOfDay } from "../../orders/query/time-window.ts";
import type { Call, Operation, Prepared, Scope } from "../operation.ts";
import type { Estimate, Range } from "../wire.ts";
import { type Asked, type Found, findOrders, ORDER_HISTORY } from "./find-orders.ts";

/** As in order history. */
export const estimateParameters = lazily(() => {
  const { symbol, tradedate, start_time, end_time, page_size } = orderParameters();
  return { symbol, tradedate, start_time, end_time, page_size };
});

export const orderHistoryEstimate: Operation = { apiname: "order_history_estimate", prepare };

async function prepare(
  envelope: Envelope,
  { settings, nowMs, env }: Scope,
): Promise<Result<Prepared, Denial>> {
  const options = { unknownParameters: settings.UNKNOWN_PARAMETERS };
  const parameters = givenParameters(envelope.params, Object.keys(estimateParameters()), options);
  if (!parameters.ok) return parameters;
  const { given, unknown } = parameters.value;
  const known = [...given].filter(([name]) => name in estimateParameters());
  const parsed = parseOrderQuery({ params: Object.fromEntries(known) }, options);
  if (!parsed.ok) return parsed;
  const query = { ...parsed.value, unknownParameters: unknown };
  const question = { tradedate: query.tradedate, symbol: query.symbol, today: beijingDate(nowMs) };
  const asked = { query, paging: beginPaging(query), question, kept: null };
  return ok({ reads: [orderDayStatement(env.DB, question)], run: (call) => run(call, asked) });
}

async function run(call: Call, asked: Asked): Promise<Response> {
  const { principal, log, requestId, env, settings } = call;
  const { query } = asked;
  const found = await findOrders(call, asked);
  if (!found.ok) return call.refuse(found.refusal.denial);

  const home = { namespace: env.GATE, locationHint: settings.LOCATION_HINT };
  const state = await log.stage("gate", () => gateOf(home, principal.accountId, ORDER_HISTORY).state());
  log.note({ code: 200, reason: "success", symbol: query.symbol });
  const { revision, pack } = found.value.day;
  return succeed(estimateOf(query, found.value, state), {
    requestId,
    revision,
    buildId: pack.buildId,
    unknownParameters: query.unknownParameters,
  });
}

function estimateOf(query: OrderQuery, { entry, day, grant }: Found, { use }: GateState): Estimate {
  const { limits } = grant;
  const rows = rowsInWindow(entry, query);
  const pagesOf = (count: number) => Math.max(1, Math.ceil(count / query.pageSize));
  const pages = rangeOf({ atLeast: pagesOf(rows.atLeast), atMost: pagesOf(rows.atMost) });
  const left = (limit: number | null, counted: number) =>
    limit === null ? null : Math.max(0, limit - counted);
  return {
    symbol: entry.symbol,
    market: entry.market,
    tradedate: day.pack.tradedate,
    revision: day.revision,
    start_time: formatTimeOfDay(query.start),
    end_time: formatTimeOfDay(query.end),
    rows: rangeOf(rows),
    page_size: query.pageSize,
    pages,
    parquet_bytes: entry.length,
    cost: { json: { requests: pages }, parquet: { requests: 1, files: 1 } },
    left_today: { requests: left(limits.requests, use.requests), files: left(limits.files, use.files) },
    resets_in: use.resetSeconds,
  };
}

function rangeOf({ atLeast, atMost }: Bounds): Range {
  return { at_least: atLeast, at_most: atMost };
}
