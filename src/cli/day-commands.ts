/** `edgetape days` and `edgetape day`: what the service serves. */
import { type Command, InvalidArgumentError } from "commander";
import { type DaySummary, dayDetailSchema, dayListSchema } from "../admin/wire.ts";
import { type BeijingDate, beijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { megabytes } from "./progress.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

/** Registers `days` and `day`. */
export function registerDays(program: Command): void {
  withService(
    program
      .command("days")
      .description("the days of a month that are served")
      .option("--month <YYYYMM>", "the month; the present one when absent", monthArgument),
  ).action(list);
  withService(
    program.command("day").description("one day and its revisions").argument("<YYYYMMDD>", "", dateArgument),
  ).action(detail);
}

/** A command-line month; commander prints the sentence. */
export function monthArgument(text: string): string {
  if (!/^\d{4}(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError("expected a month as YYYYMM.");
  return text;
}

/** A command-line date; commander prints the sentence. */
export function dateArgument(text: string): BeijingDate {
  const date = parseBeijingDate(text);
  if (date === null) throw new InvalidArgumentError("expected a real calendar day as YYYYMMDD.");
  return date;
}

async function list(options: ServiceOptions & { month?: string }): Promise<void> {
  const month = options.month ?? beijingDate(Date.now()).slice(0, 6);
  const answer = await serviceOf(options).request(dayListSchema, "GET", `/admin/days?month=${month}`);
  const lines =
    answer.days.length === 0
      ? [`No day of ${month} is published.`]
      : table(
          ["day", "revision", "state", "securities", "orders", "MB", "published"],
          answer.days.map((day) => [
            day.tradedate,
            String(day.revision),
            stateOf(day),
            String(day.securities),
            String(day.rows),
            megabytes(day.sizeBytes),
            day.publishedAt,
          ]),
        );
  print(options, answer, lines);
}

async function detail(tradedate: BeijingDate, options: ServiceOptions): Promise<void> {
  const answer = await serviceOf(options).request(dayDetailSchema, "GET", `/admin/days/${tradedate}`);
  print(options, answer, [
    `${answer.day.tradedate}: revision ${answer.day.revision} is served (${stateOf(answer.day)})`,
    ...table(
      ["revision", "securities", "orders", "MB", "published", "replaced", "build id"],
      answer.revisions.map((each) => [
        String(each.revision),
        String(each.securities),
        String(each.rows),
        megabytes(each.sizeBytes),
        each.publishedAt,
        each.replacedAt ?? "-",
        each.buildId,
      ]),
    ),
  ]);
}

function stateOf(day: DaySummary): string {
  return day.degraded ? `${day.state}, degraded` : day.state;
}
