/**
 * Checks the units of a delivery: compares the total of a security's trades with the turnover in its quotes. If a
 * source counts in lots, or states amounts in ten-thousands of yuan, the two differ by the same factor for every
 * security.
 */
import { upperMedian } from "../base/upper-median.ts";
import type { Dataset, Rows } from "../datasets/dataset.ts";
import { quotes } from "../datasets/quotes.ts";
import { trades } from "../datasets/trades.ts";
import { kindOf } from "../quality/security-kind.ts";
import type { TradeColumns } from "../quality/security-rows.ts";
import { lastSnapshot, type QuoteTotals, tradedTotals } from "../quality/sums.ts";
import { countedText } from "./build-report.ts";
import { securityOfKey } from "./parse/security-cell.ts";

/** The turnover of each security before 15:05 in yuan, by `securityKey`. */
export type Turnovers = ReadonlyMap<number, number>;

/** The turnover in the quotes divided by the turnover of the trades (the sum of price × volume). */
export interface Ratio {
  /** The number of securities that have both turnovers. */
  securities: number;
  /** The median of the ratios of the securities that have both turnovers; 0 if there are none. */
  median: number;
}

export interface Units {
  shares: Ratio;
  /**
   * Funds, bonds and repos. They are reported but not checked, because the volumes of Shanghai bonds have different
   * units.
   */
  others: Ratio;
}

/** Factors between units that sources use: lots of 10, lots of 100, ten-thousands or ten-thousandths of a yuan. */
const FACTORS = [10, 100, 10_000];
const NEAR = { least: 0.99, most: 1.01 };

/**
 * Returns a security's turnover before 15:05 in yuan: the sum of its trades, or the last value in its quotes; 0 for
 * orders.
 */
export function turnoverOf(rows: Rows, { name }: Dataset): number {
  if (name === trades.name) return tradedTotals(rows as TradeColumns).amount;
  if (name === quotes.name) return lastSnapshot(rows as QuoteTotals)?.amount ?? 0;
  return 0;
}

/** Returns the ratios of quoted to traded turnover for the securities that have both. */
export function unitsOf(traded: Turnovers, quoted: Turnovers): Units {
  const ratios: Record<keyof Units, number[]> = { shares: [], others: [] };
  for (const [key, yuan] of quoted) {
    const sum = traded.get(key) ?? 0;
    if (sum === 0 || yuan === 0) continue;
    ratios[kindOf(securityOfKey(key)) === "share" ? "shares" : "others"].push(yuan / sum);
  }
  const ratio = (all: number[]): Ratio => ({ securities: all.length, median: upperMedian(all) });
  return { shares: ratio(ratios.shares), others: ratio(ratios.others) };
}

/**
 * Returns what is wrong with the units as a sentence without a full stop; `null` when the units of shares agree or no
 * share can be compared.
 */
export function unitProblem({ shares: { securities, median } }: Units): string | null {
  if (securities === 0 || (median >= NEAR.least && median <= NEAR.most)) return null;
  const isMore = median > 1;
  const times = isMore ? median : 1 / median;
  const factor = FACTORS.find((each) => times >= each * NEAR.least && times <= each * NEAR.most);
  const compared = ["the turnover in the quotes", "price × volume of the trades"];
  const [larger, smaller] = isMore ? compared : compared.toReversed();
  const name =
    factor === undefined ? `${times.toPrecision(4)} times` : `${factor.toLocaleString("en-US")} times`;
  const cause =
    factor === undefined
      ? "the two are from different days, or one is incomplete"
      : "prices, volumes or amounts have a different unit in one of the two";
  return `${larger} is ${name} ${smaller} (median of ${countedText(securities, "share")}): ${cause}; correct the delivery, or build each dataset separately with --dataset`;
}

/** Returns the ratios as a line for a terminal; no line when nothing can be compared. */
export function unitLines({ shares, others }: Units): string[] {
  const parts = [
    ...(shares.securities === 0 ? [] : [ratioText(shares, "share")]),
    ...(others.securities === 0 ? [] : [ratioText(others, "fund, bond or repo", "funds, bonds and repos")]),
  ];
  return parts.length === 0
    ? []
    : [`units       quoted turnover divided by traded turnover: ${parts.join(", ")}`];
}

function ratioText({ securities, median }: Ratio, one: string, many?: string): string {
  return `${Number(median.toPrecision(6))} (median of ${countedText(securities, one, many)})`;
}
