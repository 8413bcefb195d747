/**
 * `edgetape share` and `edgetape external`: accounts' shares, the versions of `SHARE_SECRET`, and external shares. For
 * plans that include the whole year, an external share replaces the service's own share.
 */

import { text } from "node:stream/consumers";
import type { Command } from "commander";
import {
  type ExternalList,
  type ExternalShareInput,
  type ExternalSummary,
  externalListSchema,
  rotatedSecretSchema,
  type SecretVersions,
  type ShareList,
  type ShareSummary,
  secretVersionsSchema,
  shareListSchema,
  shareSummarySchema,
} from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import {
  confirm,
  countArgument,
  dateArgument,
  instantArgument,
  numberArgument,
  print,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  sizeText,
  table,
  YES_OPTION,
} from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { dataTypeOption } from "./file-commands.ts";

/** Registers `share …`. */
export function registerShares(program: Command): void {
  const share = serviceCommand(program, "share").description("list and revoke shares of daily files");
  share
    .command("list [account]")
    .description("list every share of an account, newest first; without an account, all valid shares")
    .action(list);
  share
    .command("revoke")
    .description(
      "revoke a share (within 30 s everywhere); the account's next request creates a new one with a different password",
    )
    .argument("<share id>", "the last part of its URL")
    .option(...YES_OPTION)
    .action(revoke);
  registerSecrets(share);
}

async function list(account: string | undefined, options: ServiceOptions): Promise<void> {
  const client = serviceOf(options);
  const shares: ShareSummary[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const query = new URLSearchParams(account === undefined ? { after } : { account });
    const page: ShareList = await client.request(shareListSchema, "GET", `/admin/shares?${query}`);
    shares.push(...page.shares);
    after = page.next;
  }
  const rows = shares.map((share) => [
    share.shareId,
    share.accountId,
    share.dataType,
    String(share.year),
    share.createdAt,
    share.revokedAt === null ? "valid for 7 days, or until the plan ends" : `revoked ${share.revokedAt}`,
  ]);
  const none =
    account === undefined ? "No share is valid." : `Account ${account} has never requested a share.`;
  const headings = ["share id", "account", "type", "year", "created", "state"];
  print(options, { shares }, table(headings, rows, none));
}

async function revoke(shareId: string, options: ServiceOptions): Promise<void> {
  await confirm(`Revoke share ${shareId} permanently?`, options);
  const path = `/admin/shares/${encodeURIComponent(shareId)}/revoke`;
  const share = await serviceOf(options).request(shareSummarySchema, "POST", path, { repeatable: true });
  const { accountId, revokedAt } = share;
  print(options, share, `Share ${share.shareId} of account ${accountId} was revoked at ${revokedAt}.`);
}

const SECRET_PATH = "/admin/shares/secret";

function registerSecrets(share: Command): void {
  share
    .command("secret")
    .description("list the versions of SHARE_SECRET and what depends on each")
    .action(showSecret);
  share
    .command("rotate")
    .description("re-encrypt passwords of external shares under the current version of SHARE_SECRET")
    .option(
      "--revoke-older",
      "also revoke the shares of older versions now, for example after a secret has leaked",
    )
    .option(...YES_OPTION)
    .addHelpText(
      "after",
      "\nFirst set the secret SHARE_SECRET to `<old>,<version + 1>:<new>`. Afterwards remove the versions that are\n" +
        "no longer needed; shares of older versions end within 7 days.",
    )
    .action(rotate);
}

async function showSecret(options: ServiceOptions): Promise<void> {
  const versions = await serviceOf(options).request(secretVersionsSchema, "GET", SECRET_PATH);
  print(options, versions, versionLines(versions));
}

async function rotate(options: ServiceOptions & { revokeOlder?: boolean }): Promise<void> {
  const client = serviceOf(options);
  const { current, versions } = await client.request(secretVersionsSchema, "GET", SECRET_PATH);
  const older = versions.filter(({ version }) => version < current);
  const count = older.reduce((sum, { shares }) => sum + shares, 0);
  if (options.revokeOlder && count > 0) {
    await confirm(`Revoke ${count} shares of versions before ${current} at once?`, options);
  }
  const request = { body: { olderShares: options.revokeOlder ? "revoke" : "keep" }, repeatable: true };
  const rotated = await client.request(rotatedSecretSchema, "POST", `${SECRET_PATH}/rotate`, request);
  const drives = rotated.resealed.map(({ dataType, year }) => `${dataType} ${year}`);
  const encrypted =
    drives.length === 0 ? "No passwords of external shares" : `The passwords of ${drives.join(", ")}`;
  print(options, rotated, [
    `${encrypted} were re-encrypted; ${rotated.revoked} shares were revoked.`,
    ...versionLines(rotated),
  ]);
}

function versionLines({ current, versions }: SecretVersions): string[] {
  return table(
    ["version", "in SHARE_SECRET", "shares", "external shares", ""],
    versions.map(({ version, present, shares, drives }) => [
      String(version),
      present ? "yes" : "no",
      String(shares),
      String(drives),
      adviceOf({ current, version, present, isNeeded: shares + drives > 0 }),
    ]),
  );
}

function adviceOf(of: { current: number; version: number; present: boolean; isNeeded: boolean }): string {
  if (of.version === of.current) return "current";
  if (!of.present) return of.isNeeded ? "missing: restore it, because shares depend on it" : "";
  return of.isNeeded ? "still needed" : "can be removed";
}

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
  const external = serviceCommand(program, "external").description("manage external shares");
  withDrive(
    external
      .command("set")
      .description(
        "register an external share for whole-year plans; without --link it is reported as being prepared",
      )
      .requiredOption("--from <YYYYMMDD>", "the first day that the share covers", dateArgument)
      .requiredOption("--to <YYYYMMDD>", "the last day that the share covers", dateArgument)
      .requiredOption("--files <count>", "the number of daily files in the share", countArgument)
      .requiredOption("--bytes <count>", "the total size of the files in bytes", countArgument)
      .option("--link <address>", "the URL of the share")
      .option("--expires <instant>", "when the link stops working: a date or RFC 3339", instantArgument)
      .option("--password-stdin", "read the password from standard input (or EDGETAPE_EXTERNAL_PASSWORD)"),
  ).action(setExternal);
  withDrive(
    external
      .command("clear")
      .description(
        "remove an external share, its link and its password; the service's own share is used again",
      )
      .option(...YES_OPTION),
  ).action(clearExternal);
  external.command("list").description("list every external share").action(listExternal);
}

function withDrive(command: Command): Command {
  return command
    .addOption(dataTypeOption())
    .requiredOption("--year <YYYY>", "the year of the share", yearArgument);
}

const yearArgument = numberArgument(/^\d{4}$/, "a year as YYYY");

const externalPath = ({ type, year }: DriveOptions) => `/admin/external/${type}/${year}`;

async function setExternal(options: SetOptions): Promise<void> {
  const body: ExternalShareInput = {
    firstDay: options.from,
    lastDay: options.to,
    fileCount: options.files,
    sizeBytes: options.bytes,
    link: await linkOf(options),
  };
  const path = externalPath(options);
  showExternal(options, await serviceOf(options).request(externalListSchema, "PUT", path, { body }));
}

/**
 * Returns the link, or null if no option for a link is given. No option accepts the password, because other users can
 * see command lines.
 */
async function linkOf({ link, expires, passwordStdin }: SetOptions): Promise<ExternalShareInput["link"]> {
  if (link === undefined && expires === undefined && !passwordStdin) return null;
  if (link === undefined || expires === undefined) {
    throw new CommandFailure("A link needs an expiry: give --link and --expires together.", EXIT.usage);
  }
  const given = passwordStdin ? await text(process.stdin) : (process.env.EDGETAPE_EXTERNAL_PASSWORD ?? "");
  return { url: link, expires, password: given.replace(/\r?\n$/, "") };
}

async function clearExternal(options: DriveOptions): Promise<void> {
  const { type, year } = options;
  await confirm(`Remove the external share of ${type} ${year} with its link and password?`, options);
  const path = `${externalPath(options)}/clear`;
  showExternal(options, await serviceOf(options).request(externalListSchema, "POST", path));
}

async function listExternal(options: ServiceOptions): Promise<void> {
  showExternal(options, await serviceOf(options).request(externalListSchema, "GET", "/admin/external"));
}

function showExternal(options: ServiceOptions, answer: ExternalList): void {
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
  print(options, answer, table(headings, answer.external.map(row), "No external share is registered."));
}
