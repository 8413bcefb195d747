/** The report of a build, as text for people and as JSON for programs. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";
import type { PackOrigin } from "../packs/origin.ts";
import type { DefectEntry } from "./defect-book.ts";
import { type LeftOutFile, type LeftOutReason, mayHoldRecords } from "./delivery/source-file.ts";
import type { BrokenRow } from "./quarantine.ts";

export interface BuildReport {
  dataset: DatasetName;
  tradedate: BeijingDate;
  /**
   * `degraded`: lines or files were quarantined, but no more than allowed, or a file that may hold records was not
   * read. `failed`: no pack was written, because too many were quarantined or no row remained.
   */
  result: "whole" | "degraded" | "failed";
  /** The pack's file; `null` when the build failed. */
  pack: string | null;
  buildId: string | null;
  /** Builder, source files and row accounting as stored in the pack; `null` when the build failed. */
  origin: PackOrigin | null;
  securities: number;
  /** The number of securities in the delivery that have no row of the dataset. */
  securitiesWithoutOrders: number;
  /** The number of securities with rows, by exchange. For quotes, only securities that traded, without indices. */
  traded: Record<Market, number>;
  rows: number;
  cancels: number;
  packBytes: number;
  sourceBytes: number;
  /** Whether DuckDB has read the pack again and every row was compared. */
  verified: boolean;
  /** Seconds from the start of the build to the finished pack, including verification. */
  seconds: number;
  rowsPerSecond: number;
  /** The number of files read, by layout. */
  layouts: Record<string, number>;
  defects: DefectEntry[];
  /** The numbers of quarantined lines and of files quarantined as a whole. `allowed` limits their sum. */
  broken: {
    rows: number;
    files: number;
    allowed: number;
    first: BrokenRow | null;
    quarantine: string | null;
  };
  /** Every file of the delivery that was not read. */
  leftOut: LeftOutFile[];
}

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/**
 * Returns a number with its unit, such as `1 file` or `2,000 files`. `many` is the plural; by default, `one` with an s.
 */
export function countedText(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

/** Returns the report as lines for a terminal. The files that were not read are not listed. */
export function packLines(report: BuildReport): string[] {
  const lines = [
    `pack        ${report.pack ?? "none was written"}`,
    `result      ${report.result}${report.verified ? ", verified" : ""}`,
    `securities  ${whole.format(report.securities)} (${report.securitiesWithoutOrders} without ${DATASETS[report.dataset].rows})`,
    `rows        ${whole.format(report.rows)}${cancelsText(report)}`,
    `bytes       ${whole.format(report.packBytes)} from ${whole.format(report.sourceBytes)}`,
    `speed       ${whole.format(report.rowsPerSecond)} rows/s, ${report.seconds.toFixed(1)} s`,
    `layouts     ${Object.entries(report.layouts)
      .map(([name, files]) => `${name} (${countedText(files, "file")})`)
      .join(", ")}`,
  ];
  if (report.buildId !== null) lines.push(`build id    ${report.buildId}`);
  if (report.pack !== null) lines.push(...originLines(report.origin, report.rows));
  if (report.defects.length > 0) lines.push("defects");
  for (const { count, words, first } of report.defects) {
    lines.push(`  ${whole.format(count).padStart(12)}  ${words}; first at ${placeText(first)}`);
  }
  const { broken } = report;
  if (broken.first !== null) {
    lines.push(
      `broken      ${countedText(broken.rows, "line")} and ${countedText(broken.files, "file")} ` +
        `(${whole.format(broken.allowed)} allowed), kept in ${broken.quarantine}`,
      `  first at ${placeText(broken.first)}: ${broken.first.reason}`,
    );
  }
  return lines;
}

function cancelsText({ dataset, cancels }: BuildReport): string {
  return DATASETS[dataset].cancel === null ? "" : ` (${countedText(cancels, "cancel")})`;
}

/** Returns `origin` as lines for a terminal. `stored` is the number of rows in the pack. */
export function originLines(origin: PackOrigin | null, stored: number): string[] {
  if (origin === null) return ["builder     before 0.2.0: the pack has neither sources nor row accounting"];
  const { builderVersion, sources, sourcesSha256, rows, files } = origin;
  return [
    `builder     ${builderVersion}`,
    `sources     ${countedText(sources.length, "file")}, SHA-256 of the list ${sourcesSha256}`,
    `accounting  ${countedText(rows.read, "row")} read = ${whole.format(stored)} stored + ` +
      `${whole.format(rows.quarantined)} quarantined + ${countsText(rows.leftOut)}`,
    `files       ${whole.format(files.read)} read, ${whole.format(files.quarantined)} quarantined, ` +
      countsText(files.leftOut),
  ];
}

function countsText(counts: Record<string, number>): string {
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const reasons = Object.entries(counts).map(([reason, count]) => `${reason} ${whole.format(count)}`);
  return `${whole.format(total)} left out${total === 0 ? "" : ` (${reasons.join(", ")})`}`;
}

/** Returns `file:line`, or only the file when the problem concerns the whole file. */
export function placeText({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/**
 * Returns one line for each file that may hold records. All other files share one line for each reason, because a full
 * day has thousands of them. `textOf` returns the clause for a reason.
 */
export function leftOutLines(
  files: readonly LeftOutFile[],
  textOf: (reason: LeftOutReason) => string,
): string[] {
  const lines = files
    .filter(({ reason }) => mayHoldRecords(reason))
    .map(({ path, reason }) => `not read    ${path} ${textOf(reason)}`);
  const others = new Map<LeftOutReason, string[]>();
  for (const { path, reason } of files) {
    if (!mayHoldRecords(reason)) others.set(reason, [...(others.get(reason) ?? []), path]);
  }
  for (const [reason, [first, ...more]] of others) {
    const rest = more.length === 0 ? "" : `, and ${whole.format(more.length)} more (--json names each)`;
    lines.push(`left out    ${first} ${textOf(reason)}${rest}`);
  }
  return lines;
}
