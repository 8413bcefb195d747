/**
 * `/admin/accounts`, `/admin/plans` and `/admin/usage`: accounts with their plans, limits, keys, console links, quota
 * and usage.
 */
import * as z from "zod";
import { firstCharacters, generateKey, hashKey } from "../access/key.ts";
import { randomBase62 } from "../base/base62.ts";
import { both, ok, refused } from "../base/result.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { isStorable, STORABLE_INSTANTS } from "../calendar/instant.ts";
import * as catalog from "../catalog/accounts.ts";
import { addAudit } from "../catalog/audit.ts";
import { addInvite, consoleAccessOf, signOutAccount } from "../catalog/console-access.ts";
import { principalOfAccount } from "../catalog/key-holder.ts";
import { addKey, keysOfAccount } from "../catalog/keys.ts";
import { usageBetween } from "../catalog/usage.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { WEEKLY_MS } from "../entitlement/plans.ts";
import type { DailyLimits, PlanName, Subscription } from "../entitlement/principal.ts";
import { standingOf } from "../entitlement/standing.ts";
import { nowMs, publicBaseOf, settingsOf } from "../env.ts";
import { accountGate, accountInfoOf } from "../operations/account-info.ts";
import {
  ADMIN_ONLY,
  type AdminContext,
  absent,
  bodyOf,
  byOf,
  datasetOf,
  parsed,
  READ,
  type Routes,
} from "./context.ts";
import { nameOf } from "./dataset-day.ts";
import { newKeyId } from "./key-routes.ts";
import { readable } from "./readable.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import * as wire from "./wire.ts";
import { monthSchema } from "./wire-fields.ts";

export const ACCOUNT_ROUTES: Routes = {
  "GET /accounts": [READ, listPage],
  "POST /accounts": [ADMIN_ONLY, create, 201],
  "GET /accounts/:id": [READ, (c) => changed(c, async () => undefined)],
  "POST /accounts/:id/keys": [ADMIN_ONLY, issueKey, 201],
  "PUT /accounts/:id/subscriptions": [ADMIN_ONLY, putSubscriptions],
  "POST /accounts/:id/subscriptions": [ADMIN_ONLY, addOne],
  "POST /accounts/:id/subscriptions/extend": [ADMIN_ONLY, extend],
  "GET /accounts/:id/standing": [READ, standing],
  "POST /accounts/:id/credit": [ADMIN_ONLY, credit],
  "POST /accounts/:id/free": [ADMIN_ONLY, freeSlot],
  "PUT /accounts/:id/contact": [ADMIN_ONLY, putContact],
  "PUT /accounts/:id/limits": [ADMIN_ONLY, putLimits],
  "POST /accounts/:id/disable": [ADMIN_ONLY, (c) => putDisabled(c, true)],
  "POST /accounts/:id/enable": [ADMIN_ONLY, (c) => putDisabled(c, false)],
  "POST /accounts/:id/sign-out": [ADMIN_ONLY, signOut],
  "POST /accounts/:id/invites": [ADMIN_ONLY, invite, 201],
  "GET /plans": [READ, listPlans],
  "PUT /plans": [ADMIN_ONLY, setPlans],
  "GET /usage": [READ, usageOfMonth],
};

/** Ends the account's console sessions and cancels its unused console links. */
async function signOut(c: AdminContext): Promise<Answered<wire.Account>> {
  return changed(c, ({ accountId }) => signOutAccount(c.env.DB, accountId, byOf(c)));
}

async function create(c: AdminContext): Promise<Answered<wire.Account>> {
  const body = await bodyOf(c, wire.newAccountSchema);
  if (!body.ok) return body;
  const accountId = body.value.accountId ?? `acc_${randomBase62(12)}`;
  const created = await catalog.createAccount(c.env.DB, { ...body.value, accountId }, byOf(c));
  return created ? ok(await shown(c, accountId)) : refused({ reason: "account_taken", accountId });
}

async function issueKey(c: AdminContext): Promise<Answered<wire.IssuedKey>> {
  const asked = both(await accountOf(c), await bodyOf(c, wire.newKeySchema));
  if (!asked.ok) return asked;
  const [account, body] = asked.value;
  const { accountId } = account;
  const key = generateKey();
  const keyId = newKeyId();
  const stored = {
    sha256: await hashKey(key),
    firstCharacters: firstCharacters(key),
    expiresAtMs: body.expires,
  };
  await addKey(c.env.DB, { ...stored, keyId, accountId, name: body.name }, byOf(c));
  return ok({ keyId, key, accountId });
}

async function putSubscriptions(c: AdminContext): Promise<Answered<wire.Account>> {
  const body = await bodyOf(c, wire.subscriptionListSchema);
  if (!body.ok) return body;
  const subscriptions = body.value.subscriptions.map(({ plan, start, end }) => ({
    plan,
    startMs: start,
    endMs: end,
  }));
  return changed(c, (account) => catalog.setSubscriptions(c.env.DB, account, subscriptions, byOf(c)));
}

async function putContact(c: AdminContext): Promise<Answered<wire.Account>> {
  const body = await bodyOf(c, wire.accountContactSchema);
  if (!body.ok) return body;
  return changed(c, (account) => {
    const { contact = account.contact, note = account.note } = body.value;
    return catalog.setContact(c.env.DB, account, { contact, note }, byOf(c));
  });
}

async function putLimits(c: AdminContext): Promise<Answered<wire.Account>> {
  const limits = await bodyOf(c, wire.ownLimitsSchema);
  if (!limits.ok) return limits;
  return changed(c, (account) => catalog.setOwnLimits(c.env.DB, account, limits.value, byOf(c)));
}

function putDisabled(c: AdminContext, disabled: boolean): Promise<Answered<wire.Account>> {
  return changed(c, (account) => catalog.setDisabled(c.env.DB, account, disabled, byOf(c)));
}

/** Applies `change` to the account in the path. Returns the account's new state, or a refusal. */
async function changed(
  c: AdminContext,
  change: (account: catalog.Account) => Promise<void>,
): Promise<Answered<wire.Account>> {
  const account = await accountOf(c);
  if (!account.ok) return account;
  await change(account.value);
  return ok(await shown(c, account.value.accountId));
}

/** Returns the account whose id is in the path, or a refusal. */
async function accountOf(c: AdminContext): Promise<Answered<catalog.Account>> {
  const accountId = c.req.param("id") ?? "";
  const account = await catalog.findAccount(c.env.DB, accountId);
  return account === null ? refused(absent("account", accountId)) : ok(account);
}

/** Returns the current state of the account. */
async function shown(c: AdminContext, accountId: string): Promise<wire.Account> {
  const account = await catalog.findAccount(c.env.DB, accountId);
  if (account === null) throw new Error(`account ${accountId} no longer exists`);
  const { disabledAtMs, ...facts } = account;
  const keys = await keysOfAccount(c.env.DB, accountId);
  const access = await consoleAccessOf(c.env.DB, accountId, byOf(c).nowMs);
  return readable({ ...facts, disabled: disabledAtMs !== null, keys, console: access });
}

/** Adds a subscription to the account. */
async function addOne(c: AdminContext): Promise<Answered<wire.Account>> {
  const asked = both(await accountOf(c), await bodyOf(c, wire.addSubscriptionSchema));
  if (!asked.ok) return asked;
  const [account, body] = asked.value;
  const { plan, start = byOf(c).nowMs } = body;
  const { end = start + WEEKLY_MS } = body;
  if (end <= start)
    return refused({
      reason: "malformed",
      what: "The body",
      place: "end",
      problem: "start must be before end",
    });
  // The end of a weekly card is computed here, so the schema has not checked it.
  if (!isStorable(end)) return refused(notStorable("end"));
  return added(c, account, { plan, startMs: start, endMs: end });
}

/**
 * Extends the account's last subscription to the plan. If it has ended, or if there is none, a new subscription starts
 * now.
 */
async function extend(c: AdminContext): Promise<Answered<wire.Account>> {
  const asked = both(await accountOf(c), await bodyOf(c, wire.extendSubscriptionSchema));
  if (!asked.ok) return asked;
  const [account, body] = asked.value;
  const { plan, byMs = 0, until } = body;
  const by = byOf(c);
  const last = account.subscriptions
    .filter((each) => each.plan === plan)
    .toSorted((a, b) => b.endMs - a.endMs)[0];
  const holds = last !== undefined && last.endMs > by.nowMs;
  const fromMs = holds ? last.endMs : by.nowMs;
  const endMs = until ?? fromMs + byMs;
  if (!isStorable(endMs)) return refused(notStorable("byMs"));
  if (endMs <= fromMs) return refused({ reason: "not_later", plan, end: beijingTimestamp(fromMs) });
  if (!holds) return added(c, account, { plan, startMs: by.nowMs, endMs });
  const { accountId } = account;
  if (!(await catalog.moveSubscriptionEnd(c.env.DB, accountId, last, endMs, by))) {
    return refused({ reason: "changed_meanwhile", what: `the plans of ${accountId}` });
  }
  return ok(await shown(c, accountId));
}

function notStorable(place: string): AdminRefusal {
  const problem = `the end must be ${STORABLE_INSTANTS}`;
  return { reason: "malformed", what: "The body", place, problem };
}

async function added(
  c: AdminContext,
  { accountId }: catalog.Account,
  subscription: Subscription,
): Promise<Answered<wire.Account>> {
  const isAdded = await catalog.addSubscription(c.env.DB, accountId, subscription, byOf(c));
  return isAdded
    ? ok(await shown(c, accountId))
    : refused({ reason: "subscription_taken", plan: subscription.plan });
}

/** The default and maximum number of accounts in one answer. */
const MAX_ACCOUNTS = 200;

const listQuerySchema = z.object({
  search: z.string().trim().max(200).default(""),
  /** Only accounts whose last plan ends within this many milliseconds; null for all. */
  expiring: z.coerce.number().int().min(1).nullable().default(null),
  after: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(MAX_ACCOUNTS).default(MAX_ACCOUNTS),
});

/** A placeholder for the plans' limits, which lists of accounts do not show. */
const NO_LIMITS = {} as Readonly<Record<PlanName, DailyLimits>>;

async function listPage(c: AdminContext): Promise<Answered<wire.AccountList>> {
  const query = parsed(listQuerySchema, c.req.query(), "The query");
  if (!query.ok) return query;
  const { search, expiring, after, limit } = query.value;
  const at = nowMs(settingsOf(c.env));
  const question = { nowMs: at, expiringWithinMs: expiring, search, after };
  // One row more than requested is read, to know whether another page follows.
  const found = await catalog.listAccounts(c.env.DB, { ...question, count: limit + 1 });
  const shown = found.slice(0, limit);
  return ok({
    accounts: shown.map((account) => listed(account, at)),
    next: found.length > shown.length ? (shown.at(-1)?.accountId ?? null) : null,
  });
}

function listed(account: catalog.ListedAccount, at: number): wire.AccountList["accounts"][number] {
  const { subscriptions, ...rest } = account;
  const { plan, state, endsAtMs } = standingOf({ subscriptions, planLimits: NO_LIMITS, ownLimits: {} }, at);
  return readable({ ...rest, plan, planState: state, planEndsAtMs: endsAtMs });
}

async function standing(c: AdminContext): Promise<Answered<wire.Standing>> {
  const dataset = datasetOf(c);
  if (!dataset.ok) return dataset;
  const account = await accountOf(c);
  return account.ok ? ok(await standingNow(c, account.value.accountId, dataset.value)) : account;
}

async function credit(c: AdminContext): Promise<Answered<wire.Standing>> {
  const dataset = datasetOf(c);
  if (!dataset.ok) return dataset;
  const asked = both(await accountOf(c), await bodyOf(c, wire.creditSchema));
  if (!asked.ok) return asked;
  const [account, given] = asked.value;
  const { accountId } = account;
  // The audit entry is written first: an entry without a credit is better than a credit without an entry.
  await tell(c, "account.credit", accountId, { ...given, ...nameOf(dataset.value) });
  await accountGate(c.env, settingsOf(c.env), accountId, DATASETS[dataset.value].apiname).credit(given);
  return ok(await standingNow(c, accountId, dataset.value));
}

async function freeSlot(c: AdminContext): Promise<Answered<wire.Standing>> {
  const dataset = datasetOf(c);
  if (!dataset.ok) return dataset;
  const account = await accountOf(c);
  if (!account.ok) return account;
  const { accountId } = account.value;
  const gate = accountGate(c.env, settingsOf(c.env), accountId, DATASETS[dataset.value].apiname);
  const { holder } = await gate.state();
  if (holder !== null) {
    await tell(c, "account.free", accountId, { requestId: holder.requestId, ...nameOf(dataset.value) });
    await gate.free();
  }
  return ok(await standingNow(c, accountId, dataset.value));
}

async function standingNow(c: AdminContext, accountId: string, dataset: DatasetName): Promise<wire.Standing> {
  const settings = settingsOf(c.env);
  const principal = await principalOfAccount(c.env.DB, accountId);
  if (principal === null) throw new Error(`account ${accountId} no longer exists`);
  const [info, { holder }] = await Promise.all([
    accountInfoOf(c.env, settings, principal, nowMs(settings)),
    accountGate(c.env, settings, accountId, DATASETS[dataset].apiname).state(),
  ]);
  return { info, slot: holder && readable({ requestId: holder.requestId, untilMs: holder.untilMs }) };
}

function tell(c: AdminContext, action: string, subject: string, after: object): Promise<void> {
  return addAudit(c.env.DB, byOf(c), { action, subject, after });
}

/** The length of an invitation's token: 32 base62 characters hold 190 random bits. */
const TOKEN_LENGTH = 32;

async function invite(c: AdminContext): Promise<Answered<wire.Invite>> {
  const asked = both(await accountOf(c), await bodyOf(c, wire.newInviteSchema));
  if (!asked.ok) return asked;
  const [account, body] = asked.value;
  const { accountId } = account;
  const base = publicBaseOf(settingsOf(c.env), new URL(c.req.url).origin);
  const by = byOf(c);
  const token = randomBase62(TOKEN_LENGTH);
  const expiresAtMs = by.nowMs + body.validMs;
  await addInvite(c.env.DB, { sha256: await hashKey(token), accountId, expiresAtMs }, by);
  return ok({
    accountId,
    url: `${base}/console/invite/${token}`,
    expiresAt: beijingTimestamp(expiresAtMs),
  });
}

/** Returns the usage by account in a month of Beijing days, for billing. */
async function usageOfMonth(c: AdminContext): Promise<Answered<wire.UsageList>> {
  const month = parsed(monthSchema, c.req.query("month"), "month");
  if (!month.ok) return month;
  // Days are compared as text, so 31 is a valid upper bound for shorter months too.
  const [from, to] = [`${month.value}01`, `${month.value}31`] as [BeijingDate, BeijingDate];
  return ok({ month: month.value, usage: await usageBetween(c.env.DB, { from, to }) });
}

async function listPlans(c: AdminContext): Promise<Answered<wire.PlanList>> {
  return ok({ plans: await catalog.planLimits(c.env.DB) });
}

async function setPlans(c: AdminContext): Promise<Answered<wire.PlanList>> {
  const change = await bodyOf(c, wire.planListSchema);
  if (!change.ok) return change;
  await catalog.setPlanLimits(c.env.DB, change.value.plans, byOf(c));
  return listPlans(c);
}
