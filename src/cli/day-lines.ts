/** Formats a day of a dataset as lines for a terminal. */
import type * as wire from "../admin/wire.ts";
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { countText, sizeText, table } from "./command-line.ts";

/** Returns the day's state, its comparison with other days, and its revisions. */
export function detailLines(dataset: DatasetName, { day, comparison, revisions }: wire.DayDetail): string[] {
  const { rows } = DATASETS[dataset];
  const served = day.state === "available" ? "served" : "not served";
  const usual = (median: number) => (comparison.days === 0 ? "-" : countText(median));
  return [
    `${dayName(day.tradedate, dataset)}: revision ${day.revision} is ${served} (${stateOf(day)})`,
    "",
    ...table(
      ["exchange", rows, "usual", "securities", "usual", ""],
      comparison.markets.map((each) => [
        each.market,
        countText(each.rows),
        usual(each.medianRows),
        countText(each.securities),
        usual(each.medianSecurities),
        each.plausible ? "" : each.rows > each.medianRows ? "larger than usual" : "smaller than usual",
      ]),
    ),
    comparison.days === 0
      ? "(no other day is loaded to compare it with)"
      : `(usual: the median of the ${comparison.days} loaded days nearest to it)`,
    "",
    ...table(
      [
        ...["revision", "securities", rows, "size", "published", "replaced", "restorable until"],
        ...["builder", "build id", "decided"],
      ],
      revisions.map((each) => [
        String(each.revision),
        countText(each.securities),
        countText(each.rows),
        sizeText(each.sizeBytes),
        each.publishedAt,
        isLost(each) ? "lost" : (each.replacedAt ?? "-"),
        restorableText(each, revisions),
        each.builderVersion ?? "-",
        each.buildId,
        decidedText(each),
      ]),
    ),
  ];
}

/**
 * Returns whether the revision's time of replacement is before its time of publication. This happens only for lost
 * content, whose time of replacement `doctor` sets 7 days back.
 */
function isLost({ publishedAt, replacedAt }: wire.DayRevision): boolean {
  return replacedAt !== null && Date.parse(replacedAt) < Date.parse(publishedAt);
}

/**
 * Returns until when `day restore` can serve a revision's content again: for `REPLACED_KEPT_MS` after the last revision
 * with the same pack was replaced. Returns "-" while such a revision is current, and for damaged and lost content.
 */
function restorableText(own: wire.DayRevision, revisions: readonly wire.DayRevision[]): string {
  const { objectKey, damaged } = own;
  const replaced = revisions.filter((each) => each.objectKey === objectKey).map((each) => each.replacedAt);
  if (damaged !== null || isLost(own) || replaced.includes(null)) return "-";
  const lastMs = Math.max(...replaced.map((at) => Date.parse(at ?? "")));
  return beijingTimestamp(lastMs + REPLACED_KEPT_MS);
}

/** Returns why a revision's content is not served: its withdrawal or damage; empty when there is neither. */
function decidedText({ withdrawn, damaged }: wire.DayRevision): string {
  if (damaged !== null) return `damaged: ${damaged.note}`;
  if (withdrawn === null) return "";
  return `withdrawn by ${withdrawn.by}${withdrawn.note === "" ? "" : `: ${withdrawn.note}`}`;
}

/** Returns the state, whether rows were left out, and the note: the reason for the state, or what the day lacks. */
export function stateOf({ state, degraded, note }: wire.DaySummary): string {
  return `${state}${degraded ? ", degraded" : ""}${note === "" ? "" : `: ${note}`}`;
}
