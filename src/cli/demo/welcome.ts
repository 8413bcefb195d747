/** What `npm start` prints when everything is served. */
import { table } from "../service-options.ts";
import { DEMO_ACCOUNTS } from "./demo-accounts.ts";

/** `demo.json`, for scripts. */
export interface Demo {
  baseUrl: string;
  adminToken: string;
  keys: Record<string, string>;
  /** YYYYMMDD, ascending. */
  days: string[];
}

/** Address, keys, days and a request to paste, as lines for a terminal. */
export function welcome(
  { baseUrl, keys, days }: Demo,
  said: { withoutHolidays: number[]; consoleUrl: string; demoFile: string; logFile: string },
): string {
  const { withoutHolidays, consoleUrl, demoFile, logFile } = said;
  const rows = DEMO_ACCOUNTS.map(({ name, says }) => [name, keys[name] ?? "", says]);
  return [
    `edgetape is serving at ${baseUrl}/api`,
    "",
    ...table(["demo key", "", "order history"], rows),
    "",
    `Sample days: ${days.join(" ")} (invented orders of 600519, 300750 and others)`,
    ...withoutHolidays.map(
      (year) =>
        `The holidays of ${year} are not in the library yet: every weekday of it counts as a trading day.`,
    ),
    "",
    "Try it:",
    "",
    pastedRequest(baseUrl, keys.flagship ?? "", days.at(-1) ?? ""),
    "",
    "And the share of that year's auction packs, whose address opens in a browser:",
    "",
    pastedShareRequest(baseUrl, keys.flagship ?? "", days.at(-1) ?? ""),
    "",
    "The console of the flagship account; the link signs in once:",
    "",
    consoleUrl,
    "",
    `For scripts: ${demoFile}`,
    `Log:         ${logFile}`,
    "Stop with Ctrl-C.",
  ].join("\n");
}

/** A `curl` command for one page of five orders. */
export function pastedRequest(baseUrl: string, apikey: string, tradedate: string): string {
  const body = JSON.stringify({
    apiname: "level2_order_history",
    apikey,
    params: { symbol: "600519", tradedate, start_time: "09:30", page_size: 5 },
  });
  return pasted(baseUrl, body);
}

/** A `curl` command for the share of auction packs of the year of `tradedate`. */
export function pastedShareRequest(baseUrl: string, apikey: string, tradedate: string): string {
  const params = { data_type: "auction_tick", year: Number(tradedate.slice(0, 4)) };
  return pasted(baseUrl, JSON.stringify({ apiname: "file_download", apikey, params }));
}

function pasted(baseUrl: string, body: string): string {
  return `curl -s ${baseUrl}/api -H 'Content-Type: application/json' -d '${body}'`;
}
