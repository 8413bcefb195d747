/**
 * `data_changes` (contract 9): changes of a dataset's readable days, so that a client can keep a local copy up to date.
 * Needs a plan with order history and shows only its window. Charges nothing, takes no slot.
 */
import * as z from "zod";
import { ok, type Result } from "../base/result.ts";
import { beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { parseInstant } from "../calendar/instant.ts";
import { changesSince, type DayChange } from "../catalog/day-changes.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { entitleOrderHistory } from "../entitlement/entitle.ts";
import { windowOf } from "../entitlement/standing.ts";
import { announcedUntilMs } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import type { Envelope } from "../http/envelope.ts";
import { succeed } from "../http/respond.ts";
import {
  datasetParameter,
  lazily,
  optional,
  parseParameters,
  textParameter,
  wholeNumberParameter,
} from "../orders/query/parameters.ts";
import type { Call, Operation, Prepared, Scope } from "./operation.ts";
import type { Change, DataChanges } from "./wire.ts";

/** The most changes in an answer. One change can name every security of a day, about 60 KB. */
const MAX_CHANGES = 50;

export const dataChangesParameters = lazily(() => ({
  since: optional(textParameter(instantSchema(), "YYYYMMDD, YYYY-MM-DD, YYYY-MM-DDTHH:MM:SS+08:00"), {
    description:
      "Only changes on or after this day (YYYYMMDD, YYYY-MM-DD) or instant (RFC 3339 with an offset).",
  }),
  after: optional(wholeNumberParameter({ from: 0, to: Number.MAX_SAFE_INTEGER }), {
    description: "Only changes after this number, which is the next_after of an earlier answer.",
  }),
  limit: optional(wholeNumberParameter({ from: 1, to: MAX_CHANGES }), {
    description: `The maximum number of changes; ${MAX_CHANGES} by default.`,
  }),
  dataset: datasetParameter(),
}));

/** Returns the schema of an instant, parsed to Unix milliseconds. */
function instantSchema() {
  return z
    .string()
    .refine((text) => parseInstant(text.trim()) !== null)
    .meta({ examples: ["20260301", "2026-03-01T00:00:00+08:00"] })
    .transform((text) => parseInstant(text.trim()) ?? 0);
}

interface Query {
  dataset: DatasetName;
  sinceMs: number;
  after: number;
  limit: number;
  unknownParameters: string[];
}

export const dataChanges: Operation = { apiname: "data_changes", paramsOptional: true, prepare };

async function prepare(envelope: Envelope, { settings }: Scope): Promise<Result<Prepared, Denial>> {
  const asked = parseParameters(envelope.params, dataChangesParameters(), {
    unknownParameters: settings.UNKNOWN_PARAMETERS,
  });
  if (!asked.ok) return asked;
  const { values, unknown } = asked.value;
  const { since, after, limit, dataset } = values;
  const query: Query = {
    dataset: dataset ?? "orders",
    sinceMs: since ?? 0,
    after: after ?? 0,
    limit: limit ?? MAX_CHANGES,
    unknownParameters: unknown,
  };
  return ok({ reads: [], run: (call) => run(call, query) });
}

async function run(call: Call, query: Query): Promise<Response> {
  const { principal, nowMs, env, log, requestId, settings } = call;
  const grant = entitleOrderHistory(principal, beijingDate(nowMs), nowMs);
  if (!grant.ok) return call.refuse(grant.refusal);
  const from = windowOf(grant.value.plan, "order_history", nowMs)?.from ?? null;
  const { after, sinceMs, limit, dataset, unknownParameters } = query;
  // One more row than requested shows whether another page follows.
  const untilMs = announcedUntilMs(settings, nowMs);
  const question = { changeId: after, sinceMs, untilMs, from, dataset, count: limit + 1 };
  const found = await log.stage("d1", () => changesSince(env.DB, question));
  const shown = found.slice(0, limit);
  log.note({ code: 200, reason: "success" });
  const data: DataChanges = {
    changes: shown.map(changeOf),
    next_after: shown.at(-1)?.changeId ?? after,
    has_more: found.length > shown.length,
  };
  return succeed(data, { requestId, unknownParameters });
}

function changeOf(change: DayChange): Change {
  const { changeId, atMs, dataset, tradedate, kind, revision, previous, buildId } = change;
  const { added, removed, changed } = change;
  const securities =
    added === null || removed === null || changed === null ? null : { added, removed, changed };
  const at = beijingTimestamp(atMs);
  return {
    change: changeId,
    at,
    dataset,
    tradedate,
    kind,
    revision,
    previous,
    build_id: buildId,
    securities,
  };
}
