/** `edgetape external`: drives elsewhere that plans of the whole year are sent to in the place of ours. */
import { text } from "node:stream/consumers";
import { type Command, InvalidArgumentError } from "commander";
import {
  type ExternalList,
  type ExternalShareInput,
  type ExternalSummary,
  externalListSchema,
} from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { sizeText } from "../amounts.ts";
import { countArgument, dateArgument, instantArgument } from "../arguments.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "../confirm.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { dataTypeOption } from "../files/file-commands.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "../service-options.ts";

interface DriveOptions extends ServiceOptions {
  type: string;
  year: number;
}

interface SetOptions extends DriveOptions {
  from: BeijingDate;
  to: BeijingDate;
  files: number;
  bytes: number;
  link?: string;
  expires?: number;
  passwordStdin?: boolean;
}

/** Registers `external set`, `external clear` and `external list`. */
export function registerExternal(program: Command): void {
  const external = program.command("external").description("shares on drives elsewhere");
  withDrive(
    external
      .command("set")
      .description(
        "answer this drive to plans of the whole year; without --link it is answered as being prepared",
      )
      .requiredOption("--from <YYYYMMDD>", "the first day it covers", dateArgument)
      .requiredOption("--to <YYYYMMDD>", "the last day it covers", dateArgument)
      .requiredOption("--files <count>", "how many daily files it holds", countArgument)
      .requiredOption("--bytes <count>", "how many bytes they have", countArgument)
      .option("--link <address>", "its address")
      .option("--expires <instant>", "when the link stops working: a date or RFC 3339", instantArgument)
      .option("--password-stdin", "read its password from standard input (or EDGETAPE_EXTERNAL_PASSWORD)"),
  ).action(set);
  withDrive(
    external
      .command("clear")
      .description("answer our own drive again and forget this one, its password too")
      .option(...YES_OPTION),
  ).action(clear);
  withService(external.command("list").description("every drive elsewhere")).action(list);
}

function withDrive(command: Command): Command {
  return withService(
    command.addOption(dataTypeOption()).requiredOption("--year <YYYY>", "the year it is for", yearArgument),
  );
}

function yearArgument(text: string): number {
  if (!/^\d{4}$/.test(text)) throw new InvalidArgumentError("expected a year as YYYY.");
  return Number(text);
}

async function set(options: SetOptions): Promise<void> {
  const body: ExternalShareInput = {
    firstDay: options.from,
    lastDay: options.to,
    fileCount: options.files,
    sizeBytes: options.bytes,
    link: await linkOf(options),
  };
  const path = `/admin/external/${options.type}/${options.year}`;
  show(options, await serviceOf(options).request(externalListSchema, "PUT", path, { body }));
}

/** A password never stands on the command line, where other users of the machine would see it. */
async function linkOf({ link, expires, passwordStdin }: SetOptions): Promise<ExternalShareInput["link"]> {
  if (link === undefined && expires === undefined && !passwordStdin) return null;
  if (link === undefined || expires === undefined) {
    throw new CommandFailure("A link has an address and an end: give --link and --expires.", EXIT.usage);
  }
  const given = passwordStdin ? await text(process.stdin) : (process.env.EDGETAPE_EXTERNAL_PASSWORD ?? "");
  return { url: link, expires, password: given.replace(/\r?\n$/, "") };
}

async function clear(options: DriveOptions & ConfirmOptions): Promise<void> {
  const drive = `the drive elsewhere of ${options.type} ${options.year}`;
  await confirm(`Forget ${drive}, with its link and password?`, options);
  const path = `/admin/external/${options.type}/${options.year}/clear`;
  show(options, await serviceOf(options).request(externalListSchema, "POST", path));
}

async function list(options: ServiceOptions): Promise<void> {
  show(options, await serviceOf(options).request(externalListSchema, "GET", "/admin/external"));
}

function show(options: ServiceOptions, answer: ExternalList): void {
  const row = ({ dataType, year, firstDay, lastDay, fileCount, sizeBytes, link }: ExternalSummary) => [
    dataType,
    String(year),
    `${firstDay}-${lastDay}`,
    String(fileCount),
    sizeText(sizeBytes),
    link === null ? "being prepared" : `until ${link.expiresAt}`,
    link === null ? "" : `${link.secretVersion}`,
    link?.url ?? "",
  ];
  const headings = ["type", "year", "days", "files", "size", "state", "secret", "link"];
  const { external } = answer;
  print(
    options,
    answer,
    external.length === 0 ? "No drive elsewhere is registered." : table(headings, external.map(row)),
  );
}
