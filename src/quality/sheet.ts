/** The quality sheet of a day: the result of every check for every security, and the totals. */
import * as z from "zod";
import { parsedJson } from "../base/json.ts";
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import {
  checkCoverage,
  checkOtherDays,
  DAY_CHECKS,
  type DayCheckName,
  type OtherDay,
  type Sizes,
  sizesOf,
} from "./check-day.ts";
import type { SecurityReport } from "./check-security.ts";
import { CHECKS, FAULT_TEXTS, REASON_TEXTS } from "./sheet-messages.ts";
import { type Shortfall, shortfallSchema } from "./shortfall.ts";
import type { CheckName, FaultKind, Unprovable, Verdict } from "./verdict.ts";

/**
 * The number of the sheet's format. It increases with every change that affects readers. `inThisFormat` converts sheets
 * of the previous format.
 */
const FORMAT = 3;

const count = z.int().nonnegative();
const dataset = z.enum(DATASET_NAMES as [DatasetName, ...DatasetName[]]);

const reason = z.enum(Object.keys(REASON_TEXTS) as Unprovable[]);

const fault = z.strictObject({
  kind: z.enum(Object.keys(FAULT_TEXTS) as FaultKind[]),
  count,
  first: z.strictObject({ dataset, row: count, time: count }).nullable(),
  subject: z.string().optional(),
});

const verdict = z.discriminatedUnion("verdict", [
  z.strictObject({ verdict: z.literal("passed") }),
  z.strictObject({ verdict: z.literal("failed"), faults: z.array(fault) }),
  z.strictObject({
    verdict: z.literal("not_provable"),
    reason,
    faults: z.array(fault).optional(),
  }),
]);

const size = z.strictObject({ securities: count, rows: count }).nullable();

/** Returns a schema of an object with a property for each dataset. */
const ofDatasets = <T extends z.ZodType>(value: T) => z.strictObject(perDataset("name", () => value));

const sizes = ofDatasets(size);
const contents = z.partialRecord(dataset, count);

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
  /**
   * The numbers of cancels, fills and auction-pack rows of all securities, and how many of each agree with the orders.
   */
  counts: z.strictObject({
    cancels: count,
    cancelsExact: count,
    fills: count,
    fillsFound: count,
    auctionRows: count,
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
      rows: ofDatasets(count.nullable()),
      contents,
      checks: z.record(z.enum(CHECKS), verdict),
    }),
  ),
});

export type QualitySheet = z.infer<typeof sheetSchema>;

/** The summary of one check. */
export type CheckSummary = QualitySheet["summary"][CheckName];

export interface SheetOf {
  tradedate: BeijingDate;
  builderVersion: string;
  packs: QualitySheet["packs"];
  securities: readonly SecurityReport[];
  /** Other days whose sheets are available. */
  others: readonly OtherDay[];
  /** What the packs lack. */
  degraded?: readonly Shortfall[];
}

/** Checks the day as a whole and returns its sheet. `securities` has the finished report on each security. */
export function qualitySheet({
  tradedate,
  builderVersion,
  packs,
  securities,
  others,
  degraded = [],
}: SheetOf): QualitySheet {
  const sizes: Sizes = sizesOf(securities);
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
    degraded: [...degraded],
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

/**
 * Returns the part of a sheet that the checks of another day need. `text` is the JSON of a sheet of any version.
 * Returns `null` for any other text.
 */
export function parseOtherDay(text: string): OtherDay | null {
  const read = otherDaySchema.safeParse(parsedJson(text));
  if (!read.success) return null;
  const { tradedate, sizes, securities } = read.data;
  const contents = new Map(securities.map((each) => [`${each.symbol}.${each.market}`, each.contents]));
  return { tradedate, sizes, contents };
}
