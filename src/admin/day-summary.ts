/** Days as the operator's command reads them. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { DayOverview as CatalogOverview } from "../catalog/day-overview.ts";
import type { DayRevision as CatalogRevision, ServedDay } from "../catalog/days.ts";
import type { DayOverview, DayRevision, DaySummary } from "./wire.ts";

export function summaryOf({ publishedAtMs, packId: _, ...day }: ServedDay): DaySummary {
  return { ...day, publishedAt: beijingTimestamp(publishedAtMs) };
}

export function revisionOf(stored: CatalogRevision): DayRevision {
  const { publishedAtMs, replacedAtMs, packId: _, etag: __, withdrawn, damaged, ...revision } = stored;
  return {
    ...revision,
    withdrawn:
      withdrawn === null
        ? null
        : { at: beijingTimestamp(withdrawn.atMs), by: withdrawn.actor, note: withdrawn.note },
    damaged: damaged === null ? null : { at: beijingTimestamp(damaged.atMs), note: damaged.note },
    publishedAt: beijingTimestamp(publishedAtMs),
    replacedAt: replacedAtMs === null ? null : beijingTimestamp(replacedAtMs),
  };
}

export function overviewOf({ tradedate, state, note, loaded }: CatalogOverview): DayOverview {
  return {
    tradedate,
    state,
    note,
    revision: loaded?.revision ?? null,
    rows: loaded?.rows ?? null,
    securities: loaded?.securities ?? null,
    sizeBytes: loaded?.sizeBytes ?? null,
    publishedAt: loaded === null ? null : beijingTimestamp(loaded.publishedAtMs),
  };
}
