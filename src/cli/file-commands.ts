/**
 * `edgetape files`: daily files in shares besides the day packs. `files add` begins or resumes an upload, sends the
 * missing parts and completes it. Shares change only when a file is published, so a killed command can be run again.
 */

import { basename } from "node:path";
import { type Command, Option } from "commander";
import { dataTypeSchema, type FileSummary, fileNameProblem } from "../admin/wire.ts";
import { auctionPackName } from "../auction/columns.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { dailyFileProblem } from "../pack-builder/daily-file.ts";
import { type LocalFile, openLocalFile } from "../pack-builder/local-file.ts";
import {
  confirm,
  dateArgument,
  monthArgument,
  print,
  revisionArgument,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  sizeText,
  table,
  YES_OPTION,
} from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { byteProgress } from "./progress.ts";
import { addFile, type FilePlace, listFiles, publishFile, withdrawFile } from "./uploads.ts";

interface PlaceOptions extends ServiceOptions {
  type: FileSummary["dataType"];
  date: BeijingDate;
  name?: string;
}

/** Returns the option `--type`. */
export function dataTypeOption(): Option {
  return typeOption().makeOptionMandatory();
}

function typeOption(description = "the kind of files"): Option {
  return new Option("--type <type>", description).choices(dataTypeSchema.options);
}

/** Registers `files add`, `files list`, `files publish` and `files withdraw`. */
export function registerFiles(program: Command): void {
  const files = serviceCommand(program, "files").description(
    "add, list, publish and withdraw daily files for shares",
  );
  withPlace(
    files
      .command("add")
      .description(
        "upload a daily file and check it; shares offer it once it is published. Run it again after any interruption",
      )
      .argument("<file>", "an auction pack, or any file of the day for level2 shares")
      .option("--publish", "publish the file at once, in place of its previous revision in shares")
      .option("--force", "with --publish: also publish in place of a withdrawn file"),
    "its name in shares, which must contain the date (default: the file's own name)",
  ).action(add);
  files
    .command("list")
    .description("list the files of a month with their states")
    .addOption(typeOption("the kind of files (default: all)"))
    .option("--month <YYYYMM>", "the month (default: the current one)", monthArgument)
    .action(list);
  const name = "the file's name in the share; not needed for an auction pack";
  withPlace(
    files
      .command("publish")
      .description("publish an added or withdrawn file in shares")
      .option(
        "--revision <n>",
        "the revision that you have checked; needed when several can be published",
        revisionArgument,
      )
      .option("--force", "publish even in place of a withdrawn file"),
    name,
  ).action(publish);
  withPlace(
    files
      .command("withdraw")
      .description(
        "stop offering a file at once; an answer that is being sent still finishes, but no download can be resumed",
      )
      .option("--note <text>", "the reason, for the list and the audit")
      .option(...YES_OPTION),
    name,
  ).action(withdraw);
}

function withPlace(command: Command, name: string): Command {
  return command
    .addOption(dataTypeOption())
    .requiredOption("--date <YYYYMMDD>", "the trading day", dateArgument)
    .option("--name <name>", name);
}

async function add(
  path: string,
  options: PlaceOptions & { publish?: boolean; force?: boolean },
): Promise<void> {
  const client = serviceOf(options);
  const place = placeOf(options, basename(path));
  const file = await openDailyFile(path, place);
  try {
    const progress = byteProgress(`sending ${place.name}`, file.sizeBytes);
    const added = await addFile(client, place, file, { onSent: progress.update });
    progress.end();
    const ask = { revision: added.revision, force: options.force ?? false };
    show(options, options.publish ? await publishFile(client, place, ask) : added);
  } finally {
    await file.close();
  }
}

async function publish(options: PlaceOptions & { revision?: number; force?: boolean }): Promise<void> {
  const place = placeOf(options);
  const { revision, force = false } = options;
  const ask = revision === undefined ? { force } : { revision, force };
  show(options, await publishFile(serviceOf(options), place, ask));
}

async function withdraw(options: PlaceOptions & { note?: string }): Promise<void> {
  const place = placeOf(options);
  await confirm(`Withdraw ${place.name} from every ${place.dataType} share at once?`, options);
  show(options, await withdrawFile(serviceOf(options), place, options.note ?? ""));
}

/**
 * Returns a file's type, day and name. The name is `name`, else `fallback`, else the fixed name of an auction pack.
 * Throws `CommandFailure` for an invalid name.
 */
function placeOf({ type: dataType, date: tradedate, name }: PlaceOptions, fallback?: string): FilePlace {
  const only = dataType === "auction_tick" ? auctionPackName(tradedate) : undefined;
  const called = name ?? fallback ?? only;
  if (called === undefined) throw new CommandFailure("Name the file of the day with --name.", EXIT.usage);
  const place = { dataType, tradedate, name: called };
  refuseWrongName(place);
  return place;
}

async function list(options: ServiceOptions & { type?: string; month?: string }): Promise<void> {
  const client = serviceOf(options);
  const month = options.month ?? beijingDate(Date.now()).slice(0, 6);
  // Day 0 of the next month is the last day of this month.
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)), 0)).getUTCDate();
  const types = options.type === undefined ? dataTypeSchema.options : [options.type];
  const files: FileSummary[] = [];
  for (const type of types) {
    files.push(...(await listFiles(client, type, `${month}01`, `${month}${last}`)));
  }
  const rows = files.map((file) => [
    file.tradedate,
    file.dataType,
    file.name,
    String(file.revision),
    fileStateOf(file),
    sizeText(file.sizeBytes),
    file.publishedAt ?? "",
    ORIGINS[file.origin],
  ]);
  const kind = options.type === undefined ? "files" : `${options.type} files`;
  const none = `No ${kind} were added in ${month}; --month YYYYMM shows another month.`;
  const headings = ["day", "type", "file", "revision", "state", "size", "published", "made by"];
  print(options, { files }, table(headings, rows, none));
}

/** The origin of a file as text. */
const ORIGINS: Record<FileSummary["origin"], string> = {
  operator: "operator",
  builder: "edgetape, from quotes",
};

function show(options: ServiceOptions, file: FileSummary): void {
  const facts = `revision ${file.revision}, ${sizeText(file.sizeBytes)}, SHA-256 ${file.sha256}`;
  print(options, file, `${file.name} is ${fileStateOf(file)}: ${facts}.`);
}

/** Returns the state as text; `verifying` means checked and waiting for `files publish`. */
function fileStateOf({ state, stateNote }: FileSummary): string {
  const word = state === "verifying" ? "added, not published yet" : state;
  return stateNote === "" ? word : `${word} (${stateNote})`;
}

/** Throws `CommandFailure` for an invalid name, before anything is read. */
export function refuseWrongName({ dataType, tradedate, name }: FilePlace): void {
  const problem = fileNameProblem(dataType, tradedate, name);
  if (problem !== null) throw new CommandFailure(`${name}: ${problem}.`, EXIT.usage);
}

/**
 * Opens the file at `path` for `place`. Throws `CommandFailure` for an unreadable or empty file, and for a Parquet file
 * with a page that cannot be decoded. With `root`, no link is followed and nothing outside `root` is read. The caller
 * closes the file.
 */
export async function openDailyFile(path: string, place: FilePlace, root?: string): Promise<LocalFile> {
  const opened = await openLocalFile(path, root);
  if (!opened.ok) {
    const { code } = opened.refusal;
    throw new CommandFailure(
      code === "ELOOP"
        ? `${path} is a link, and links are not followed; put the file itself there.`
        : `${path} cannot be read (${code}).`,
    );
  }
  const file = opened.value;
  const problem = await dailyFileProblem(path, file, place);
  if (problem === null) return file;
  await file.close();
  throw new CommandFailure(`${path} is refused: ${problem}.`);
}
