/** Accounts as lines for people. */
import type { Account, KeySummary, Standing } from "../admin/wire.ts";
import { table } from "./service-options.ts";

/** An account with its plans and keys. */
export function linesOf(account: Account): string[] {
  const limit = (own: number | null | undefined) => (own === undefined ? "the plan's" : (own ?? "unlimited"));
  return [
    `account ${account.accountId}${account.disabled ? " (disabled)" : ""}, made ${account.createdAt}`,
    ...(account.contact ? [`contact: ${account.contact}`] : []),
    ...(account.note ? [`note: ${account.note}`] : []),
    `limits a day: requests ${limit(account.ownLimits.requests)}, files ${limit(account.ownLimits.files)}`,
    ...account.subscriptions.map(({ plan, start, end }) => `plan ${plan} from ${start} until before ${end}`),
    ...keyLines(account.keys),
  ];
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
  const windows = Object.entries(info.windows).map(([service, window]) => {
    if (window === null) return `${service}: not included`;
    return `${service}: ${window.from ?? "all history"} to ${window.to}`;
  });
  const quotas = info.quotas.flatMap(({ interface: name, requests, files, resets_in }) => [
    `${name} today: ${counterWords("requests", requests)}, ${counterWords("files", files)}; resets in ${Math.ceil(resets_in / 60)} min`,
  ]);
  return [
    planLine(info),
    ...windows,
    ...quotas,
    slot === null
      ? "no request in progress"
      : `request ${slot.requestId} in progress, until ${slot.until} at the latest`,
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

function counterWords(what: string, counter: Counter): string {
  if (counter === null) return `no ${what}`;
  const { limit, used, credited, left } = counter;
  const given = credited === 0 ? "" : `, ${credited} given back`;
  return limit === null
    ? `${used} ${what} used${given}, unlimited`
    : `${used} of ${limit} ${what} used${given}, ${left} left`;
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
