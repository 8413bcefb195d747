/** Where accounts stand: the list, the plan and what is left of it today, quota given back, a slot freed. */
import * as z from "zod";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { type ListedAccount, listAccounts } from "../catalog/account-list.ts";
import { addAudit } from "../catalog/audit.ts";
import { principalOfAccount } from "../catalog/key-holder.ts";
import type { DailyLimits, PlanName } from "../entitlement/principal.ts";
import { standingOf } from "../entitlement/standing.ts";
import { nowMs, settingsOf } from "../env.ts";
import { accountGate, accountInfoOf } from "../operations/account-info.ts";
import { accountOf } from "./account-shown.ts";
import { type AdminContext, bodyOf, byOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type AccountList, creditSchema, type Standing } from "./wire.ts";

/** Accounts in one answer, at most and unless asked otherwise. */
const MAX_ACCOUNTS = 200;

const listQuerySchema = z.object({
  search: z.string().trim().max(200).default(""),
  /** Milliseconds. */
  expiring: z.coerce.number().int().min(1).nullable().default(null),
  after: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(MAX_ACCOUNTS).default(MAX_ACCOUNTS),
});

/** Lists are made without limits: they tell of plans only. */
const NO_LIMITS = {} as Readonly<Record<PlanName, DailyLimits>>;

/** `GET /admin/accounts`. */
export async function list(c: AdminContext): Promise<AccountList | AdminRefusal> {
  const query = parsed(listQuerySchema, c.req.query(), "The query");
  if (isRefusal(query)) return query;
  const { search, expiring, after, limit } = query;
  const at = nowMs(settingsOf(c.env));
  const question = { nowMs: at, expiringWithinMs: expiring, search, after };
  // One more than asked for tells whether more wait.
  const found = await listAccounts(c.env.DB, { ...question, count: limit + 1 });
  const shown = found.slice(0, limit);
  return {
    accounts: shown.map((account) => listed(account, at)),
    next: found.length > shown.length ? (shown.at(-1)?.accountId ?? null) : null,
  };
}

function listed(account: ListedAccount, at: number): AccountList["accounts"][number] {
  const { subscriptions, lastUsedAtMs, ...rest } = account;
  const { plan, state, endsAtMs } = standingOf({ subscriptions, planLimits: NO_LIMITS, ownLimits: {} }, at);
  return {
    ...rest,
    plan,
    planState: state,
    planEndsAt: endsAtMs === null ? null : beijingTimestamp(endsAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : beijingTimestamp(lastUsedAtMs),
  };
}

/** `GET /admin/accounts/{id}/standing`. */
export async function standing(c: AdminContext): Promise<Standing | AdminRefusal> {
  const account = await accountOf(c);
  return isRefusal(account) ? account : standingNow(c, account.accountId);
}

/** `POST /admin/accounts/{id}/credit`. */
export async function credit(c: AdminContext): Promise<Standing | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const given = await bodyOf(c, creditSchema);
  if (isRefusal(given)) return given;
  const { accountId } = account;
  // Told first: a credit that failed after all is the smaller lie than one that nobody stands for.
  await tell(c, "account.credit", accountId, given);
  await accountGate(c.env, settingsOf(c.env), accountId).credit(given);
  return standingNow(c, accountId);
}

/** `POST /admin/accounts/{id}/free`. */
export async function freeSlot(c: AdminContext): Promise<Standing | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const { accountId } = account;
  const gate = accountGate(c.env, settingsOf(c.env), accountId);
  const { holder } = await gate.state();
  if (holder !== null) {
    await tell(c, "account.free", accountId, { requestId: holder.requestId });
    await gate.free();
  }
  return standingNow(c, accountId);
}

async function standingNow(c: AdminContext, accountId: string): Promise<Standing> {
  const settings = settingsOf(c.env);
  const principal = await principalOfAccount(c.env.DB, accountId);
  if (principal === null) throw new Error(`account ${accountId} vanished`);
  const [info, { holder }] = await Promise.all([
    accountInfoOf(c.env, settings, principal, nowMs(settings)),
    accountGate(c.env, settings, accountId).state(),
  ]);
  const slot =
    holder === null ? null : { requestId: holder.requestId, until: beijingTimestamp(holder.untilMs) };
  return { info, slot };
}

function tell(c: AdminContext, action: string, subject: string, after: object): Promise<void> {
  const { actor, nowMs: atMs } = byOf(c);
  return addAudit(c.env.DB, { atMs, actor, action, subject, before: null, after });
}
