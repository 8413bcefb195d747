/**
 * `data_changes` (contract 9): changes of a dataset's readable days, so that a client can keep a local copy up to date.
 * The caller needs a plan with order history and gets only the days in its window.
 */
import * as z from "zod";
import { ok } from "../base/result.ts";
import { beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { parseInstant } from "../calendar/instant.ts";
import { changesSince, type DayChange, lastAnnounced } from "../catalog/day-changes.ts";
import { entitleOrderHistory } from "../entitlement/entitle.ts";
import { windowOf } from "../entitlement/standing.ts";
import { announcedUntilMs } from "../env.ts";
import {
  datasetParameter,
  lazily,
  optional,
  textParameter,
  wholeNumberParameter,
} from "../orders/query/parameters.ts";
import { lookUp } from "./operation.ts";
import type { Change, DataChanges } from "./wire.ts";

/** The maximum number of changes in an answer. One change can name every security of a day, about 60 KB. */
const MAX_CHANGES = 50;

const parameters = lazily(() => ({
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

export const dataChanges = lookUp({
  apiname: "data_changes",
  parameters,
  async answer({ principal, nowMs, env, log, settings }, values) {
    const grant = entitleOrderHistory(principal, beijingDate(nowMs), nowMs);
    if (!grant.ok) return grant;
    const limit = values.limit ?? MAX_CHANGES;
    const untilMs = announcedUntilMs(settings, nowMs);
    const question = {
      changeId: values.after ?? 0,
      sinceMs: values.since ?? 0,
      untilMs,
      from: windowOf(grant.value.plan, "order_history", nowMs)?.from ?? null,
      dataset: values.dataset ?? "orders",
      // One more row than requested shows whether another page follows.
      count: limit + 1,
    };
    const found = await log.stage("d1", () => changesSince(env.DB, question));
    const shown = found.slice(0, limit);
    // If a request without `after` finds no changes, `next_after` is the last announced change. Otherwise the client's
    // next request would return the changes before `since`.
    const seen = shown.at(-1)?.changeId ?? values.after;
    const data: DataChanges = {
      changes: shown.map(changeOf),
      next_after: seen ?? (await log.stage("d1", () => lastAnnounced(env.DB, untilMs))),
      has_more: found.length > shown.length,
    };
    return ok({ data });
  },
});

function changeOf({ changeId, atMs, buildId, added, removed, changed, ...change }: DayChange): Change {
  const securities =
    added === null || removed === null || changed === null ? null : { added, removed, changed };
  const { dataset, tradedate, kind, revision, previous } = change;
  return {
    change: changeId,
    at: beijingTimestamp(atMs),
    ...{ dataset, tradedate, kind, revision, previous },
    build_id: buildId,
    securities,
  };
}
