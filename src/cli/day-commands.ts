/**
 * `edgetape days` and `edgetape day`: show the days of the service, and withdraw, restore, publish or adopt one. An
 * action reads the day, asks for confirmation, and sends the revision number that it has read. If two operators act at
 * the same time, only one of them therefore succeeds.
 */
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type AdoptableDay,
  type AdoptDay,
  adoptableListSchema,
  type BuiltBefore,
  builtBeforeSchema,
  type DayChanged,
  type DayDetail,
  type DayList,
  type DayOverview,
  type DayRevision,
  type DaySummary,
  dayChangedSchema,
  dayDetailSchema,
  dayListSchema,
  publishedSchema,
} from "../admin/wire.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { readSheet, sheetName, sheetPageName } from "../pack-builder/check-packs.ts";
import { sheetLines } from "../quality/sheet-text.ts";
import { type AdminClient, HASHING_MS } from "./admin-client.ts";
import { auctionBeside, withdrawAuction } from "./auction-publishing.ts";
import {
  confirm,
  countText,
  datasetOption,
  dateArgument,
  monthArgument,
  print,
  revisionArgument,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  sizeText,
  table,
  versionArgument,
  YES_OPTION,
} from "./command-line.ts";
import { countsOf, type DatasetOptions, datasetsOf, dayPath, inDataset } from "./dataset-days.ts";
import { detailLines, stateOf } from "./day-lines.ts";
import { CommandFailure, EXIT, ServiceRefusal } from "./exit.ts";

/** Registers `days` and `day …`. */
export function registerDays(program: Command): void {
  serviceCommand(program, "days")
    .description("list the days of a month: loaded, expected and missing ones")
    .option("--month <YYYYMM>", "the month (default: the current one)", monthArgument)
    .option(
      "--built-before <version>",
      "instead of a month, list the loaded days whose pack was built by a version earlier than <version> or does not name its version",
      versionArgument,
    )
    .addOption(datasetOption("only this dataset (default: all)"))
    .action(list);
  const day = serviceCommand(program, "day").description(
    "show one day, withdraw it, restore earlier content, adopt a pack",
  );
  day
    .command("show", { isDefault: true })
    .description("show the day, its comparison with other days, and its revisions")
    .argument("<YYYYMMDD>", "", dateArgument)
    .addOption(datasetOption("only this dataset (default: all datasets of the day)"))
    .action(detail);
  registerDayActions(day);
  registerAdopt(day);
  registerQuality(day);
}

/**
 * Returns the loaded days of `dataset` whose pack was built by a version before `version`, by default the service's
 * version.
 */
export function builtBefore(
  options: ServiceOptions,
  version: string | undefined,
  dataset: DatasetName,
): Promise<BuiltBefore> {
  const query = version === undefined ? "" : `?version=${version}`;
  const path = inDataset(`/admin/days/built-before${query}`, dataset);
  return serviceOf(options).request(builtBeforeSchema, "GET", path);
}

/**
 * Returns an object with the answers by dataset. The values in the first answer are also at the top level, as in
 * earlier versions.
 */
function answersOf<T extends object>(answers: readonly [DatasetName, T][]): object {
  return { ...answers[0]?.[1], datasets: Object.fromEntries(answers) };
}

async function listBuiltBefore(options: ServiceOptions & DatasetOptions, version: string): Promise<void> {
  const answers: [DatasetName, BuiltBefore][] = [];
  for (const dataset of datasetsOf(options)) {
    answers.push([dataset, await builtBefore(options, version, dataset)]);
  }
  const rows = answers.flatMap(([dataset, { days }]) =>
    days.map(({ tradedate, revision, state, builderVersion }) => [
      dayName(tradedate, dataset),
      String(revision),
      state,
      builderVersion ?? "none",
    ]),
  );
  const none = `No loaded day was built by a version before ${version}.`;
  print(options, answersOf(answers), table(["day", "revision", "state", "builder"], rows, none));
}

interface ListOptions extends ServiceOptions, DatasetOptions {
  month?: string;
  builtBefore?: string;
}

async function list(options: ListOptions): Promise<void> {
  if (options.builtBefore !== undefined) return listBuiltBefore(options, options.builtBefore);
  const month = options.month ?? beijingDate(Date.now()).slice(0, 6);
  const client = serviceOf(options);
  const answers: [DatasetName, DayList][] = [];
  for (const dataset of datasetsOf(options)) {
    const path = inDataset(`/admin/days?month=${month}`, dataset);
    const answer = await client.request(dayListSchema, "GET", path);
    // A dataset without a loaded day in the month is not listed, because the deployment may not have the dataset.
    const isKnown = answer.days.some(({ revision }) => revision !== null);
    if (isKnown || dataset === (options.dataset ?? "orders")) answers.push([dataset, answer]);
  }
  const lines = answers.flatMap(([dataset, { days }]) => [
    ...(answers.length > 1 ? ["", `${dataset} of ${month}`, ""] : []),
    ...table(
      ["day", "revision", "state", "securities", DATASETS[dataset].rows, "size", "published", "note"],
      days.map(overviewRow),
      `No day of ${month} is loaded or expected.`,
    ),
  ]);
  print(options, answersOf(answers), lines);
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

async function detail(tradedate: BeijingDate, options: ServiceOptions & DatasetOptions): Promise<void> {
  const client = serviceOf(options);
  const answers: [DatasetName, DayDetail][] = [];
  let absent: ServiceRefusal | undefined;
  for (const dataset of datasetsOf(options)) {
    const path = dayPath(tradedate, dataset);
    await client.request(dayDetailSchema, "GET", path).then(
      (answer) => answers.push([dataset, answer]),
      (error: unknown) => {
        if (!(error instanceof ServiceRefusal) || error.refused.httpStatus !== 404) throw error;
        absent ??= error;
      },
    );
  }
  if (answers.length === 0 && absent !== undefined) throw absent;
  const lines = answers.flatMap((each, place) => [...(place === 0 ? [] : [""]), ...detailLines(...each)]);
  print(options, answersOf(answers), lines);
}

interface ActionOptions extends ServiceOptions {
  dataset: DatasetName;
  /** The revision that the operator expects to be the newest. When absent, the command acts on the newest revision. */
  ifRevision?: number;
}

function registerDayActions(day: Command): void {
  withAction(
    day
      .command("withdraw")
      .description(
        "stop serving a day (and, for quotes, its auction pack): immediately in shares, within 10 s on the API",
      )
      .option("--note <text>", "the reason, for other operators"),
  ).action(withdraw);
  withAction(
    day
      .command("restore")
      .description("serve the content of an earlier revision again, under a new revision number")
      .option(
        "--to <revision>",
        "serve the content of this revision, even if it is withdrawn (default: the latest content before the current one that is neither withdrawn nor damaged)",
        revisionArgument,
      ),
  )
    .addHelpText(
      "after",
      "\n`edgetape day show <YYYYMMDD>` lists the day's revisions and until when each can be restored: for 7 days\nafter it was replaced.",
    )
    .action(restore);
  withAction(
    day
      .command("publish")
      .description("serve the current content under a new revision number; this ends a withdrawal"),
  ).action(publish);
}

function withAction(command: Command): Command {
  return command
    .argument("<YYYYMMDD>", "", dateArgument)
    .addOption(datasetOption("the dataset of the day").default("orders"))
    .option("--if-revision <n>", "act only if this is still the day's newest revision", revisionArgument)
    .addOption(
      new Option("--revision <n>", "refused: was mistaken for --to").hideHelp().argParser(refuseRevision),
    )
    .option(...YES_OPTION);
}

function refuseRevision(): never {
  throw new InvalidArgumentError(
    "use --if-revision to act on the newest revision only if it has this number, or `day restore --to` to choose the revision to serve.",
  );
}

async function withdraw(date: BeijingDate, options: ActionOptions & { note?: string }): Promise<void> {
  const seen = await look(date, options);
  const hasAuction = options.dataset === "quotes";
  const also = hasAuction ? ", and the auction pack made from them" : "";
  await confirm(`Withdraw ${factsOf(seen)}${also}?`, options);
  const note = options.note ?? "";
  const result = await act(seen, options, "withdraw", { note });
  const { day, changed, actor } = result;
  const auction = hasAuction ? await withdrawAuction(serviceOf(options), date, note) : null;
  print(options, { ...result, auction }, [
    changed
      ? `${calledOf(day)}, revision ${day.revision}, is withdrawn.`
      : `${calledOf(day)}, revision ${day.revision}, was already withdrawn by ${actor}.`,
    ...(auction === null ? [] : [auction.note]),
  ]);
}

async function restore(date: BeijingDate, options: ActionOptions & { to?: number }): Promise<void> {
  const seen = await look(date, options);
  const numbers = seen.revisions.map(({ revision }) => revision).sort((a, b) => a - b);
  if (options.to !== undefined && !numbers.includes(options.to)) {
    const listed = numbers.slice(-20).join(", ");
    throw new CommandFailure(`${date} has no revision ${options.to}. Its revisions: ${listed}.`);
  }
  const wanted = seen.revisions.find(({ revision }) => revision === options.to);
  const from = options.to === undefined ? "earlier content" : `the content of revision ${options.to}`;
  await confirm(`Serve ${from}${decisionOf(wanted)} in place of ${factsOf(seen)}?`, options);
  const result = await act(seen, options, "restore", { state: seen.day.state, to: options.to });
  const source = seen.revisions
    .filter(({ buildId }) => buildId === result.day.buildId)
    .reduce((newest, { revision }) => Math.max(newest, revision), 0);
  const content = seen.day.buildId === result.day.buildId ? "same" : "different";
  await printServed(options, result, content, `, with the content of revision ${source}`);
}

async function publish(date: BeijingDate, options: ActionOptions): Promise<void> {
  const seen = await look(date, options);
  const wanted = seen.revisions.find(({ revision }) => revision === seen.day.revision);
  await confirm(`Serve this content${decisionOf(wanted)} as a new revision: ${factsOf(seen)}?`, options);
  const result = await act(seen, options, "publish", { state: seen.day.state });
  await printServed(options, result, "same");
}

function look(date: BeijingDate, options: ActionOptions): Promise<DayDetail> {
  return serviceOf(options).request(dayDetailSchema, "GET", dayPath(date, options.dataset));
}

/** Sends an action on a revision of the day: the one from `--if-revision`, or else the newest one that was read. */
function act(
  { day }: DayDetail,
  options: ActionOptions,
  action: "withdraw" | "restore" | "publish",
  more: object,
): Promise<DayChanged> {
  const path = dayPath(day.tradedate, options.dataset, `/${action}`);
  const body = { revision: options.ifRevision ?? day.revision, ...more };
  return serviceOf(options).request(dayChangedSchema, "POST", path, { body, silenceMs: HASHING_MS });
}

function factsOf({ day }: DayDetail): string {
  return `${calledOf(day)}, revision ${day.revision} (${stateOf(day)}, ${countsOf(day)}, published ${day.publishedAt})`;
}

function calledOf({ tradedate, dataset = "orders" }: DaySummary): string {
  return dayName(tradedate, dataset);
}

/** Returns a clause about the withdrawal of a revision's content, for the confirmation; empty if not withdrawn. */
function decisionOf(revision: DayRevision | undefined): string {
  const withdrawn = revision?.withdrawn ?? null;
  if (withdrawn === null) return "";
  const note = withdrawn.note === "" ? "" : `: ${withdrawn.note}`;
  return `, which ${withdrawn.by} withdrew at ${withdrawn.at}${note},`;
}

/** Prints what is served now and, for quotes, what the operator should know about the day's auction pack. */
async function printServed(
  options: ServiceOptions,
  result: { day: DaySummary },
  content: "same" | "different",
  origin = "",
): Promise<void> {
  const { day } = result;
  const facts = `${countsOf(day)}, ${sizeText(day.sizeBytes)}`;
  const isQuotes = day.dataset === "quotes";
  const auction = isQuotes ? await auctionBeside(serviceOf(options), day.tradedate, content) : null;
  print(options, { ...result, auction }, [
    `${calledOf(day)} is served as revision ${day.revision}${origin}: ${facts}.`,
    ...(auction === null ? [] : [auction.note]),
  ]);
}

interface AdoptOptions extends ServiceOptions {
  dataset: DatasetName;
  object?: string;
  sha256?: string;
  degraded?: boolean;
  force?: boolean;
}

function registerAdopt(day: Command): void {
  day
    .command("adoptable")
    .description("list packs in R2 that are not in the catalog, for example newer ones after a restore")
    .addOption(datasetOption("only this dataset (default: all)"))
    .action(listAdoptable);
  day
    .command("adopt")
    .description(
      "adopt a pack that is in R2 but not in the catalog: check it and serve it as the day's next revision, without uploading it again",
    )
    .argument("<YYYYMMDD>", "", dateArgument)
    .addOption(datasetOption("the dataset of the day").default("orders"))
    .option("--object <key>", "the pack's object key (default: the newest of the day)")
    .option("--sha256 <hex>", "the pack's SHA-256, if its object has none")
    .option("--degraded", "mark the day as degraded, because its build left rows out")
    .option("--force", "serve the pack even if the service finds the day implausible")
    .option(...YES_OPTION)
    .action(adopt);
}

/** Returns the days with packs of `dataset` that are not in the catalog, oldest first. */
async function adoptableDays(client: AdminClient, dataset: DatasetName): Promise<AdoptableDay[]> {
  const path = inDataset("/admin/days/adoptable", dataset);
  return (await client.request(adoptableListSchema, "GET", path, { silenceMs: HASHING_MS })).days;
}

async function listAdoptable(options: ServiceOptions & DatasetOptions): Promise<void> {
  const days: AdoptableDay[] = [];
  for (const dataset of datasetsOf(options)) days.push(...(await adoptableDays(serviceOf(options), dataset)));
  print(options, { days }, adoptableLines(days));
}

/** Returns the packs as a table. */
export function adoptableLines(days: readonly AdoptableDay[]): string[] {
  return table(
    ["day", "served now", "size", "uploaded", "object"],
    days.flatMap(({ dataset = "orders", tradedate, served, packs }) =>
      packs.map(({ objectKey, sizeBytes, uploadedAt }) => [
        dayName(tradedate, dataset),
        served === null ? "nothing" : `revision ${served}`,
        sizeText(sizeBytes),
        uploadedAt,
        objectKey,
      ]),
    ),
    "Every pack in R2 is in the catalog.",
  );
}

async function adopt(date: BeijingDate, options: AdoptOptions): Promise<void> {
  const client = serviceOf(options);
  const { dataset } = options;
  const called = dayName(date, dataset);
  const day = (await adoptableDays(client, dataset)).find(({ tradedate }) => tradedate === date);
  const pack = day?.packs.find(
    ({ objectKey }) => options.object === undefined || objectKey === options.object,
  );
  if (day === undefined || pack === undefined) {
    throw new CommandFailure(
      `R2 has no pack of ${called} that can be adopted; \`edgetape day adoptable\` lists the packs that can.`,
    );
  }
  const instead = day.served === null ? "" : ` in place of revision ${day.served}`;
  const facts = `${pack.objectKey} (${sizeText(pack.sizeBytes)}, uploaded ${pack.uploadedAt})`;
  await confirm(`Serve ${called} from ${facts}${instead}?`, options);
  const { sha256, degraded, force = false } = options;
  const body: AdoptDay = { objectKey: pack.objectKey, force, sha256, degraded };
  const path = dayPath(date, dataset, "/adopt");
  const request = { body, repeatable: true, silenceMs: HASHING_MS };
  await printServed(options, await client.request(publishedSchema, "POST", path, request), "different");
}

interface QualityOptions {
  folder: string;
  json?: boolean;
}

function registerQuality(day: Command): void {
  day
    .command("quality")
    .description("show the day's quality sheet, which `edgetape pack build` writes beside the packs")
    .argument("<YYYYMMDD>", "", dateArgument)
    .option("--folder <folder>", "the folder of the day's packs", ".")
    .option("--json", "print the sheet as JSON")
    .addHelpText("after", "\nExit status 1: a check failed, or there is no sheet.")
    .action(quality);
}

async function quality(tradedate: BeijingDate, options: QualityOptions): Promise<void> {
  const path = join(options.folder, sheetName(tradedate));
  const sheet = await readSheet(path);
  if ("problem" in sheet) {
    throw new CommandFailure(
      `The quality sheet ${path} cannot be shown: ${sheet.problem}. Name the folder of the day's packs with --folder, or build the packs again.`,
    );
  }
  const page = join(options.folder, sheetPageName(tradedate));
  print(options, sheet, [...sheetLines(sheet), `page        ${page}`]);
  if (sheet.verdict === "failed") process.exitCode = EXIT.failed;
}
