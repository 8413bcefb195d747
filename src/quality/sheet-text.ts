/** The quality sheet as text. */
import { DATASET_NAMES } from "../datasets/registry.ts";
import { DAY_CHECKS, MARKETS } from "./check-day.ts";
import {
  type CheckSummary,
  dayFaults,
  type Fault,
  faultySecurities,
  type QualitySheet,
  type Verdict,
} from "./sheet.ts";
import {
  CHECK_TEXTS,
  CHECKS,
  FAULT_TEXTS,
  numberText,
  placeText,
  REASON_TEXTS,
  VERDICT_TEXTS,
} from "./sheet-messages.ts";
import { lackingTexts } from "./shortfall.ts";
import type { CheckName, Unprovable } from "./verdict.ts";

/** The maximum number of securities whose faults are listed. The others are only counted. */
const NAMED_SECURITIES = 40;

/** Returns the sheet as lines for a terminal. */
export function sheetLines(sheet: QualitySheet): string[] {
  const { counts } = sheet;
  const failed = faultySecurities(sheet, "failed");
  const named = failed.slice(0, NAMED_SECURITIES);
  const more = failed.length - named.length;
  return [
    `day         ${sheet.tradedate}, checked by builder ${sheet.builderVersion}`,
    `verdict     ${sheet.verdict}`,
    ...lackingTexts(sheet).map(({ en }) => `incomplete  ${en}`),
    ...sizeLines(sheet),
    `cancels     ${numberText(counts.cancelsExact)} of ${numberText(counts.cancels)} exact`,
    `fills       ${numberText(counts.fillsFound)} of ${numberText(counts.fills)} found`,
    `auction     ${numberText(counts.auctionRowsFound)} of ${numberText(counts.auctionRows)} rows found`,
    "checks           passed  failed  not provable",
    ...CHECKS.map((check) => summaryLine(check, sheet.summary[check])),
    ...DAY_CHECKS.map((check) => `${check.padEnd(17)}${verdictText(sheet.day[check])}`),
    ...named.flatMap(({ code, faults }) =>
      faults.map(({ check, fault }) => `${code}  ${check}: ${faultText(fault)}`),
    ),
    ...(more > 0 ? [`and ${numberText(more)} more securities (--json names each)`] : []),
  ];
}

const MOST_CHARACTERS = 300;

/** Returns the verdict as a clause of at most 300 characters, with the first failed checks. */
export function sheetSummary(sheet: QualitySheet): string {
  if (sheet.verdict !== "failed") return VERDICT_TEXTS[sheet.verdict].en;
  const ofDay = dayFaults(sheet).map(({ check, fault }) => `${check} ${fault.kind} ${fault.subject}`);
  const ofSecurities = faultySecurities(sheet, "failed").flatMap(({ code, faults }) =>
    faults.map(({ check, fault }) => `${code} ${check} ${fault.kind} × ${numberText(fault.count)}`),
  );
  const faults = [...ofDay, ...ofSecurities];
  let text = "failed";
  for (const [place, fault] of faults.entries()) {
    const more = faults.length - place;
    const next = `${text}${place === 0 ? ": " : "; "}${fault}`;
    const rest = `; and ${numberText(more)} more`;
    if (next.length + rest.length > MOST_CHARACTERS) return `${text}${rest}`;
    text = next;
  }
  return text;
}

/** A publisher's summary of a checked day. */
export interface SheetClaim {
  verdict: QualitySheet["verdict"];
  /** The verdict and the first failed checks: at most 300 characters, without a full stop. */
  summary: string;
  /** The numbers of securities, by check and verdict. */
  checks: Record<CheckName, { passed: number; failed: number; not_provable: number }>;
}

/** Returns the publisher's summary of a sheet. */
export function sheetClaim(sheet: QualitySheet): SheetClaim {
  const entries = CHECKS.map((check) => {
    const { passed, failed, notProvable } = sheet.summary[check];
    const not_provable = Object.values(notProvable).reduce((sum, each) => sum + each, 0);
    return [check, { passed, failed, not_provable }] as const;
  });
  const checks = Object.fromEntries(entries) as SheetClaim["checks"];
  return { verdict: sheet.verdict, summary: sheetSummary(sheet), checks };
}

function sizeLines({ sizes, packs }: QualitySheet): string[] {
  return DATASET_NAMES.map((dataset) => {
    if (packs[dataset] === null) return `${dataset.padEnd(12)}no pack`;
    const texts = MARKETS.map((market) => {
      const size = sizes[market][dataset];
      return `${market} ${numberText(size?.rows ?? 0)} rows of ${numberText(size?.securities ?? 0)} securities`;
    });
    return `${dataset.padEnd(12)}${texts.join(", ")}`;
  });
}

function summaryLine(check: CheckName, { passed, failed, notProvable }: CheckSummary): string {
  const reasons = Object.entries(notProvable).map(
    ([reason, count]) => `${numberText(count)} (${REASON_TEXTS[reason as Unprovable].en})`,
  );
  const numbers = [passed, failed].map((number) => numberText(number).padStart(8)).join("");
  return `${check.padEnd(15)}${numbers}  ${reasons.join(", ") || "0"}  ${CHECK_TEXTS[check].en}`;
}

function verdictText(verdict: Verdict): string {
  const text = VERDICT_TEXTS[verdict.verdict].en;
  if (verdict.verdict === "passed") return text;
  if (verdict.verdict === "failed") return `${text}: ${verdict.faults.map(faultText).join("; ")}`;
  return `${text}: ${REASON_TEXTS[verdict.reason].en}`;
}

/** Returns a clause with the kind of the fault, the count and the first position. */
function faultText(fault: Fault): string {
  const { kind, count, subject } = fault;
  const of = subject === undefined ? "" : ` (${subject})`;
  const first = placeText(fault).en;
  return `${kind} × ${numberText(count)}${of}: ${FAULT_TEXTS[kind].en}${first === "" ? "" : `, first in ${first}`}`;
}
