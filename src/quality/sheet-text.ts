/** The quality sheet for people. */
import { DATASET_NAMES } from "../datasets/registry.ts";
import { MARKETS } from "./check-day.ts";
import type { CheckSummary, QualitySheet } from "./sheet.ts";
import {
  CHECKS,
  type CheckName,
  type Fault,
  type FaultKind,
  type Unprovable,
  type Verdict,
} from "./verdict.ts";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const CHECK_TEXTS: Record<CheckName, string> = {
  matching: "cancels and fills fit their orders",
  sequence: "trade numbers",
  priority: "fills by price, then time",
  calendar: "hours and phases",
  shape: "cancels, and both halves of the day",
  scale: "magnitude of prices and volumes",
  opening_auction: "opening auction from the orders",
  closing_auction: "closing auction from the orders",
  auction_rows: "rows of the auction pack from the orders",
  sums: "volume, amount and range of the quotes",
  other_days: "rows differ from other days'",
};

const REASON_TEXTS: Record<Unprovable, string> = {
  no_orders: "no orders",
  no_trades: "no trades",
  no_quotes: "no quotes",
  no_other_days: "no sheet of another day beside it",
  too_few_rows: "too few rows",
  no_flag: "the source has no bs_flag",
  no_number: "the source numbers no trades",
  market_orders: "market orders without a price take part",
  unmeasured_market: "the rules of bonds and of funds' closing call are not measured",
};

const FAULT_TEXTS: Record<FaultKind, string> = {
  order_repeated: "a new order has the number of an earlier one",
  cancel_unknown: "a cancel names no live order",
  cancel_differs: "a cancel has another side or price than its order",
  cancel_remainder: "a cancel is not for what is left of its order",
  fill_unknown: "a fill names no live order",
  fill_side: "a fill names an order of the other side",
  fill_price: "a fill has another price than its order allows",
  fill_exceeds: "a fill is for more than is left of its order",
  trade_repeated: "a trade has the number of an earlier one",
  trade_number: "a trade has a lower number than its orders",
  after_cancel: "a trade or cancel follows the cancel of its order",
  priority: "a fill passes over an order with a better price or an earlier time",
  order_outside_hours: "an order comes outside the exchange's hours",
  cancel_outside_hours: "a cancel comes when none is allowed",
  trade_outside_hours: "a trade comes outside the exchange's hours",
  flag_unknown: "a trade has none of the flags B, S and N",
  flag_aggressor: "a trade's flag names the older of its orders as the aggressor",
  flag_outside_phase: "a trade's flag is not that of its phase: N in the auctions, B and S between them",
  begins_late: "the dataset begins long after the other",
  ends_early: "the dataset ends long before the other",
  no_cancels: "there is no cancel among 200 or more orders",
  nothing_after_noon: "the dataset has no row after 13:00, the other has",
  price_factor: "prices are outside 0.05 to 10,000 yuan: a factor is wrong",
  volume_factor: "hardly an order has an ordinary volume: a factor is wrong",
  auction_price: "the auction's price is not the one that the orders give",
  auction_volume: "the auction's volume is not the one that the orders give",
  auction_missing: "the orders cross and the auction has no trade",
  auction_snapshot: "a snapshot of the auction is neither a call nor its result",
  auction_sides: "a call has an unmatched quantity on both sides",
  auction_row: "no book around the time of a call gives its row",
  auction_result: "the last book of the auction does not give its result",
  sum_volume: "the volumes do not add up to the snapshot's",
  sum_amount: "the amounts do not add up to the snapshot's",
  price_range: "a trade is outside the day's high and low",
  same_as_other_day: "the rows are those of another day",
  dataset_missing: "the dataset is missing",
  exchange_missing: "the exchange is missing",
  securities_missing: "many securities are missing",
  rows_missing: "there are far fewer rows than on the days before",
};

/** Faults that are named one by one; more are counted. */
const NAMED_SECURITIES = 40;

/** Returns the sheet as lines for a terminal. */
export function sheetLines(sheet: QualitySheet): string[] {
  const { counts } = sheet;
  const lines = [
    `day         ${sheet.tradedate}, checked by builder ${sheet.builderVersion}`,
    `verdict     ${sheet.verdict}`,
    ...sizeLines(sheet),
    `cancels     ${whole.format(counts.cancelsExact)} of ${whole.format(counts.cancels)} exact`,
    `fills       ${whole.format(counts.fillsFound)} of ${whole.format(counts.fills)} found`,
    `auction     ${whole.format(counts.auctionRowsFound)} of ${whole.format(counts.auctionRows)} rows found`,
    "checks           passed  failed  not provable",
    ...CHECKS.map((check) => summaryLine(check, sheet.summary[check])),
    ...Object.entries(sheet.day).map(([check, verdict]) => `${check.padEnd(17)}${verdictText(verdict)}`),
  ];
  const failed = sheet.securities.filter(({ checks }) =>
    CHECKS.some((check) => checks[check].verdict === "failed"),
  );
  for (const { symbol, market, checks } of failed.slice(0, NAMED_SECURITIES)) {
    for (const check of CHECKS) {
      const verdict = checks[check];
      if (verdict.verdict !== "failed") continue;
      for (const fault of verdict.faults) lines.push(`${symbol}.${market}  ${check}: ${faultText(fault)}`);
    }
  }
  if (failed.length > NAMED_SECURITIES) {
    lines.push(`and ${whole.format(failed.length - NAMED_SECURITIES)} more securities (--json names each)`);
  }
  return lines;
}

const MOST_CHARACTERS = 300;

/** Returns the verdict in one sentence without its end, with the first failed checks, at most 300 characters. */
export function sheetSummary(sheet: QualitySheet): string {
  if (sheet.verdict !== "failed") return sheet.verdict === "passed" ? "passed" : "not provable";
  const ofDay = Object.entries(sheet.day).flatMap(([check, verdict]) =>
    verdict.verdict === "failed"
      ? verdict.faults.map(({ kind, subject }) => `${check} ${kind} ${subject}`)
      : [],
  );
  const ofSecurities = sheet.securities.flatMap(({ symbol, market, checks }) =>
    CHECKS.flatMap((check) => {
      const verdict = checks[check];
      if (verdict.verdict !== "failed") return [];
      return verdict.faults.map(
        ({ kind, count }) => `${symbol}.${market} ${check} ${kind} × ${whole.format(count)}`,
      );
    }),
  );
  const faults = [...ofDay, ...ofSecurities];
  let text = "failed";
  for (const [place, fault] of faults.entries()) {
    const more = faults.length - place;
    const next = `${text}${place === 0 ? ": " : "; "}${fault}`;
    const rest = `; and ${whole.format(more)} more`;
    if (next.length + rest.length > MOST_CHARACTERS) return `${text}${rest}`;
    text = next;
  }
  return text;
}

function sizeLines({ sizes, packs }: QualitySheet): string[] {
  return DATASET_NAMES.map((dataset) => {
    if (packs[dataset] === null) return `${dataset.padEnd(12)}no pack`;
    const texts = MARKETS.map((market) => {
      const size = sizes[market][dataset];
      return `${market} ${whole.format(size?.rows ?? 0)} rows of ${whole.format(size?.securities ?? 0)}`;
    });
    return `${dataset.padEnd(12)}${texts.join(", ")}`;
  });
}

function summaryLine(check: CheckName, { passed, failed, notProvable }: CheckSummary): string {
  const reasons = Object.entries(notProvable).map(
    ([reason, count]) => `${whole.format(count)} (${REASON_TEXTS[reason as Unprovable]})`,
  );
  const numbers = [passed, failed].map((number) => whole.format(number).padStart(8)).join("");
  return `${check.padEnd(15)}${numbers}  ${reasons.join(", ") || "0"}  ${CHECK_TEXTS[check]}`;
}

function verdictText(verdict: Verdict): string {
  switch (verdict.verdict) {
    case "passed":
      return "passed";
    case "failed":
      return `failed: ${verdict.faults.map(faultText).join("; ")}`;
    case "not_provable":
      return `not provable: ${REASON_TEXTS[verdict.reason]}`;
  }
}

/** Returns a fault as a clause with its kind, its count and where it was seen first. */
function faultText({ kind, count, first, subject }: Fault): string {
  const where =
    first === null
      ? ""
      : `, first in row ${first.row} of the ${first.dataset} at ${String(first.time).padStart(9, "0")}`;
  return `${kind} × ${whole.format(count)}${subject === undefined ? "" : ` (${subject})`}: ${FAULT_TEXTS[kind]}${where}`;
}
