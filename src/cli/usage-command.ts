/** `edgetape usage`: shows the usage of each account in a month, for billing. */
import * as wire from "../admin/wire.ts";
import { beijingDate } from "../calendar/beijing.ts";
import { command } from "./command.ts";
import { countText, sizeText, table } from "./command-line.ts";
import * as option from "./option.ts";

export const usage = command("usage", {
  says: "show requests, files and bytes of each account in a month, by interface",
  options: {
    month: option.month("the month to report, in Beijing time (default: the current month)"),
    csv: option.flag("print CSV for billing: account,service,requests,files,bytes"),
  },
  help:
    "\nRequests of every kind count, including those for whole files; credited requests do not. Bytes are those of the\n" +
    "answers' bodies. Accounts without requests are omitted. The last ten minutes may be missing.",
  async run({ client, print }, { csv, ...options }) {
    const current = beijingDate(Date.now()).slice(0, 6);
    const { month = current } = options;
    const answer = await client.get(wire.usageListSchema, `/admin/usage?month=${month}`);
    print(answer, csv ? csvOf(answer) : tableOf(answer));
    if (month === current) {
      process.stderr.write(`${month} is not over, and requests of the last ten minutes may be missing.\n`);
    }
  },
});

const COLUMNS = ["account", "service", "requests", "files", "bytes"];

/** Returns RFC 4180 lines: a header, then one for each account and service, with plain digits. */
export function csvOf({ usage }: wire.UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) =>
    [accountId, service, requests, files, bytes].map((value) => quoted(String(value))).join(","),
  );
  return [COLUMNS.join(","), ...rows];
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tableOf({ month, usage }: wire.UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) => [
    accountId,
    service,
    countText(requests),
    countText(files),
    sizeText(bytes),
  ]);
  return table(COLUMNS, rows, `no requests in ${month}`);
}
