/** `edgetape account`, `subscription` and `plan`: customers with their plans and quota, and the limits of plans. */
import { Argument } from "commander";
import * as wire from "../admin/wire.ts";
import type { AdminRequest } from "./admin-client.ts";
import { type Call, command, group } from "./command.ts";
import { limitArgument, limitOf, spanArgument, table } from "./command-line.ts";
import { type DatasetOptions, inDataset } from "./dataset-days.ts";
import { UsageFailure } from "./exit.ts";
import * as option from "./option.ts";

const CONTACT = option.text("<text>", "how to reach the customer");

const create = command("create", {
  says: "create an account",
  args: { "[account]": "the account's id, such as your name for the customer (default: a generated one)" },
  options: { contact: CONTACT, note: option.text("<text>", "anything worth remembering") },
  async run(call, { contact = "", note = "" }, accountId?: string) {
    const body = { accountId, contact, note };
    printAccount(call, await call.client.post(wire.accountSchema, "/admin/accounts", { body }));
  },
});

const edit = command("edit <account>", {
  says: "change an account's contact or note; what is omitted stays unchanged",
  options: { contact: CONTACT, note: option.text("<text>", "a note for operators; '' deletes it") },
  async run(call, { contact, note }, id: string) {
    if (contact === undefined && note === undefined) {
      throw new UsageFailure("Give --contact, --note or both.");
    }
    printAccount(call, await accountOf(call, "put", id, "/contact", { body: { contact, note } }));
  },
});

const show = command("show <account>", {
  says: "show an account's plan, windows, remaining quota, keys and last requests",
  async run(call, _, id: string) {
    const shown = await accountOf(call, "get", id);
    const standing = await standingOf(call, "get", id, "/standing");
    call.print({ ...shown, standing }, [...accountLines(shown), "", ...standingLines(standing)]);
  },
});

const list = command("list", {
  says: "list all accounts, sorted by id, with their last use (to the hour); with --expiring, sorted by the plan's end",
  options: {
    expiring: option.span("only accounts whose last plan ends within this duration, for example 7d"),
    search: option.text("<text>", "only accounts with this text in id, contact or note"),
  },
  async run({ client, print }, { expiring, search = "" }) {
    const accounts: wire.AccountList["accounts"] = [];
    for (let next: string | null = ""; next !== null; ) {
      const query = new URLSearchParams({ after: next, search });
      if (expiring !== undefined) query.set("expiring", String(expiring));
      const page: wire.AccountList = await client.get(wire.accountListSchema, `/admin/accounts?${query}`);
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
    print({ accounts }, table(headings, rows, "no accounts"));
  },
});

/** Returns a command that changes an account, after a confirmation if there is a `question`. */
function change(name: string, says: string, question?: (id: string) => string) {
  return command(`${name} <account>`, {
    says,
    options: question === undefined ? undefined : { yes: option.YES },
    async run(call, _, id: string) {
      if (question !== undefined) await call.confirm(question(id));
      printAccount(call, await accountOf(call, "post", id, `/${name}`, { repeatable: true }));
    },
  });
}

const ownLimit = option.parsed(
  "<count>",
  limitArgument("a whole number, unlimited, or plan", "unlimited", "plan"),
);

const limits = command("limits <account>", {
  says: "set an account's own daily limits; an omitted limit stays unchanged",
  options: {
    requests: ownLimit(
      'requests per Beijing day and interface: a number, "unlimited", or "plan" for the limit of the plan',
    ),
    files: ownLimit(
      'Parquet files per Beijing day and interface: a number, "unlimited", or "plan" for the limit of the plan',
    ),
  },
  async run(call, given, id: string) {
    refuseNothing(given);
    const { requests, files } = (await accountOf(call, "get", id)).ownLimits;
    const body = { requests: sentLimit(given.requests, requests), files: sentLimit(given.files, files) };
    printAccount(call, await accountOf(call, "put", id, "/limits", { body }));
  },
});

/** Returns the account's own limit to send. Undefined, which JSON omits, means that the plan's limit applies. */
function sentLimit(word: number | "unlimited" | "plan" | undefined, had: number | null | undefined) {
  return word === undefined ? had : word === "plan" ? undefined : limitOf(word);
}

function refuseNothing({ requests, files }: { requests: unknown; files: unknown }): void {
  if (requests !== undefined || files !== undefined) return;
  throw new UsageFailure("Give --requests, --files or both.");
}

const credit = command("credit <account>", {
  says: "credit requests or Parquet files to today's quota",
  options: {
    requests: option.count("requests to credit"),
    files: option.count("Parquet files to credit"),
    dataset: option.dataset("the dataset whose interface gets the credit").orElse("orders"),
  },
  // If the answer is lost, the request is not sent again, because the quota could be credited twice.
  async run(call, options, id: string) {
    refuseNothing(options);
    const { requests = 0, files = 0 } = options;
    const standing = await standingOf(call, "post", id, "/credit", options, { requests, files });
    call.print(standing, standingLines(standing));
  },
});

const free = command("free <account>", {
  says: "release a slot that is stuck; a running request is not stopped",
  options: {
    dataset: option.dataset("the dataset whose interface the slot belongs to").orElse("orders"),
    yes: option.YES,
  },
  async run(call, options, id: string) {
    const { slot } = await standingOf(call, "get", id, "/standing", options);
    if (slot !== null) await call.confirm(`Free the slot that request ${slot.requestId} of ${id} holds?`);
    const standing = await standingOf(call, "post", id, "/free", options);
    call.print(standing, slot === null ? "The slot was already free." : "The slot is free.");
  },
});

const invite = command("invite <account>", {
  says: "create a one-time link into the console; the first person to use it is signed in",
  options: {
    valid: option.span("how long the link stays valid, at most 7d").orElse(spanArgument("1d"), "1d"),
  },
  async run({ client, print }, { valid }, id: string) {
    const request = { body: { validMs: valid } };
    const invited = await client.post(wire.inviteSchema, accountPath(id, "/invites"), request);
    print(invited, [
      invited.url,
      `Send this link to the holder of account ${invited.accountId}. It opens the console once, before ${invited.expiresAt}, and cannot be shown again.`,
    ]);
  },
});

export const account = group("account", "manage customers' accounts", [
  create,
  edit,
  show,
  list,
  change(
    "disable",
    "refuse all requests of an account and end its console sessions",
    (id) => `Refuse all requests of ${id} from now on?`,
  ),
  change("enable", "serve a disabled account again"),
  change(
    "sign-out",
    "end all console sessions of an account and cancel its unused links",
    (id) => `End all console sessions of ${id} and cancel its unused links?`,
  ),
  limits,
  credit,
  free,
  invite,
]);

const PLANS = wire.planNameSchema.options;
const PLAN = option.choice("<plan>", PLANS, "the plan").required();
const BELOW = "/subscriptions";

const set = command("set <account>", {
  says: "replace all plans of an account with this one",
  options: {
    plan: PLAN,
    start: option.instant("start, inclusive: a date (its beginning in Beijing) or RFC 3339").required(),
    end: option.instant("end, exclusive: a date or RFC 3339").required(),
    keep: option.flag("keep the account's other plans; where plans overlap, the best one applies"),
    yes: option.YES,
  },
  async run(call, { plan, start, end, keep }, id: string) {
    if (!keep) await confirmLoss(call, id);
    const body = { plan, start, end };
    const account = keep
      ? await accountOf(call, "post", id, BELOW, { body })
      : await accountOf(call, "put", id, BELOW, { body: { subscriptions: [body] } });
    printAccount(call, account);
  },
});

/** Asks for confirmation when `set` removes plans of the account. */
async function confirmLoss(call: Call, id: string): Promise<void> {
  const { subscriptions } = await accountOf(call, "get", id);
  if (subscriptions.length === 0) return;
  const had = subscriptions.map(({ plan, start, end }) => `${plan} from ${start} to ${end}`);
  await call.confirm(`Remove these plans of ${id}: ${had.join(", ")}?`);
}

const extend = command("extend <account>", {
  says: "extend a plan; an ended plan starts again now",
  options: {
    plan: PLAN,
    by: option.span("extend the plan by this duration, for example 30d"),
    until: option.instant("extend the plan to this end, exclusive: a date or RFC 3339"),
  },
  async run(call, { plan, by, until }, id: string) {
    if ((by === undefined) === (until === undefined)) {
      throw new UsageFailure("Give either --by or --until.");
    }
    const body = { plan, until, byMs: by };
    printAccount(call, await accountOf(call, "post", id, `${BELOW}/extend`, { body }));
  },
});

const weekly = command("weekly <account>", {
  says: "add a weekly card (7 × 24 hours) to the account's plans",
  options: { start: option.instant("start, inclusive (default: now)") },
  async run(call, { start }, id: string) {
    // JSON omits an undefined start.
    printAccount(call, await accountOf(call, "post", id, BELOW, { body: { plan: "weekly", start } }));
  },
});

export const subscription = group("subscription", "manage the plans of an account", [set, extend, weekly]);

const listPlans = command("list", {
  says: "show the limits of every plan",
  alias: "show",
  isDefault: true,
  async run(call) {
    printPlans(call, await call.client.get(wire.planListSchema, "/admin/plans"));
  },
});

const limit = option.parsed("<count>", limitArgument("a whole number or unlimited", "unlimited"));

const setPlan = command("set", {
  says: "set both limits of a plan, for every account without limits of its own",
  args: { "<plan>": new Argument("<plan>").choices(PLANS) },
  options: {
    requests: limit("requests per Beijing day, or unlimited").required(),
    files: limit("Parquet files per Beijing day, or unlimited").required(),
  },
  async run(call, { requests, files }, plan: wire.PlanName) {
    const body = { plans: [{ plan, requests: limitOf(requests), files: limitOf(files) }] };
    printPlans(call, await call.client.put(wire.planListSchema, "/admin/plans", { body }));
  },
});

export const plan = group("plan", "show and set daily limits by plan; changes take effect within 30 s", [
  listPlans,
  setPlan,
]);

function printPlans({ print }: Call, list: wire.PlanList): void {
  const limit = (plan: wire.PlanName, count: number | null) =>
    wire.hasOrderHistory(plan) ? String(count ?? "unlimited") : "no tick history";
  const rows = list.plans.map(({ plan, requests, files }) => [
    plan,
    limit(plan, requests),
    limit(plan, files),
  ]);
  print(list, table(["plan", "requests a day", "files a day"], rows));
}

/** Returns the path of an account's admin route. */
export function accountPath(accountId: string, below = ""): string {
  return `/admin/accounts/${encodeURIComponent(accountId)}${below}`;
}

/** Sends a request about an account and returns the account from the answer. */
export function accountOf(
  { client }: Call,
  method: "get" | "post" | "put",
  id: string,
  below = "",
  request?: AdminRequest,
): Promise<wire.Account> {
  return client[method](wire.accountSchema, accountPath(id, below), request);
}

function standingOf(
  { client }: Call,
  method: "get" | "post",
  id: string,
  below: string,
  of: DatasetOptions = {},
  body?: unknown,
): Promise<wire.Standing> {
  const path = inDataset(accountPath(id, below), of.dataset ?? "orders");
  return client[method](wire.standingSchema, path, { body });
}

function printAccount({ print }: Call, of: wire.Account): void {
  print(of, accountLines(of));
}

/** Returns the lines for an account: contact, note and limits, then tables of plans, keys and console sessions. */
function accountLines(account: wire.Account): string[] {
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
export function keyLines(keys: readonly wire.KeySummary[]): string[] {
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
function standingLines({ info, slot }: wire.Standing): string[] {
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

function planLine({ plan, plan_state, plan_ends_at }: wire.Standing["info"]): string {
  if (plan_state === "none") return "no plan";
  return plan_state === "expired"
    ? `no plan in force: ${plan} ended ${plan_ends_at}`
    : `plan in force: ${plan}, ends ${plan_ends_at}`;
}

type Counter = wire.Standing["info"]["quotas"][number]["requests"];

function counterRow(name: string, counter: Counter, resetsInSeconds: number): string[] {
  if (counter === null) return [name, "not included", "", "", "", ""];
  const { limit, used, credited, left } = counter;
  const number = (count: number | null) => (count === null ? "unlimited" : String(count));
  const minutes = Math.ceil(resetsInSeconds / 60);
  return [name, String(used), String(credited), number(limit), number(left), `${minutes} min`];
}
