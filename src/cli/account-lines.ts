/** Accounts as lines for people. */
import type { Account, KeySummary, Standing } from "../admin/wire.ts";
import { table } from "./service-options.ts";

/** An account with its plans and keys: what it is, then each list under its headings. */
export function linesOf(account: Account): string[] {
  const limit = (own: number | null | undefined) => (own === undefined ? "the plan's" : (own ?? "unlimited"));
  const { requests, files } = account.ownLimits;
  return [
    ...labelled([
      ["account", `${account.accountId}${account.disabled ? " (disabled)" : ""}`],
      ["made", account.createdAt],
      ["contact", account.contact],
      ["note", account.note],
      ["limits a day", `requests ${limit(requests)}, files ${limit(files)}`],
    ]),
    "",
    ...(account.subscriptions.length === 0
      ? ["no plan"]
      : table(
          ["plan", "from", "until before"],
          account.subscriptions.map(({ plan, start, end }) => [plan, start, end]),
        )),
    "",
    ...keyLines(account.keys),
    "",
    ...consoleLines(account.console),
  ];
}

function consoleLines({ sessions, invites }: Account["console"]): string[] {
  if (sessions.length + invites.length === 0) return ["not signed in to the console"];
  return table(
    ["console", "since", "until before"],
    [
      ...sessions.map(({ createdAt, expiresAt }) => ["session", createdAt, expiresAt]),
      ...invites.map(({ createdAt, expiresAt }) => ["unopened link", createdAt, expiresAt]),
    ],
  );
}

/** Values under each other beside their names; those without one are left out. */
function labelled(rows: [name: string, value: string][]): string[] {
  const shown = rows.filter(([, value]) => value !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** Keys with their state and last use. */
export function keyLines(keys: readonly KeySummary[]): string[] {
  if (keys.length === 0) return ["no keys"];
  return table(
    ["key id", "begins", "name", "last used", "state"],
    keys.map((key) => [
      key.keyId,
      key.firstCharacters || "(hash)",
      key.name,
      key.lastUsedAt ?? "never",
      stateOf(key),
    ]),
  );
}

function stateOf({ revokedAt, expiresAt }: KeySummary): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt === null ? "in force" : `until ${expiresAt}`;
}

type Counter = Standing["info"]["quotas"][number]["requests"];

/** What the account may have now, what is left of it today, and how its last requests ended. */
export function standingLines({ info, slot }: Standing): string[] {
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
    ...table(["may have", "from", "to"], windows),
    "",
    ...table(["today", "used", "given back", "limit", "left", "resets in"], quotas),
    "",
    slot === null
      ? "no request in progress"
      : `request ${slot.requestId} in progress, until ${slot.until} at the latest`,
    "",
    ...requestLines(info.last_requests),
  ];
}

function planLine({ plan, plan_state, plan_ends_at }: Standing["info"]): string {
  switch (plan_state) {
    case "none":
      return "no plan";
    case "expired":
      return `no plan in force: ${plan} ended ${plan_ends_at}`;
    case "active":
      return `plan in force: ${plan}, until before ${plan_ends_at}`;
  }
}

function counterRow(name: string, counter: Counter, resetsInSeconds: number): string[] {
  if (counter === null) return [name, "not included", "", "", "", ""];
  const { limit, used, credited, left } = counter;
  const number = (count: number | null) => (count === null ? "unlimited" : String(count));
  const minutes = Math.ceil(resetsInSeconds / 60);
  return [name, String(used), String(credited), number(limit), number(left), `${minutes} min`];
}

function requestLines(requests: Standing["info"]["last_requests"]): string[] {
  if (requests.length === 0) return ["no requests yet"];
  return table(
    ["request", "time", "code", "reason", "symbol", "day", "rows"],
    requests.map((each) => [
      each.request_id,
      each.time,
      String(each.code),
      each.reason,
      each.symbol ?? "-",
      each.tradedate ?? "-",
      String(each.rows),
    ]),
  );
}
