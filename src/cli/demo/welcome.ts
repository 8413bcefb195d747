/** The text that `npm start` prints when the first day is served. */
import { table } from "../command-line.ts";
import { DEMO_ACCOUNTS } from "./demo-accounts.ts";

/** `demo.json`, for scripts. */
export interface Demo {
  baseUrl: string;
  adminToken: string;
  keys: Record<string, string>;
  /** YYYYMMDD, ascending. */
  days: string[];
}

/** What the start of the demo loaded, and where its files are. */
export interface Said {
  /** Years whose holidays the library lacks; absent in an empty deployment. */
  withoutHolidays?: number[];
  /** Sample days that are still being built, newest first; absent in an empty deployment. */
  following?: readonly string[];
  /** A one-time link into the console; absent in an empty deployment. */
  consoleUrl?: string;
  demoFile: string;
  logFile: string;
}

/** Returns the URL, keys, days, example commands and links as lines for a terminal. */
export function welcome(demo: Demo, said: Said): string {
  const { baseUrl } = demo;
  const token = `export EDGETAPE_TOKEN=$(node -p 'require(${JSON.stringify(said.demoFile)}).adminToken')`;
  return [
    `edgetape is serving at ${baseUrl}/api`,
    `Documentation: ${baseUrl}/docs/`,
    "",
    ...(said.consoleUrl === undefined ? emptyLines(demo, token) : demoLines(demo, said, token)),
    "",
    `For scripts: ${said.demoFile}`,
    `Log:         ${said.logFile}`,
    "Stop with Ctrl-C.",
  ].join("\n");
}

function demoLines({ baseUrl, keys, days }: Demo, said: Said, token: string): string[] {
  const { withoutHolidays = [], consoleUrl = "", following = [] } = said;
  const apikey = keys.flagship ?? "";
  const tradedate = days.at(-1) ?? "";
  const page = { symbol: "600519", tradedate, start_time: "09:30", page_size: 5 };
  const share = { data_type: "auction_tick", year: Number(tradedate.slice(0, 4)) };
  const rows = DEMO_ACCOUNTS.map(({ name, says }) => [name, keys[name] ?? "", says]);
  return [
    ...table(["demo key", "", "tick history"], rows),
    "",
    `Sample days: ${days.join(" ")} (invented orders, trades and quotes of 600519, 300750 and others)`,
    ...(following.length === 0 ? [] : [`Sample days that follow within a minute: ${following.join(" ")}`]),
    ...withoutHolidays.map(
      (year) =>
        `The holidays of ${year} are not in the library yet: every weekday of that year counts as a trading day.`,
    ),
    "",
    "Try it:",
    "",
    pasted(baseUrl, { apiname: "level2_order_history", apikey, params: page }),
    "",
    "Get the share of a year's auction packs; its URL also opens in a browser:",
    "",
    pasted(baseUrl, { apiname: "file_download", apikey, params: share }),
    "",
    "Sign in to the console of the flagship account; the link works once:",
    "",
    consoleUrl,
    "",
    "To use the samples, the clients and `npx edgetape`, run in another terminal:",
    "",
    `export EDGETAPE_URL=${baseUrl}`,
    `export EDGETAPE_KEY=${apikey}`,
    `export EDGETAPE_DAY=${tradedate}`,
    token,
  ];
}

function emptyLines({ baseUrl }: Demo, token: string): string[] {
  return [
    "The deployment is empty. To load and serve a day, run in another terminal:",
    "",
    `export EDGETAPE_URL=${baseUrl}`,
    token,
    "npx edgetape calendar load --year <year of the day>",
    "npx edgetape rebuild <delivery> --date <YYYYMMDD> --out packs",
    "npx edgetape account create <name>",
    "npx edgetape subscription set <name> --plan flagship --start 2026-01-01 --end 2036-01-01",
    "npx edgetape key issue <name>",
    "",
    "Or restore the catalog of another deployment: npx edgetape backup restore <file>",
  ];
}

function pasted(baseUrl: string, request: { apiname: string; apikey: string; params: object }): string {
  const body = JSON.stringify(request);
  return `curl -s --compressed ${baseUrl}/api -H 'Content-Type: application/json' -d '${body}'`;
}
