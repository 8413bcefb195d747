/** How an evening went, in the words of a notice. */
import type { Notice } from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { megabytes } from "../progress.ts";
import { type DayOutcome, isWell } from "./day-outcome.ts";
import type { Arrival } from "./wait-for-delivery.ts";

const whole = new Intl.NumberFormat("en-US");

/** The end of an evening whose delivery came: served, served with rows left out, or not. */
export function outcomeNotice(outcome: DayOutcome): Notice {
  const { tradedate, degraded, problem } = outcome;
  const [event, level] = !isWell(outcome)
    ? (["nightly.failed", "failed"] as const)
    : degraded
      ? (["nightly.degraded", "warning"] as const)
      : (["nightly.published", "ok"] as const);
  const title =
    problem === null ? servedSentence(outcome) : `${tradedate} is not served by this delivery: ${problem}`;
  return { event, level, title, lines: linesOf(outcome), facts: { ...outcome } };
}

/** What is served now, in one line. */
export function servedSentence({ tradedate, state, revision, degraded }: DayOutcome): string {
  const left = degraded ? ", with rows left out" : "";
  return state === "unchanged"
    ? `${tradedate} was served with this content before, as revision ${revision}${left}`
    : `${tradedate} is served as revision ${revision}${left}`;
}

/** The rest that is worth knowing, a line each. */
export function linesOf(outcome: DayOutcome): string[] {
  const { state, securities, rows, sizeBytes, brokenRows, quarantine, files, seconds } = outcome;
  const facts = `${whole.format(securities)} securities, ${whole.format(rows)} orders, ${megabytes(sizeBytes)} MB`;
  return [
    ...(state === "failed" ? [] : [`${facts}, in ${seconds} s`]),
    ...(brokenRows === 0
      ? []
      : [`${whole.format(brokenRows)} lines were no rows; they are in ${quarantine}`]),
    ...files.map(({ name, revision, problem }) =>
      problem === null ? `${name} is offered as revision ${revision}` : `${name} is not offered: ${problem}`,
    ),
  ];
}

/** Nothing came, or half of it; `isFinal` when nobody waits any longer. */
export function lateNotice(
  tradedate: BeijingDate,
  arrival: Exclude<Arrival, { state: "complete" }>,
  isFinal: boolean,
): Notice {
  const rest = isFinal ? "nobody waits for it any longer" : "the wait goes on";
  const nothing = arrival.state === "nothing";
  return {
    event: isFinal ? "nightly.failed" : "nightly.late",
    level: isFinal ? "failed" : "warning",
    title: nothing
      ? `nothing of ${tradedate} has been delivered; ${rest}`
      : `the delivery of ${tradedate} is not complete: ${arrival.problem}; ${rest}`,
    lines: nothing ? [] : [`${megabytes(arrival.delivery.sizeBytes)} MB are there`],
    facts: {
      tradedate,
      ...(nothing ? {} : { problem: arrival.problem, sizeBytes: arrival.delivery.sizeBytes }),
    },
  };
}

/** Something that has nothing to do with the delivery stood in the way. */
export function faultNotice(tradedate: BeijingDate | null, problem: string): Notice {
  const what = tradedate === null ? "the evening" : tradedate;
  return {
    event: "nightly.failed",
    level: "failed",
    title: `${what} could not be loaded: ${problem}`,
    lines: [],
    facts: { tradedate, problem },
  };
}
