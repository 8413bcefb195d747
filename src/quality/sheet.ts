/** The quality sheet of a day: the result of every check for every security, and the totals. */
import * as z from "zod";
import { parsedJson } from "../base/json.ts";
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { perDataset } from "../datasets/registry.ts";
import { checkCoverage, checkOtherDays, DAY_CHECKS, type DayCheckName, sizesOf } from "./check-day.ts";
import { CHECKS, FAULT_TEXTS, REASON_TEXTS } from "./sheet-messages.ts";
import { count, dataset, type Shortfall, shortfallSchema } from "./shortfall.ts";
import type { CheckName, FaultKind, Unprovable } from "./verdict.ts";

/**
 * The number of the sheet's format. It increases with every change that affects readers. `inThisFormat` converts sheets
 * of the previous format.
 */
const FORMAT = 3;

const reason = z.enum(Object.keys(REASON_TEXTS) as Unprovable[]);

/** Where a fault occurred first: a row of the security, counted from 0, and its time HHMMSSmmm. */
const place = z.strictObject({ dataset, row: count, time: count });
export type FaultPlace = z.infer<typeof place>;

const fault = z.strictObject({
  kind: z.enum(Object.keys(FAULT_TEXTS) as FaultKind[]),
  count,
  /** `null` for a fault that concerns all rows together. */
  first: place.nullable(),
  /** The exchange and dataset that a fault of the whole day concerns, such as `SH trades`. */
  subject: z.string().optional(),
});
export type Fault = z.infer<typeof fault>;

const verdict = z.discriminatedUnion("verdict", [
  z.strictObject({ verdict: z.literal("passed") }),
  z.strictObject({ verdict: z.literal("failed"), faults: z.array(fault) }),
  /** `faults` do not prove that the data is wrong, for example because no real data confirms the exchange's rule. */
  z.strictObject({ verdict: z.literal("not_provable"), reason, faults: z.array(fault).optional() }),
]);
export type Verdict = z.infer<typeof verdict>;

/** The number of securities with rows, and the number of rows; `null` where the day has no pack of the dataset. */
const size = z.strictObject({ securities: count, rows: count }).nullable();

/** Returns a schema of an object with a property for each dataset. */
const ofDatasets = <T extends z.ZodType>(value: T) => z.strictObject(perDataset("name", () => value));

const sizes = ofDatasets(size);
/** A hash of a security's rows in each dataset, computed without the date; 0 when the rows are alike on many days. */
const contents = z.partialRecord(dataset, count);
export type Contents = z.infer<typeof contents>;

const tradedate = z.string().transform((text, context): BeijingDate => {
  const day = parseBeijingDate(text);
  if (day !== null) return day;
  context.addIssue("not a date in the form YYYYMMDD");
  return z.NEVER;
});

const sheetSchema = z.strictObject({
  format: z.literal(FORMAT),
  tradedate,
  builderVersion: z.string(),
  /**
   * `failed`: a check failed. `passed`: no check failed, and the orders and trades of at least one security could be
   * matched.
   */
  verdict: z.enum(["passed", "failed", "not_provable"]),
  /** Build ids of the packs that were checked; `null` for a dataset that the day does not have. */
  packs: ofDatasets(z.string().nullable()),
  /** What the packs lack; empty when all of them are whole. */
  degraded: z.array(shortfallSchema),
  sizes: z.strictObject({ SH: sizes, SZ: sizes }),
  /** The sums over all securities. */
  counts: z.strictObject({
    cancels: count,
    /** Cancels of all that is left of a live order of their side and, in Shanghai, of their price. */
    cancelsExact: count,
    /** Trades outside the auctions, without Shenzhen's cancels. */
    fills: count,
    /** Fills whose resting order (in Shenzhen: both orders) is live, large enough, of the right side and price. */
    fillsFound: count,
    /** Rows of the auction pack that were compared with the orders. */
    auctionRows: count,
    /** Compared rows that the orders confirm. */
    auctionRowsFound: count,
  }),
  /**
   * For each check, the numbers of securities for which it `passed` and `failed`. `notProvable` gives, by reason, the
   * number of securities for which the check is not provable.
   */
  summary: z.record(
    z.enum(CHECKS),
    z.strictObject({ passed: count, failed: count, notProvable: z.partialRecord(reason, count) }),
  ),
  day: z.record(z.enum(DAY_CHECKS), verdict),
  securities: z.array(
    z.strictObject({
      symbol: z.string(),
      market: z.enum(["SH", "SZ"]),
      /** The number of rows in each dataset; `null` where the day has no pack of the dataset. */
      rows: ofDatasets(count.nullable()),
      contents,
      checks: z.record(z.enum(CHECKS), verdict),
    }),
  ),
});

export type QualitySheet = z.infer<typeof sheetSchema>;

/** The summary of one check. */
export type CheckSummary = QualitySheet["summary"][CheckName];

/** The result of all checks of one security. */
export type SecurityReport = QualitySheet["securities"][number] & Pick<QualitySheet, "counts">;

interface SheetOf extends Pick<QualitySheet, "tradedate" | "builderVersion" | "packs"> {
  securities: readonly SecurityReport[];
  /** Other days whose sheets are available. */
  others: readonly OtherDay[];
  degraded?: Shortfall[];
}

/** Checks the day as a whole and returns its sheet. `securities` has the finished report on each security. */
export function qualitySheet({ securities, others, degraded = [], ...named }: SheetOf): QualitySheet {
  const { tradedate, builderVersion, packs } = named;
  const sizes = sizesOf(securities);
  const day: Record<DayCheckName, Verdict> = {
    coverage: checkCoverage(tradedate, securities),
    other_days: checkOtherDays(sizes, others),
  };
  const summary = summaryOf(securities);
  const isFailed = Object.values(summary).some(({ failed }) => failed > 0);
  const isDayFailed = Object.values(day).some((each) => each.verdict === "failed");
  const isMatched = summary.matching.passed > 0;
  return {
    format: FORMAT,
    tradedate,
    builderVersion,
    verdict: isFailed || isDayFailed ? "failed" : isMatched ? "passed" : "not_provable",
    packs,
    degraded,
    sizes,
    counts: countsOf(securities),
    summary,
    day,
    securities: securities.map(({ counts: _, ...rest }) => rest),
  };
}

function summaryOf(securities: readonly SecurityReport[]): Record<CheckName, CheckSummary> {
  const of = (check: CheckName): CheckSummary => {
    const summary: CheckSummary = { passed: 0, failed: 0, notProvable: {} };
    for (const { checks } of securities) {
      const verdict = checks[check];
      if (verdict.verdict === "passed") summary.passed += 1;
      else if (verdict.verdict === "failed") summary.failed += 1;
      else summary.notProvable[verdict.reason] = (summary.notProvable[verdict.reason] ?? 0) + 1;
    }
    return summary;
  };
  return Object.fromEntries(CHECKS.map((check) => [check, of(check)])) as Record<CheckName, CheckSummary>;
}

function countsOf(securities: readonly SecurityReport[]): QualitySheet["counts"] {
  const total = { cancels: 0, cancelsExact: 0, fills: 0, fillsFound: 0, auctionRows: 0, auctionRowsFound: 0 };
  for (const name of Object.keys(total) as (keyof typeof total)[]) {
    for (const { counts } of securities) total[name] += counts[name];
  }
  return total;
}

/** Parses a quality sheet from JSON. Returns the sheet, or a sentence that says what is wrong with `text`. */
export function parseSheet(text: string): QualitySheet | { problem: string } {
  const value = parsedJson(text);
  if (value === undefined) return { problem: "it is not JSON" };
  const read = sheetSchema.safeParse(inThisFormat(value));
  if (read.success) return read.data;
  return { problem: z.prettifyError(read.error) };
}

const formerSchema = z.looseObject({
  format: z.literal(2),
  day: z.looseObject({ last_days: z.unknown() }),
});

/** Converts a sheet of format 2 to this format. Returns any other value unchanged. */
function inThisFormat(value: unknown): unknown {
  const former = formerSchema.safeParse(value);
  if (!former.success) return value;
  const { last_days: other_days, ...day } = former.data.day;
  return { degraded: [], ...former.data, format: FORMAT, day: { ...day, other_days } };
}

const otherSizes = z.partialRecord(dataset, size);

/** The part of a sheet that the checks of other days need. Every version of the sheet's format has the same part. */
const otherDaySchema = z.object({
  tradedate,
  sizes: z.object({ SH: otherSizes, SZ: otherSizes }),
  securities: z.array(z.object({ symbol: z.string(), market: z.string(), contents })),
});

/** What the quality sheet of another day says about that day. */
export type OtherDay = NonNullable<ReturnType<typeof parseOtherDay>>;

/**
 * Returns the part of a sheet that the checks of another day need; `contents` are by code with suffix. `text` is the
 * JSON of a sheet of any version. Returns `null` for any other text.
 */
export function parseOtherDay(text: string) {
  const read = otherDaySchema.safeParse(parsedJson(text));
  if (!read.success) return null;
  const { tradedate, sizes, securities } = read.data;
  const contents = new Map(securities.map((each) => [`${each.symbol}.${each.market}`, each.contents]));
  return { tradedate, sizes, contents };
}

/** A security with the findings of some checks, in the order of the checks. */
export interface FaultySecurity {
  /** The code with its suffix. */
  code: string;
  faults: { check: CheckName; fault: Fault }[];
}

/** Returns the securities that have faults in checks with the verdict `of`. */
export function faultySecurities(
  { securities }: QualitySheet,
  of: Exclude<Verdict["verdict"], "passed">,
): FaultySecurity[] {
  return securities.flatMap(({ symbol, market, checks }) => {
    const faults = CHECKS.flatMap((check) => {
      const verdict = checks[check];
      return verdict.verdict === of ? faultsIn(verdict).map((fault) => ({ check, fault })) : [];
    });
    return faults.length === 0 ? [] : [{ code: `${symbol}.${market}`, faults }];
  });
}

/** Returns the faults of the day as a whole. */
export function dayFaults({ day }: QualitySheet): { check: DayCheckName; fault: Fault }[] {
  return DAY_CHECKS.flatMap((check) => faultsIn(day[check]).map((fault) => ({ check, fault })));
}

function faultsIn(verdict: Verdict): readonly Fault[] {
  return verdict.verdict === "passed" ? [] : (verdict.faults ?? []);
}
