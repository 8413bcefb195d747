/**
 * `data_status` (contract 9): the readable and the missing days of a month. The caller needs a plan with order history
 * and gets only the days in its window.
 */
import * as z from "zod";
import { ok, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { type DayOverview, type LoadedFacts, overviewsOf } from "../catalog/day-overview.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import { entitleOrderHistory } from "../entitlement/entitle.ts";
import { windowOf } from "../entitlement/standing.ts";
import { announcedUntilMs } from "../env.ts";
import { lazily, optional, textParameter } from "../orders/query/parameters.ts";
import { lookUp } from "./operation.ts";
import type { DataStatus, StatusDataset, StatusDay } from "./wire.ts";

const parameters = lazily(() => ({
  month: optional(textParameter(z.string().regex(/^\d{4}(0[1-9]|1[0-2])$/), "YYYYMM"), {
    description: "YYYYMM; the current month in Beijing when omitted.",
    examples: ["202603"],
  }),
}));

export const dataStatus = lookUp({
  apiname: "data_status",
  parameters,
  async answer({ principal, nowMs, env, log, settings }, values) {
    const today = beijingDate(nowMs);
    const month = values.month ?? today.slice(0, 6);
    // Days are compared as text, so the 31st works as the end of shorter months too.
    const [first, last] = [`${month}01`, `${month}31`] as [BeijingDate, BeijingDate];
    const grant = entitleOrderHistory(principal, last, nowMs);
    if (!grant.ok) {
      const { refusal } = grant;
      return refusal.reason === "outside_window"
        ? refused({ ...refusal, parameter: "month", asked: month })
        : grant;
    }
    const from = windowOf(grant.value.plan, "order_history", nowMs)?.from ?? null;
    const span = {
      first: from !== null && from > first ? from : first,
      last,
      today,
      untilMs: announcedUntilMs(settings, nowMs),
    };
    const days = await log.stage("d1", () => overviewsOf(env.DB, span));
    const data: DataStatus = { month, window_from: from, days: statusDays(days) };
    return ok({ data });
  },
});

/** Returns an entry for each day of any dataset, oldest first. If a dataset lacks the day, its state is `missing`. */
function statusDays(overviews: Record<DatasetName, DayOverview[]>): StatusDay[] {
  const dates = new Set(DATASET_NAMES.flatMap((name) => overviews[name].map(({ tradedate }) => tradedate)));
  return [...dates].toSorted().map((tradedate) => {
    const datasets = perDataset("name", (name) => {
      const found = overviews[name].find((each) => each.tradedate === tradedate);
      return statusOf(found ?? { state: "missing", loaded: null });
    });
    return { tradedate, ...datasets.orders, datasets };
  });
}

function statusOf({ state, loaded }: Pick<DayOverview, "state" | "loaded">): StatusDataset {
  const served = state === "available" || state === "degraded" ? loaded : null;
  return {
    state,
    revision: served?.revision ?? null,
    build_id: served?.buildId ?? null,
    rows: served?.rows ?? null,
    securities: served?.securities ?? null,
    size_bytes: served?.sizeBytes ?? null,
    published_at: served === null ? null : beijingTimestamp(served.publishedAtMs),
    quality: qualityOf(served),
  };
}

/** Returns the verdict and its one-sentence summary. The manifest of a share has the numbers of each check. */
function qualityOf(served: LoadedFacts | null): StatusDataset["quality"] {
  if (served === null || served.quality === null) return null;
  const { verdict, summary } = served.quality;
  return { verdict, summary };
}
