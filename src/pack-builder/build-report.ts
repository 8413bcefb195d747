/** What a build did, for people and, as JSON, for programs. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DefectEntry } from "./defect-book.ts";
import {
  LEFT_OUT_WORDS,
  type LeftOutFile,
  type LeftOutReason,
  mayHoldRecords,
} from "./delivery/source-file.ts";
import type { BrokenRow } from "./quarantine.ts";

export interface BuildReport {
  tradedate: BeijingDate;
  /**
   * `degraded`: rows are missing, within the bound, or a file that may hold records was not read; `failed`: too
   * many are missing, and no pack was written.
   */
  result: "whole" | "degraded" | "failed";
  /** The pack's file; `null` when the build failed. */
  pack: string | null;
  buildId: string | null;
  securities: number;
  securitiesWithoutOrders: number;
  rows: number;
  cancels: number;
  packBytes: number;
  sourceBytes: number;
  /** Whether the pack was read back by another reader and compared row by row. */
  verified: boolean;
  seconds: number;
  /** From the first byte read to the pack under its name, verification included. */
  rowsPerSecond: number;
  /** Order files read by layout. */
  layouts: Record<string, number>;
  defects: DefectEntry[];
  broken: { rows: number; allowed: number; first: BrokenRow | null; quarantine: string | null };
  /** Every file of the delivery that was not read. */
  leftOut: LeftOutFile[];
}

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** The report as lines for a terminal. */
export function reportLines(report: BuildReport): string[] {
  const lines = [
    `pack        ${report.pack ?? "none was written"}`,
    `result      ${report.result}${report.verified ? ", verified" : ""}`,
    `securities  ${whole.format(report.securities)} (${report.securitiesWithoutOrders} without orders)`,
    `rows        ${whole.format(report.rows)} (${whole.format(report.cancels)} cancels)`,
    `bytes       ${whole.format(report.packBytes)} from ${whole.format(report.sourceBytes)}`,
    `speed       ${whole.format(report.rowsPerSecond)} rows/s, ${report.seconds.toFixed(1)} s`,
    `layouts     ${Object.entries(report.layouts)
      .map(([name, files]) => `${name} (${files} files)`)
      .join(", ")}`,
  ];
  if (report.buildId !== null) lines.push(`build id    ${report.buildId}`);
  if (report.defects.length > 0) lines.push("defects");
  for (const { count, words, first } of report.defects) {
    lines.push(`  ${whole.format(count).padStart(12)}  ${words}; first at ${placeText(first)}`);
  }
  const { broken } = report;
  if (broken.first !== null) {
    lines.push(
      `broken      ${whole.format(broken.rows)} lines (${whole.format(broken.allowed)} allowed), kept in ${broken.quarantine}`,
      `  first at ${placeText(broken.first)}: ${broken.first.reason}`,
    );
  }
  lines.push(...leftOutLines(report.leftOut));
  return lines;
}

/** `file:line`, or the file alone where it is meant as a whole. */
export function placeText({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** Names each file that may hold records, and counts the others: a whole day brings thousands of them. */
function leftOutLines(files: readonly LeftOutFile[]): string[] {
  const lines = files
    .filter(({ reason }) => mayHoldRecords(reason))
    .map(({ path, reason }) => `not read    ${path} ${LEFT_OUT_WORDS[reason]}`);
  const others = new Map<LeftOutReason, string[]>();
  for (const { path, reason } of files) {
    if (!mayHoldRecords(reason)) others.set(reason, [...(others.get(reason) ?? []), path]);
  }
  for (const [reason, [first, ...more]] of others) {
    const rest = more.length === 0 ? "" : `, and ${whole.format(more.length)} more (--json names each)`;
    lines.push(`left out    ${first} ${LEFT_OUT_WORDS[reason]}${rest}`);
  }
  return lines;
}
