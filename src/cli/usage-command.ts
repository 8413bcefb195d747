/** `edgetape usage`: shows the usage of each account in a month, for billing. */
import type { Command } from "commander";
import { type UsageList, usageListSchema } from "../admin/wire.ts";
import { beijingDate } from "../calendar/beijing.ts";
import {
  countText,
  monthArgument,
  print,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  sizeText,
  table,
} from "./command-line.ts";

interface UsageOptions extends ServiceOptions {
  month?: string;
  csv?: boolean;
}

/** Registers `usage`. */
export function registerUsage(program: Command): void {
  serviceCommand(program, "usage")
    .description("show requests, files and bytes of each account in a month, by interface")
    .option(
      "--month <YYYYMM>",
      "the month to report, in Beijing time (default: the current month)",
      monthArgument,
    )
    .option("--csv", "print CSV for billing: account,service,requests,files,bytes")
    .addHelpText(
      "after",
      "\nRequests of every kind count, including those for whole files; credited requests do not. Bytes are those of the\n" +
        "answers' bodies. Accounts without requests are omitted. The last ten minutes may be missing.",
    )
    .action(usage);
}

async function usage(options: UsageOptions): Promise<void> {
  const current = beijingDate(Date.now()).slice(0, 6);
  const { month = current } = options;
  const answer = await serviceOf(options).request(usageListSchema, "GET", `/admin/usage?month=${month}`);
  print(options, answer, options.csv === true ? csvOf(answer) : tableOf(answer));
  if (month === current) {
    process.stderr.write(`${month} is not over, and requests of the last ten minutes may be missing.\n`);
  }
}

const COLUMNS = ["account", "service", "requests", "files", "bytes"];

/**
 * Returns the lines of an RFC 4180 file: a header, then one line for each account and service. Counts are plain digits.
 */
export function csvOf({ usage }: UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) =>
    [accountId, service, requests, files, bytes].map((value) => quoted(String(value))).join(","),
  );
  return [COLUMNS.join(","), ...rows];
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tableOf({ month, usage }: UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) => [
    accountId,
    service,
    countText(requests),
    countText(files),
    sizeText(bytes),
  ]);
  return table(COLUMNS, rows, `no requests in ${month}`);
}
