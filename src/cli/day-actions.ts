/**
 * `edgetape day withdraw|restore|publish`. Each looks at the day, asks, and names the revision it saw: of two
 * operators who act at once one wins and the other is told.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type DayChanged,
  type DayDetail,
  type DayRevision,
  type DaySummary,
  dayChangedSchema,
  dayDetailSchema,
} from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { HASHING_MS } from "./admin-client.ts";
import { countText, sizeText } from "./amounts.ts";
import { dateArgument, revisionArgument } from "./arguments.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "./confirm.ts";
import { CommandFailure } from "./exit.ts";
import { print, type ServiceOptions, serviceOf, withService } from "./service-options.ts";

interface ActionOptions extends ServiceOptions, ConfirmOptions {
  /** The newest revision that the operator knows of; the present one when absent. */
  ifRevision?: number;
}

/** Registers the actions below `day`. */
export function registerDayActions(day: Command): void {
  withAction(
    day
      .command("withdraw")
      .description("stop serving a day at once, for callers and shares")
      .option("--note <text>", "why, for other operators"),
  ).action(withdraw);
  withAction(
    day
      .command("restore")
      .description("serve the content of an earlier revision again, under a new number")
      .option(
        "--to <revision>",
        "the revision whose content is served, also a withdrawn one; when absent the newest other content that is neither withdrawn nor damaged",
        revisionArgument,
      ),
  )
    .addHelpText("after", "\n`edgetape day show <YYYYMMDD>` lists the day's revisions.")
    .action(restore);
  withAction(
    day
      .command("publish")
      .description("serve the present content again, under a new number: this ends its withdrawal"),
  ).action(publish);
}

function withAction(command: Command): Command {
  return withService(
    command
      .argument("<YYYYMMDD>", "", dateArgument)
      .option("--if-revision <n>", "only if this is still the day's newest revision", revisionArgument)
      .addOption(
        new Option("--revision <n>", "refused: it was taken for --to").hideHelp().argParser(refuseRevision),
      )
      .option(...YES_OPTION),
  );
}

function refuseRevision(): never {
  throw new InvalidArgumentError(
    "there is no such option: --if-revision acts only on that newest revision, and `day restore --to` chooses the revision to serve.",
  );
}

async function withdraw(date: BeijingDate, options: ActionOptions & { note?: string }): Promise<void> {
  const seen = await look(date, options);
  await confirm(`Withdraw ${factsOf(seen)}?`, options);
  const body = { revision: options.ifRevision ?? seen.day.revision, note: options.note ?? "" };
  const result = await act(date, options, "withdraw", body);
  const { day, changed, actor } = result;
  print(
    options,
    result,
    changed
      ? `${day.tradedate}, revision ${day.revision}, is withdrawn.`
      : `${day.tradedate}, revision ${day.revision}, was withdrawn already by ${actor}.`,
  );
}

async function restore(date: BeijingDate, options: ActionOptions & { to?: number }): Promise<void> {
  const seen = await look(date, options);
  const numbers = seen.revisions.map(({ revision }) => revision).sort((a, b) => a - b);
  if (options.to !== undefined && !numbers.includes(options.to)) {
    const listed = numbers.slice(-20).join(", ");
    throw new CommandFailure(`${date} has no revision ${options.to}. Its revisions: ${listed}.`);
  }
  const wanted = seen.revisions.find(({ revision }) => revision === options.to);
  const from = options.to === undefined ? "an earlier content" : `the content of revision ${options.to}`;
  await confirm(`Serve ${from}${decisionOf(wanted)} in place of ${factsOf(seen)}?`, options);
  const body = {
    revision: options.ifRevision ?? seen.day.revision,
    state: seen.day.state,
    ...(options.to === undefined ? {} : { to: options.to }),
  };
  printServed(options, await act(date, options, "restore", body));
}

async function publish(date: BeijingDate, options: ActionOptions): Promise<void> {
  const seen = await look(date, options);
  const wanted = seen.revisions.find(({ revision }) => revision === seen.day.revision);
  await confirm(`Serve this content${decisionOf(wanted)} under a new number: ${factsOf(seen)}?`, options);
  const body = { revision: options.ifRevision ?? seen.day.revision, state: seen.day.state };
  printServed(options, await act(date, options, "publish", body));
}

function look(date: BeijingDate, options: ServiceOptions): Promise<DayDetail> {
  return serviceOf(options).request(dayDetailSchema, "GET", `/admin/days/${date}`);
}

function act(
  date: BeijingDate,
  options: ServiceOptions,
  action: "withdraw" | "restore" | "publish",
  body: object,
): Promise<DayChanged> {
  return serviceOf(options).request(dayChangedSchema, "POST", `/admin/days/${date}/${action}`, {
    body,
    silenceMs: HASHING_MS,
  });
}

function factsOf({ day }: DayDetail): string {
  return `${day.tradedate}, revision ${day.revision} (${stateOf(day)}, ${countText(day.securities)} securities, ${countText(day.rows)} orders, published ${day.publishedAt})`;
}

/** What an operator decided about a revision's content, so that it is not undone unseen. */
export function decisionOf(revision: DayRevision | undefined): string {
  const withdrawn = revision?.withdrawn ?? null;
  if (withdrawn === null) return "";
  const note = withdrawn.note === "" ? "" : `: ${withdrawn.note}`;
  return `, which ${withdrawn.by} withdrew at ${withdrawn.at}${note},`;
}

function printServed(options: ServiceOptions, result: DayChanged): void {
  const { day } = result;
  const facts = `${countText(day.securities)} securities, ${countText(day.rows)} orders, ${sizeText(day.sizeBytes)}`;
  print(options, result, `${day.tradedate} is served as revision ${day.revision}: ${facts}.`);
}

/** The state in one or two words. */
export function stateOf(day: DaySummary): string {
  return day.degraded ? `${day.state}, degraded` : day.state;
}
