/** `edgetape acceptance`: checks on a real deployment what local tests cannot check. */
import { InvalidArgumentError } from "commander";
import type * as wire from "../../admin/wire.ts";
import { localCommand } from "../command.ts";
import { table } from "../command-line.ts";
import { checkClients, checkPlainHttp } from "../doctor/public-host.ts";
import { EXIT, UsageFailure } from "../exit.ts";
import * as option from "../option.ts";
import {
  Caller,
  type Check,
  type Checked,
  checked,
  failed,
  type Outcome,
  ok,
  skipped,
  targetOf,
} from "./check.ts";
import { placeChecks } from "./place-checks.ts";
import { ask, headerOf } from "./probe.ts";
import { shareChecks } from "./share-checks.ts";
import { slotChecks } from "./slot-checks.ts";

function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,4}(\.\d)?$/.test(text) || seconds === 0)
    throw new InvalidArgumentError("expected 0.1 to 9999.9 seconds.");
  return seconds;
}

const seconds = option.parsed("<seconds>", secondsArgument);

export const acceptance = localCommand("acceptance", {
  says: "check a deployment from outside and print a table: slot, slow readers, HEAD, ranges, clients, placement",
  options: {
    url: option.text("<address>", "the public address (or EDGETAPE_URL)"),
    key: option.text(
      "<key>",
      "an API key with order history and shares (prefer EDGETAPE_KEY); the checks use about ten Parquet files of its quota",
    ),
    account: option.text(
      "<id>",
      "the id of the key's account, to confirm that the account is not a customer's; not needed if the id is acceptance or begins with acceptance-",
    ),
    date: option.day("the trading day (default: the newest served one)"),
    symbol: option.text("<symbol>", "the security (default: the largest of the day)"),
    pages: option.count("the number of pages requested one after the other").orElse(200),
    stream: seconds("read a file evenly over this duration").orElse(270),
    bound: seconds("the deployment's PARQUET_BOUND_MS in seconds").orElse(300),
    within: seconds("the time within which the slot must be free after a client disconnects").orElse(2),
    quick: option.flag("skip the two checks that take minutes"),
    json: option.AS_JSON,
  },
  help:
    "\nWith an operator's token (scope read) in EDGETAPE_TOKEN the command also checks where the worker runs.\n" +
    "Exit status 1: a check failed. Takes about ten minutes, a few seconds with --quick.",
  async run({ print }, options) {
    const url = options.url ?? process.env.EDGETAPE_URL;
    const key = options.key ?? process.env.EDGETAPE_KEY;
    if (!url || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new UsageFailure(
        "Name the deployment with --url or EDGETAPE_URL, as a URL that begins with http:// or https://.",
      );
    }
    if (!key) throw new UsageFailure("Give an API key with --key or EDGETAPE_KEY.");
    const caller = new Caller(url, key);
    await refuseCustomer(caller, options.account);
    const target = await targetOf(caller, options);
    const checks = [
      ...frontChecks(caller.baseUrl),
      ...placeChecks(caller.baseUrl, process.env.EDGETAPE_TOKEN || null),
      ...shareChecks(caller, target),
      ...slotChecks(caller, target, {
        pages: options.pages,
        streamMs: options.stream * 1000,
        boundMs: options.bound * 1000,
        freeWithinMs: options.within * 1000,
        quick: options.quick ?? false,
      }),
    ];
    const results: Checked[] = [];
    for (const check of checks) {
      process.stderr.write(`${check.name}: ${check.says}\n`);
      results.push(await checked(check));
    }
    print({ url: caller.baseUrl, target, results }, linesOf(results));
    if (results.some(({ result }) => result === "failed")) process.exitCode = EXIT.failed;
  },
});

/**
 * Throws `CommandFailure` unless the key's account may be used for the checks: its id is `acceptance`, begins with
 * `acceptance-`, or equals `named`. The checks use the account's quota and slot, so they must not run on a customer's
 * account.
 */
async function refuseCustomer(caller: Caller, named: string | undefined): Promise<void> {
  const { account_id: account } = await caller.data<{ account_id: string }>("account_info", {});
  if (account === named || /^acceptance(-|$)/.test(account)) return;
  throw new UsageFailure(
    `This is a key of ${account}, and the checks would use that account's quota and slot. Use a key of an account whose id is acceptance or begins with acceptance-, or confirm with --account ${account} that the account is not a customer's.`,
  );
}

function linesOf(results: Checked[]): string[] {
  const count = (result: Checked["result"]) => results.filter((each) => each.result === result).length;
  return [
    ...table(
      ["check", "result", "s", "seen"],
      results.map(({ name, result, seconds, detail }) => [name, result, seconds.toFixed(1), detail]),
    ),
    `${count("ok")} ok, ${count("failed")} failed, ${count("skipped")} skipped`,
  ];
}

/** Returns the checks of the HTTP path from clients to the worker. */
function frontChecks(baseUrl: string): Check[] {
  return [
    {
      name: "clients",
      says: "the service answers urllib, curl, wget, aria2 and rclone under their own user agents",
      run: async () => outcomeOf(await checkClients(baseUrl), "five of five"),
    },
    {
      name: "plain HTTP",
      says: "a POST over plain HTTP is answered and not redirected",
      run: async () =>
        baseUrl.startsWith("https:")
          ? outcomeOf(await checkPlainHttp(baseUrl), "answered")
          : skipped("the URL itself is plain HTTP"),
    },
    {
      name: "methods",
      says: "HEAD and GET of /api get 405 with Allow, and no request is redirected",
      run: () => methods(baseUrl),
    },
  ];
}

function outcomeOf(findings: wire.Finding[], detail: string): Outcome {
  const [first] = findings;
  return first === undefined ? ok(detail) : failed(`${first.sentence} ${first.advice}`);
}

async function methods(baseUrl: string): Promise<Outcome> {
  for (const method of ["HEAD", "GET"]) {
    for (const path of ["/api", "/api/"]) {
      const { status, headers, bytes } = await ask(`${baseUrl}${path}`, { method });
      const allow = headerOf(headers, "allow");
      if (status !== 405 || allow === null)
        return failed(`${method} ${path} gets HTTP ${status}, Allow ${allow}`);
      if (method === "HEAD" && bytes.length > 0) return failed(`HEAD ${path} has a body`);
    }
  }
  return ok("405, with Allow");
}
