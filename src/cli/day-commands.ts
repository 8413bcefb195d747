/** `edgetape days` and `edgetape day`: what the service serves. */
import type { Command } from "commander";
import {
  type BuiltBefore,
  builtBeforeSchema,
  type DayOverview,
  type DayRevision,
  dayDetailSchema,
  dayListSchema,
} from "../admin/wire.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { countText, sizeText } from "./amounts.ts";
import { dateArgument, monthArgument, versionArgument } from "./arguments.ts";
import { registerDayActions, stateOf } from "./day-actions.ts";
import { registerAdopt } from "./day-adopt.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

/** Registers `days` and `day …`. */
export function registerDays(program: Command): void {
  withService(
    program
      .command("days")
      .description("the days of a month: loaded, expected and missing ones")
      .option("--month <YYYYMM>", "the month; the present one when absent", monthArgument)
      .option(
        "--built-before <version>",
        "instead of a month: loaded days whose pack an earlier builder made, or one that left no version",
        versionArgument,
      ),
  ).action(list);
  const day = program
    .command("day")
    .description("one day: show it, withdraw it, restore an earlier content, adopt a pack");
  withService(
    day
      .command("show", { isDefault: true })
      .description("the day, how it compares with others, and its revisions")
      .argument("<YYYYMMDD>", "", dateArgument),
  ).action(detail);
  registerDayActions(day);
  registerAdopt(day);
}

/** Loaded days whose pack was built before `version`; without one, before the service's own. */
export function builtBefore(options: ServiceOptions, version: string | undefined): Promise<BuiltBefore> {
  const query = version === undefined ? "" : `?version=${version}`;
  return serviceOf(options).request(builtBeforeSchema, "GET", `/admin/days/built-before${query}`);
}

async function listBuiltBefore(options: ServiceOptions, version: string): Promise<void> {
  const answer = await builtBefore(options, version);
  const rows = answer.days.map(({ tradedate, revision, state, builderVersion }) => [
    tradedate,
    String(revision),
    state,
    builderVersion ?? "none",
  ]);
  const none = `No loaded day was built before ${version}.`;
  print(options, answer, rows.length === 0 ? none : table(["day", "revision", "state", "builder"], rows));
}

async function list(options: ServiceOptions & { month?: string; builtBefore?: string }): Promise<void> {
  if (options.builtBefore !== undefined) return listBuiltBefore(options, options.builtBefore);
  const month = options.month ?? beijingDate(Date.now()).slice(0, 6);
  const answer = await serviceOf(options).request(dayListSchema, "GET", `/admin/days?month=${month}`);
  const lines =
    answer.days.length === 0
      ? [`No day of ${month} is loaded or expected.`]
      : table(
          ["day", "revision", "state", "securities", "orders", "size", "published", "note"],
          answer.days.map(overviewRow),
        );
  print(options, answer, lines);
}

function overviewRow(day: DayOverview): string[] {
  const number = (value: number | null) => (value === null ? "-" : countText(value));
  return [
    day.tradedate,
    number(day.revision),
    day.state,
    number(day.securities),
    number(day.rows),
    day.sizeBytes === null ? "-" : sizeText(day.sizeBytes),
    day.publishedAt ?? "-",
    day.note,
  ];
}

async function detail(tradedate: BeijingDate, options: ServiceOptions): Promise<void> {
  const answer = await serviceOf(options).request(dayDetailSchema, "GET", `/admin/days/${tradedate}`);
  const { day, comparison, revisions } = answer;
  const served = day.state === "available" ? "served" : "not served";
  const usual = (median: number) => (comparison.days === 0 ? "-" : countText(median));
  const note = day.note === "" ? "" : `: ${day.note}`;
  print(options, answer, [
    `${day.tradedate}: revision ${day.revision} is ${served} (${stateOf(day)}${note})`,
    "",
    ...table(
      ["exchange", "orders", "usual", "securities", "usual", ""],
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
      ["revision", "securities", "orders", "size", "published", "replaced", "builder", "build id", "decided"],
      revisions.map((each) => [
        String(each.revision),
        countText(each.securities),
        countText(each.rows),
        sizeText(each.sizeBytes),
        each.publishedAt,
        each.replacedAt ?? "-",
        each.builderVersion ?? "-",
        each.buildId,
        decidedText(each),
      ]),
    ),
  ]);
}

/** Why a revision's content is not served again without an operator's word. */
function decidedText({ withdrawn, damaged }: DayRevision): string {
  if (damaged !== null) return `damaged: ${damaged.note}`;
  if (withdrawn === null) return "";
  return `withdrawn by ${withdrawn.by}${withdrawn.note === "" ? "" : `: ${withdrawn.note}`}`;
}
