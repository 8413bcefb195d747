/**
 * `order_history_estimate` and the other estimates (contract 9): the size and cost of a query in advance. An estimate
 * makes the same checks as a history request before the slot. It takes no slot, reads no pack and charges nothing.
 */
import { ok } from "../../base/result.ts";
import { orderDayStatement } from "../../catalog/order-day.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import { entitleShare } from "../../entitlement/entitle.ts";
import type { GateState } from "../../gate/protocol.ts";
import { succeed } from "../../http/respond.ts";
import { beginPaging } from "../../orders/query/cursor.ts";
import { type HistoryQuery, historyParameters, parseHistoryQuery } from "../../orders/query/history-query.ts";
import { type Bounds, rowsInWindow } from "../../orders/query/page-plan.ts";
import { givenParameters, lazily } from "../../orders/query/parameters.ts";
import { formatTimeOfDay } from "../../orders/query/time-window.ts";
import type { Call, Operation } from "../operation.ts";
import type { Estimate, Range } from "../wire.ts";
import { type Asked, askedFor, type Found, lookAhead } from "./find-section.ts";

/** The parameters of a history request that an estimate accepts. */
export const estimateParameters = lazily(() => {
  const { symbol, tradedate, start_time, end_time, page_size } = historyParameters();
  return { symbol, tradedate, start_time, end_time, page_size };
});

/** Returns the operation that estimates queries of `dataset`. */
export function estimateOf(dataset: DatasetName): Operation {
  return {
    apiname: DATASETS[dataset].estimate,
    prepare(envelope, scope) {
      const { UNKNOWN_PARAMETERS } = scope.settings;
      const names = Object.keys(estimateParameters());
      const parameters = givenParameters(envelope.params, names, UNKNOWN_PARAMETERS);
      if (!parameters.ok) return parameters;
      const { given, unknown } = parameters.value;
      const known = [...given].filter(([name]) => names.includes(name));
      const parsed = parseHistoryQuery({ params: Object.fromEntries(known) }, UNKNOWN_PARAMETERS, dataset);
      if (!parsed.ok) return parsed;
      const query = { ...parsed.value, unknownParameters: unknown };
      const asked = askedFor(dataset, query, beginPaging(query), scope);
      return ok({
        reads: [orderDayStatement(scope.env.DB, asked.question)],
        run: (call) => run(call, asked),
      });
    },
  };
}

async function run(call: Call, asked: Asked): Promise<Response> {
  const { log, requestId } = call;
  const { query } = asked;
  const found = await lookAhead(call, asked);
  if (!found.ok) return call.refuse(found.refusal.denial);

  log.note({ code: 200, reason: "success", symbol: query.symbol });
  const { revision, pack } = found.value.day;
  return succeed(answerTo(call, query, found.value), {
    requestId,
    revision,
    buildId: pack.buildId,
    unknownParameters: query.unknownParameters,
  });
}

function answerTo(call: Call, query: HistoryQuery, found: Found & { gate: GateState }): Estimate {
  const { entry, day, grant, gate } = found;
  const { limits } = grant;
  const { use } = gate;
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
    whole_day: wholeDay(call, found),
  };
}

/**
 * Returns what one file for every security of the day would cost, so that callers see it before they copy whole days
 * that way. For 5,000 securities over five years, the files need 55 years of an interface's quota. Downloads of the
 * same days from shares need two days for orders and less than six for all datasets.
 */
function wholeDay({ principal, nowMs }: Call, { day, grant }: Found): Estimate["whole_day"] {
  const { securities, pack } = day;
  const [requests, files] = [grant.limits.requests, grant.limits.files];
  const daily = Math.min(requests ?? Number.POSITIVE_INFINITY, files ?? Number.POSITIVE_INFINITY);
  const year = Number(pack.tradedate.slice(0, 4));
  const share = entitleShare(principal, { service: "level2", year }, nowMs);
  return {
    securities,
    quota_days: daily > 0 && Number.isFinite(daily) ? Math.ceil(securities / daily) : null,
    in_share: share.ok && share.value.from <= pack.tradedate,
  };
}

function rangeOf({ atLeast, atMost }: Bounds): Range {
  return { at_least: atLeast, at_most: atMost };
}
