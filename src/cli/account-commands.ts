/** `edgetape account`: customers, their plans and quota, and their console links. */
import type { Command } from "commander";
import {
  type Account,
  type AccountContact,
  type AccountList,
  accountListSchema,
  accountSchema,
  inviteSchema,
  type KeySummary,
  type Standing,
  standingSchema,
} from "../admin/wire.ts";
import type { AdminRequest } from "./admin-client.ts";
import {
  confirm,
  countArgument,
  datasetOption,
  defaulted,
  type LimitWord,
  limitOf,
  ownLimitArgument,
  print,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  spanArgument,
  table,
  YES_OPTION,
} from "./command-line.ts";
import { type DatasetOptions, inDataset } from "./dataset-days.ts";
import { CommandFailure, EXIT } from "./exit.ts";

/** Registers `account …`. */
export function registerAccounts(program: Command): void {
  const account = serviceCommand(program, "account").description("manage customers' accounts");
  account
    .command("create")
    .description("create an account")
    .argument("[account]", "the account's id, such as your name for the customer (default: a generated one)")
    .option("--contact <text>", "how to reach the customer")
    .option("--note <text>", "anything worth remembering")
    .action(create);
  account
    .command("edit <account>")
    .description("change an account's contact or note; what is omitted stays unchanged")
    .option("--contact <text>", "how to reach the customer")
    .option("--note <text>", "a note for operators; '' deletes it")
    .action(edit);
  account
    .command("show <account>")
    .description("show an account's plan, windows, remaining quota, keys and last requests")
    .action(show);
  account
    .command("list")
    .description(
      "list all accounts by id, with their last use (to the hour); with --expiring, by the end of their plan",
    )
    .option(
      "--expiring <span>",
      "only accounts whose last plan ends within this duration, for example 7d",
      spanArgument,
    )
    .option("--search <text>", "only accounts with this text in id, contact or note")
    .action(list);
  account
    .command("disable <account>")
    .description("refuse all requests of an account and end its console sessions")
    .option(...YES_OPTION)
    .action(change("/disable", (id) => `Refuse all requests of ${id} from now on?`));
  account.command("enable <account>").description("serve a disabled account again").action(change("/enable"));
  account
    .command("sign-out <account>")
    .description("end all console sessions of an account and cancel its unused links")
    .option(...YES_OPTION)
    .action(change("/sign-out", (id) => `End all console sessions of ${id} and cancel its unused links?`));
  registerQuotas(account);
  account
    .command("invite <account>")
    .description("create a one-time link into the console; the first person to use it is signed in")
    .addOption(defaulted("--valid <span>", "how long the link stays valid, at most 7d", spanArgument, "1d"))
    .action(invite);
}

function registerQuotas(account: Command): void {
  account
    .command("limits <account>")
    .description("set an account's own daily limits; an omitted limit stays unchanged")
    .option(
      "--requests <count>",
      'requests per Beijing day and interface: a number, "unlimited", or "plan" for the limit of the plan',
      ownLimitArgument,
    )
    .option(
      "--files <count>",
      'Parquet files per Beijing day and interface: a number, "unlimited", or "plan" for the limit of the plan',
      ownLimitArgument,
    )
    .action(setLimits);
  account
    .command("credit <account>")
    .description("credit requests or Parquet files to today's quota")
    .option("--requests <count>", "requests to credit", countArgument)
    .option("--files <count>", "Parquet files to credit", countArgument)
    .addOption(datasetOption("the dataset whose interface gets the credit").default("orders"))
    .action(credit);
  account
    .command("free <account>")
    .description("release a slot that is stuck; a running request is not stopped")
    .addOption(datasetOption("the dataset whose interface the slot belongs to").default("orders"))
    .option(...YES_OPTION)
    .action(free);
}

type ContactOptions = ServiceOptions & { contact?: string; note?: string };

async function create(accountId: string | undefined, options: ContactOptions): Promise<void> {
  const { contact = "", note = "" } = options;
  const body = { ...(accountId === undefined ? {} : { accountId }), contact, note };
  printAccount(options, await serviceOf(options).request(accountSchema, "POST", "/admin/accounts", { body }));
}

async function edit(id: string, options: ContactOptions): Promise<void> {
  const { contact, note } = options;
  if (contact === undefined && note === undefined) {
    throw new CommandFailure("Give --contact, --note or both.", EXIT.usage);
  }
  const body: AccountContact = { contact, note };
  printAccount(options, await accountOf(options, "PUT", id, "/contact", { body }));
}

async function show(id: string, options: ServiceOptions): Promise<void> {
  const account = await accountOf(options, "GET", id);
  const standing = await standingOf(options, "GET", id, "/standing");
  const lines = [...accountLines(account), "", ...standingLines(standing)];
  print(options, { ...account, standing }, lines);
}

async function list(options: ServiceOptions & { expiring?: number; search?: string }): Promise<void> {
  const client = serviceOf(options);
  const { expiring, search = "" } = options;
  const accounts: AccountList["accounts"] = [];
  for (let next: string | null = ""; next !== null; ) {
    const query = new URLSearchParams({ after: next, search });
    if (expiring !== undefined) query.set("expiring", String(expiring));
    const page: AccountList = await client.request(accountListSchema, "GET", `/admin/accounts?${query}`);
    accounts.push(...page.accounts);
    next = page.next;
  }
  if (expiring !== undefined) {
    accounts.sort((a, b) => (a.planEndsAt ?? "").localeCompare(b.planEndsAt ?? ""));
  }
  const rows = accounts.map((each) => [
    each.disabled ? `${each.accountId} (disabled)` : each.accountId,
    each.planState === "expired" ? `${each.plan} (ended)` : (each.plan ?? "-"),
    each.planEndsAt ?? "-",
    String(each.keys),
    each.lastUsedAt ?? "never",
    each.contact,
  ]);
  const headings = ["account", "plan", "until", "keys", "last used (to the hour)", "contact"];
  print(options, { accounts }, table(headings, rows, "no accounts"));
}

/**
 * Returns the handler of a command that changes an account. If there is a `question`, the operator must confirm it
 * first.
 */
function change(step: string, question?: (id: string) => string) {
  return async (id: string, options: ServiceOptions): Promise<void> => {
    if (question !== undefined) await confirm(question(id), options);
    printAccount(options, await accountOf(options, "POST", id, step, { repeatable: true }));
  };
}

type OwnLimit = LimitWord | "plan";

async function setLimits(
  id: string,
  options: ServiceOptions & { requests?: OwnLimit; files?: OwnLimit },
): Promise<void> {
  refuseNothing(options);
  const { requests, files } = (await accountOf(options, "GET", id)).ownLimits;
  const body = { requests: ownLimit(options.requests, requests), files: ownLimit(options.files, files) };
  printAccount(options, await accountOf(options, "PUT", id, "/limits", { body }));
}

/**
 * Returns the account's own limit to send. Undefined, which JSON omits, means that the plan's limit applies.
 */
function ownLimit(word: OwnLimit | undefined, had: number | null | undefined): number | null | undefined {
  return word === undefined ? had : word === "plan" ? undefined : limitOf(word);
}

function refuseNothing({ requests, files }: { requests?: unknown; files?: unknown }): void {
  if (requests !== undefined || files !== undefined) return;
  throw new CommandFailure("Give --requests, --files or both.", EXIT.usage);
}

/**
 * Credits requests or files to today's quota. If the answer is lost, the request is not sent again, because the quota
 * could be credited twice.
 */
async function credit(
  id: string,
  options: ServiceOptions & DatasetOptions & { requests?: number; files?: number },
): Promise<void> {
  refuseNothing(options);
  const { requests = 0, files = 0 } = options;
  const standing = await standingOf(options, "POST", id, "/credit", { requests, files });
  print(options, standing, standingLines(standing));
}

async function free(id: string, options: ServiceOptions & DatasetOptions): Promise<void> {
  const { slot } = await standingOf(options, "GET", id, "/standing");
  if (slot !== null) await confirm(`Free the slot that request ${slot.requestId} of ${id} holds?`, options);
  const standing = await standingOf(options, "POST", id, "/free");
  print(options, standing, slot === null ? "The slot was already free." : "The slot is free.");
}

/** Returns the path of an account's admin route. */
export function accountPath(accountId: string, below = ""): string {
  return `/admin/accounts/${encodeURIComponent(accountId)}${below}`;
}

/** Sends a request about an account and returns the account from the answer. */
export function accountOf(
  options: ServiceOptions,
  method: "GET" | "POST" | "PUT",
  id: string,
  below = "",
  request?: AdminRequest,
): Promise<Account> {
  return serviceOf(options).request(accountSchema, method, accountPath(id, below), request);
}

function standingOf(
  options: ServiceOptions & DatasetOptions,
  method: "GET" | "POST",
  id: string,
  below: string,
  body?: unknown,
): Promise<Standing> {
  const path = inDataset(accountPath(id, below), options.dataset ?? "orders");
  return serviceOf(options).request(standingSchema, method, path, { body });
}

async function invite(id: string, options: ServiceOptions & { valid: number }): Promise<void> {
  const request = { body: { validMs: options.valid } };
  const path = accountPath(id, "/invites");
  const invited = await serviceOf(options).request(inviteSchema, "POST", path, request);
  print(options, invited, [
    invited.url,
    `Send this link to the holder of account ${invited.accountId}. It opens the console once, before ${invited.expiresAt}, and cannot be shown again.`,
  ]);
}

/** Prints an account. */
export function printAccount(options: ServiceOptions, account: Account): void {
  print(options, account, accountLines(account));
}

/** Returns the lines for an account: contact, note and limits, then tables of plans, keys and console sessions. */
function accountLines(account: Account): string[] {
  const limit = (own: number | null | undefined) => (own === undefined ? "the plan's" : (own ?? "unlimited"));
  const { requests, files } = account.ownLimits;
  return [
    ...labelled([
      ["account", `${account.accountId}${account.disabled ? " (disabled)" : ""}`],
      ["created", account.createdAt],
      ["contact", account.contact],
      ["note", account.note],
      ["daily limits", `requests ${limit(requests)}, files ${limit(files)}`],
    ]),
    "",
    ...table(
      ["plan", "from", "end (exclusive)"],
      account.subscriptions.map(({ plan, start, end }) => [plan, start, end]),
      "no plan",
    ),
    "",
    ...keyLines(account.keys),
    "",
    ...table(
      ["console", "since", "end (exclusive)"],
      [
        ...account.console.sessions.map(({ createdAt, expiresAt }) => ["session", createdAt, expiresAt]),
        ...account.console.invites.map(({ createdAt, expiresAt }) => ["unopened link", createdAt, expiresAt]),
      ],
      "not signed in to the console",
    ),
  ];
}

/** Returns names and values as aligned lines. Rows with an empty value are left out. */
function labelled(rows: [name: string, value: string][]): string[] {
  const shown = rows.filter(([, value]) => value !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** Returns the lines for keys with their state and last use. */
export function keyLines(keys: readonly KeySummary[]): string[] {
  return table(
    ["key id", "begins", "name", "last used (to the hour)", "state"],
    keys.map((key) => [
      key.keyId,
      key.firstCharacters || "(hash)",
      key.name,
      key.lastUsedAt ?? "never",
      key.revokedAt !== null
        ? `revoked ${key.revokedAt}`
        : key.expiresAt === null
          ? "in force"
          : `until ${key.expiresAt}`,
    ]),
    "no keys",
  );
}

/** Returns the lines for the plan, its windows, today's quota and the last requests. */
function standingLines({ info, slot }: Standing): string[] {
  const busy = info.quotas.filter((each) => each.busy).map((each) => each.interface);
  const windows = Object.entries(info.windows).map(([service, window]) => [
    service,
    window === null ? "not included" : (window.from ?? "all history"),
    window === null ? "" : window.to,
  ]);
  const quotas = info.quotas.flatMap(({ interface: name, requests, files, resets_in }) => [
    counterRow(`${name} requests`, requests, resets_in),
    counterRow(`${name} Parquet files`, files, resets_in),
  ]);
  return [
    planLine(info),
    "",
    ...table(["history of", "from", "to"], windows),
    "",
    ...table(["today", "used", "credited", "limit", "left", "resets in"], quotas),
    "",
    busy.length === 0 ? "no request in progress" : `in progress: one request of ${busy.join(" and one of ")}`,
    ...(slot === null ? [] : [`request ${slot.requestId} ends at ${slot.until} at the latest`]),
    "",
    ...table(
      ["request", "time", "interface", "code", "reason", "symbol", "day", "rows"],
      info.last_requests.map((each) => [
        each.request_id,
        each.time,
        each.interface ?? "-",
        String(each.code),
        each.reason,
        each.symbol ?? "-",
        each.tradedate ?? "-",
        String(each.rows),
      ]),
      "no requests yet",
    ),
  ];
}

function planLine({ plan, plan_state, plan_ends_at }: Standing["info"]): string {
  if (plan_state === "none") return "no plan";
  return plan_state === "expired"
    ? `no plan in force: ${plan} ended ${plan_ends_at}`
    : `plan in force: ${plan}, ends ${plan_ends_at}`;
}

function counterRow(
  name: string,
  counter: Standing["info"]["quotas"][number]["requests"],
  resetsInSeconds: number,
): string[] {
  if (counter === null) return [name, "not included", "", "", "", ""];
  const { limit, used, credited, left } = counter;
  const number = (count: number | null) => (count === null ? "unlimited" : String(count));
  const minutes = Math.ceil(resetsInSeconds / 60);
  return [name, String(used), String(credited), number(limit), number(left), `${minutes} min`];
}
