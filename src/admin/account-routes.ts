/** `/admin/accounts`, `/admin/keys`, `/admin/plans`, `/admin/usage`: accounts with their keys, plans and usage. */
import * as z from "zod";
import { firstCharacters, generateKey, hashKey } from "../access/key.ts";
import { randomBase62 } from "../base/base62.ts";
import { ok, refused } from "../base/result.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { isStorable, STORABLE_INSTANTS } from "../calendar/instant.ts";
import * as catalog from "../catalog/accounts.ts";
import { addAudit } from "../catalog/audit.ts";
import { addInvite, consoleAccessOf, signOutAccount } from "../catalog/console-access.ts";
import { importKeys, knownForImport } from "../catalog/key-import.ts";
import * as keys from "../catalog/keys.ts";
import { usageBetween } from "../catalog/usage.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { WEEKLY_MS } from "../entitlement/plans.ts";
import type { DailyLimits, PlanName, Subscription } from "../entitlement/principal.ts";
import { standingOf } from "../entitlement/standing.ts";
import { nowMs, publicBaseOf, settingsOf } from "../env.ts";
import { accountGate, accountInfoOf } from "../operations/account-info.ts";
import type { AdminContext, Routes } from "./context.ts";
import { absent, bodyOf, byOf, datasetOf, inQuery, nameOf, queryOf, readable, reading } from "./context.ts";
import { type HashedRow, planKeyImport } from "./key-import.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import * as wire from "./wire.ts";
import { monthSchema } from "./wire-fields.ts";

/** Returns the account whose id is in the path, or a refusal. */
async function accountOf(c: AdminContext): Promise<Answered<catalog.Account>> {
  const accountId = c.req.param("id") ?? "";
  const account = await catalog.findAccount(c.env.DB, accountId);
  return account === null ? refused(absent("account", accountId)) : ok(account);
}

/** Returns the current state of the account. */
async function shown(c: AdminContext, { accountId }: Pick<catalog.Account, "accountId">) {
  const account = await catalog.findAccount(c.env.DB, accountId);
  if (account === null) throw new Error(`account ${accountId} no longer exists`);
  const { disabledAtMs, ...facts } = account;
  const held = await keys.keysOfAccount(c.env.DB, accountId);
  const access = await consoleAccessOf(c.env.DB, accountId, byOf(c).nowMs);
  return ok<wire.Account>(
    readable({ ...facts, disabled: disabledAtMs !== null, keys: held, console: access }),
  );
}

const showAccount = reading([accountOf], shown);

const create = reading([bodyOf(wire.newAccountSchema)], async (c, account) => {
  const { accountId = `acc_${randomBase62(12)}` } = account;
  const created = await catalog.createAccount(c.env.DB, { ...account, accountId }, byOf(c));
  return created ? shown(c, { accountId }) : refused({ reason: "account_taken", accountId });
});

/** Returns a new key id. It names a key in lists and in the audit and grants no access. */
function newKeyId(): string {
  return `key_${randomBase62(12)}`;
}

const issueKey = reading([accountOf, bodyOf(wire.newKeySchema)], async (c, { accountId }, body) => {
  const { name, expires: expiresAtMs } = body;
  const key = generateKey();
  const keyId = newKeyId();
  const stored = { sha256: await hashKey(key), firstCharacters: firstCharacters(key), expiresAtMs };
  await keys.addKey(c.env.DB, { ...stored, keyId, accountId, name }, byOf(c));
  return ok<wire.IssuedKey>({ keyId, key, accountId });
});

const putSubscriptions = reading(
  [bodyOf(wire.subscriptionListSchema), accountOf],
  async (c, { subscriptions }, account) => {
    const plans = subscriptions.map(({ plan, start, end }) => ({ plan, startMs: start, endMs: end }));
    await catalog.setSubscriptions(c.env.DB, account, plans, byOf(c));
    return shown(c, account);
  },
);

const putContact = reading([bodyOf(wire.accountContactSchema), accountOf], async (c, body, account) => {
  const { contact = account.contact, note = account.note } = body;
  await catalog.setContact(c.env.DB, account, { contact, note }, byOf(c));
  return shown(c, account);
});

const putLimits = reading([bodyOf(wire.ownLimitsSchema), accountOf], async (c, limits, account) => {
  await catalog.setOwnLimits(c.env.DB, account, limits, byOf(c));
  return shown(c, account);
});

const putDisabled = (disabled: boolean) =>
  reading([accountOf], async (c, account) => {
    await catalog.setDisabled(c.env.DB, account, disabled, byOf(c));
    return shown(c, account);
  });

/** Ends the account's console sessions and cancels its unused console links. */
const signOut = reading([accountOf], async (c, account) => {
  await signOutAccount(c.env.DB, account.accountId, byOf(c));
  return shown(c, account);
});

/** Adds a subscription to the account. */
const addOne = reading([accountOf, bodyOf(wire.addSubscriptionSchema)], async (c, account, body) => {
  const { plan, start = byOf(c).nowMs } = body;
  const { end = start + WEEKLY_MS } = body;
  if (end <= start) return refused(wrongEnd("end", "start must be before end"));
  // The end of a weekly card is computed here, so the schema has not checked it.
  if (!isStorable(end)) return refused(wrongEnd("end"));
  return added(c, account, { plan, startMs: start, endMs: end });
});

/** Extends the account's last subscription to the plan; if it has ended or there is none, a new one starts now. */
const extend = reading([accountOf, bodyOf(wire.extendSubscriptionSchema)], async (c, account, body) => {
  const { plan, byMs = 0, until } = body;
  const by = byOf(c);
  const last = account.subscriptions
    .filter((each) => each.plan === plan)
    .toSorted((a, b) => b.endMs - a.endMs)[0];
  const holds = last !== undefined && last.endMs > by.nowMs;
  const fromMs = holds ? last.endMs : by.nowMs;
  const endMs = until ?? fromMs + byMs;
  if (!isStorable(endMs)) return refused(wrongEnd("byMs"));
  if (endMs <= fromMs) return refused({ reason: "not_later", plan, end: beijingTimestamp(fromMs) });
  if (!holds) return added(c, account, { plan, startMs: by.nowMs, endMs });
  const { accountId } = account;
  if (await catalog.moveSubscriptionEnd(c.env.DB, accountId, last, endMs, by)) return shown(c, account);
  return refused({ reason: "changed_meanwhile", what: `the plans of ${accountId}` });
});

function wrongEnd(place: string, problem = `the end must be ${STORABLE_INSTANTS}`): AdminRefusal {
  return { reason: "malformed", what: "The body", place, problem };
}

async function added(
  c: AdminContext,
  account: catalog.Account,
  subscription: Subscription,
): Promise<Answered<wire.Account>> {
  const isAdded = await catalog.addSubscription(c.env.DB, account.accountId, subscription, byOf(c));
  return isAdded ? shown(c, account) : refused({ reason: "subscription_taken", plan: subscription.plan });
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

const listPage = reading([queryOf(listQuerySchema)], async (c, { limit, expiring, ...question }) => {
  const at = nowMs(settingsOf(c.env));
  // One row more than requested is read, to know whether another page follows.
  const asked = { ...question, nowMs: at, expiringWithinMs: expiring, count: limit + 1 };
  const found = await catalog.listAccounts(c.env.DB, asked);
  const listed = found.slice(0, limit);
  const next = found.length > listed.length ? (listed.at(-1)?.accountId ?? null) : null;
  const accounts = listed.map(({ subscriptions, ...rest }) => {
    const principal = { subscriptions, planLimits: NO_LIMITS, ownLimits: {} };
    const { plan, state, endsAtMs } = standingOf(principal, at);
    return readable({ ...rest, plan, planState: state, planEndsAtMs: endsAtMs });
  });
  return ok<wire.AccountList>({ accounts, next });
});

const standing = reading([datasetOf, accountOf], standingNow);

const credit = reading(
  [datasetOf, accountOf, bodyOf(wire.creditSchema)],
  async (c, dataset, account, given) => {
    // The audit entry is written first: an entry without a credit is better than a credit without an entry.
    await tell(c, "account.credit", account, { ...given, ...nameOf(dataset) });
    await gateOf(c, dataset, account).credit(given);
    return standingNow(c, dataset, account);
  },
);

const freeSlot = reading([datasetOf, accountOf], async (c, dataset, account) => {
  const gate = gateOf(c, dataset, account);
  const { holder } = await gate.state();
  if (holder !== null) {
    await tell(c, "account.free", account, { requestId: holder.requestId, ...nameOf(dataset) });
    await gate.free();
  }
  return standingNow(c, dataset, account);
});

async function standingNow(c: AdminContext, dataset: DatasetName, account: catalog.Account) {
  const { accountId } = account;
  const settings = settingsOf(c.env);
  const principal = await keys.principalOfAccount(c.env.DB, accountId);
  if (principal === null) throw new Error(`account ${accountId} no longer exists`);
  const [info, { holder }] = await Promise.all([
    accountInfoOf(c.env, settings, principal, nowMs(settings)),
    gateOf(c, dataset, account).state(),
  ]);
  const slot = holder && readable({ requestId: holder.requestId, untilMs: holder.untilMs });
  return ok<wire.Standing>({ info, slot });
}

function gateOf({ env }: AdminContext, dataset: DatasetName, { accountId }: catalog.Account) {
  return accountGate(env, settingsOf(env), accountId, DATASETS[dataset].apiname);
}

function tell(c: AdminContext, action: string, account: catalog.Account, after: object): Promise<void> {
  return addAudit(c.env.DB, byOf(c), { action, subject: account.accountId, after });
}

/** The length of an invitation's token: 32 base62 characters hold 190 random bits. */
const TOKEN_LENGTH = 32;

const invite = reading([accountOf, bodyOf(wire.newInviteSchema)], async (c, { accountId }, { validMs }) => {
  const base = publicBaseOf(settingsOf(c.env), new URL(c.req.url).origin);
  const by = byOf(c);
  const token = randomBase62(TOKEN_LENGTH);
  const expiresAtMs = by.nowMs + validMs;
  await addInvite(c.env.DB, { sha256: await hashKey(token), accountId, expiresAtMs }, by);
  const url = `${base}/console/invite/${token}`;
  return ok<wire.Invite>({ accountId, url, expiresAt: beijingTimestamp(expiresAtMs) });
});

/** Returns the usage by account in a month of Beijing days, for billing. */
const usageOfMonth = reading([inQuery("month", monthSchema)], async (c, month) => {
  // Days are compared as text, so 31 is a valid upper bound for shorter months too.
  const [from, to] = [`${month}01`, `${month}31`] as [BeijingDate, BeijingDate];
  return ok<wire.UsageList>({ month, usage: await usageBetween(c.env.DB, { from, to }) });
});

async function listPlans(c: AdminContext) {
  return ok<wire.PlanList>({ plans: await catalog.planLimits(c.env.DB) });
}

const setPlans = reading([bodyOf(wire.planListSchema)], async (c, { plans }) => {
  await catalog.setPlanLimits(c.env.DB, plans, byOf(c));
  return listPlans(c);
});

const importRows = reading([bodyOf(wire.keyImportSchema)], async (c, { rows, allowShort }) => {
  const hashedRows = await Promise.all(rows.map(hashed));
  const sha256s = hashedRows.map(({ sha256 }) => sha256);
  const accounts = rows.map(({ account }) => account);
  const known = await knownForImport(c.env.DB, sha256s, accounts);
  const plan = planKeyImport(hashedRows, known, { newKeyId, allowShort });
  if (plan.answer.imported > 0) await importKeys(c.env.DB, plan, byOf(c));
  return ok<wire.KeysImported>(plan.answer);
});

async function hashed(row: wire.KeyImportRowParsed): Promise<HashedRow> {
  const { key } = row;
  if (key === undefined) return { sha256: row.sha256 ?? "", firstCharacters: "", row };
  return { sha256: await hashKey(key), firstCharacters: firstCharacters(key), row };
}

/** Returns the refusal for an unknown key id. An id of another form is not quoted, because it may be a key. */
function noKey(keyId: string): AdminRefusal {
  if (/^key_[0-9A-Za-z]*$/.test(keyId)) return absent("key", keyId);
  return { reason: "absent", what: "key with this id; ids begin with key_" };
}

/** Returns the key whose id is in the path, or a refusal. */
async function keyOf(c: AdminContext): Promise<Answered<keys.ApiKey>> {
  const keyId = c.req.param("keyId") ?? "";
  const key = await keys.findKey(c.env.DB, keyId);
  return key === null ? refused(noKey(keyId)) : ok(key);
}

async function revoke(c: AdminContext): Promise<Answered<wire.KeySummary>> {
  await keys.revokeKey(c.env.DB, c.req.param("keyId") ?? "", byOf(c));
  const key = await keyOf(c);
  return key.ok ? ok(readable(key.value)) : key;
}

const roll = reading([keyOf, bodyOf(wire.rollKeySchema)], async (c, old, { overlapMs }) => {
  const by = byOf(c);
  const isOver = old.revokedAtMs !== null || (old.expiresAtMs !== null && old.expiresAtMs <= by.nowMs);
  if (isOver) return refused({ reason: "key_over", keyId: old.keyId });
  const key = generateKey();
  const keyId = newKeyId();
  const fresh = { keyId, sha256: await hashKey(key), firstCharacters: firstCharacters(key) };
  const rolled = await keys.rollKey(c.env.DB, old, { fresh, oldExpiresAtMs: by.nowMs + overlapMs }, by);
  if (!rolled) return refused({ reason: "changed_meanwhile", what: `key ${old.keyId}` });
  const { accountId, expiresAtMs } = (await keys.findKey(c.env.DB, old.keyId)) ?? old;
  const replacedUntil = beijingTimestamp(expiresAtMs ?? by.nowMs);
  return ok<wire.RolledKey>({ keyId, key, accountId, replaces: old.keyId, replacedUntil });
});

export const ACCOUNT_ROUTES: Routes = {
  "GET /accounts": ["read", listPage],
  "POST /accounts": ["admin", create, 201],
  "GET /accounts/:id": ["read", showAccount],
  "POST /accounts/:id/keys": ["admin", issueKey, 201],
  "PUT /accounts/:id/subscriptions": ["admin", putSubscriptions],
  "POST /accounts/:id/subscriptions": ["admin", addOne],
  "POST /accounts/:id/subscriptions/extend": ["admin", extend],
  "GET /accounts/:id/standing": ["read", standing],
  "POST /accounts/:id/credit": ["admin", credit],
  "POST /accounts/:id/free": ["admin", freeSlot],
  "PUT /accounts/:id/contact": ["admin", putContact],
  "PUT /accounts/:id/limits": ["admin", putLimits],
  "POST /accounts/:id/disable": ["admin", putDisabled(true)],
  "POST /accounts/:id/enable": ["admin", putDisabled(false)],
  "POST /accounts/:id/sign-out": ["admin", signOut],
  "POST /accounts/:id/invites": ["admin", invite, 201],
  "POST /keys/import": ["admin", importRows],
  "POST /keys/:keyId/roll": ["admin", roll, 201],
  "POST /keys/:keyId/revoke": ["admin", revoke],
  "GET /plans": ["read", listPlans],
  "PUT /plans": ["admin", setPlans],
  "GET /usage": ["read", usageOfMonth],
};
