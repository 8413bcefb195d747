/** `/admin/accounts`: accounts, their subscriptions, own limits and keys. */
import { Hono } from "hono";
import { firstCharacters, generateKey, hashKey, randomBase62 } from "../access/key.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import {
  type Account as CatalogAccount,
  createAccount,
  findAccount,
  setDisabled,
  setOwnLimits,
  setSubscriptions,
} from "../catalog/accounts.ts";
import { addKey, keysOfAccount } from "../catalog/keys.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal } from "./exchange.ts";
import { newKeyId, summaryOf } from "./key-routes.ts";
import type { AdminRefusal } from "./refusal.ts";
import {
  type Account,
  type IssuedKey,
  newAccountSchema,
  newKeySchema,
  ownLimitsSchema,
  subscriptionListSchema,
} from "./wire.ts";

/** The routes below `/admin/accounts`. */
export function accountRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .post("/", async (c) => answer(c, await create(c), 201))
    .get("/:id", async (c) => answer(c, await changed(c, async () => undefined)))
    .post("/:id/keys", async (c) => answer(c, await issueKey(c), 201))
    .put("/:id/subscriptions", async (c) => answer(c, await putSubscriptions(c)))
    .put("/:id/limits", async (c) => answer(c, await putLimits(c)))
    .post("/:id/disable", async (c) => answer(c, await putDisabled(c, true)))
    .post("/:id/enable", async (c) => answer(c, await putDisabled(c, false)));
}

async function create(c: AdminContext): Promise<Account | AdminRefusal> {
  const body = await bodyOf(c, newAccountSchema);
  if (isRefusal(body)) return body;
  const accountId = body.accountId ?? `acc_${randomBase62(12)}`;
  const created = await createAccount(c.env.DB, { ...body, accountId }, byOf(c));
  return created ? shown(c, accountId) : { reason: "account_taken", accountId };
}

async function issueKey(c: AdminContext): Promise<IssuedKey | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const body = await bodyOf(c, newKeySchema);
  if (isRefusal(body)) return body;
  const { accountId } = account;
  const key = generateKey();
  const keyId = newKeyId();
  const stored = {
    sha256: await hashKey(key),
    firstCharacters: firstCharacters(key),
    expiresAtMs: body.expires,
  };
  await addKey(c.env.DB, { ...stored, keyId, accountId, name: body.name }, byOf(c));
  return { keyId, key, accountId };
}

async function putSubscriptions(c: AdminContext): Promise<Account | AdminRefusal> {
  const body = await bodyOf(c, subscriptionListSchema);
  if (isRefusal(body)) return body;
  const subscriptions = body.subscriptions.map(({ plan, start, end }) => ({
    plan,
    startMs: start,
    endMs: end,
  }));
  return changed(c, (account) => setSubscriptions(c.env.DB, account, subscriptions, byOf(c)));
}

async function putLimits(c: AdminContext): Promise<Account | AdminRefusal> {
  const limits = await bodyOf(c, ownLimitsSchema);
  if (isRefusal(limits)) return limits;
  return changed(c, (account) => setOwnLimits(c.env.DB, account, limits, byOf(c)));
}

function putDisabled(c: AdminContext, disabled: boolean): Promise<Account | AdminRefusal> {
  return changed(c, (account) => setDisabled(c.env.DB, account, disabled, byOf(c)));
}

/** The account of the path after `change`. */
async function changed(
  c: AdminContext,
  change: (account: CatalogAccount) => Promise<void>,
): Promise<Account | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  await change(account);
  return shown(c, account.accountId);
}

async function accountOf(c: AdminContext): Promise<CatalogAccount | AdminRefusal> {
  const account = await findAccount(c.env.DB, c.req.param("id") ?? "");
  return account ?? { reason: "absent", what: "account with this id" };
}

async function shown(c: AdminContext, accountId: string): Promise<Account> {
  const account = await findAccount(c.env.DB, accountId);
  if (account === null) throw new Error(`account ${accountId} vanished`);
  const keys = await keysOfAccount(c.env.DB, accountId);
  return {
    accountId,
    contact: account.contact,
    note: account.note,
    disabled: account.disabledAtMs !== null,
    createdAt: beijingTimestamp(account.createdAtMs),
    ownLimits: account.ownLimits,
    subscriptions: account.subscriptions.map(({ plan, startMs, endMs }) => ({
      plan,
      start: beijingTimestamp(startMs),
      end: beijingTimestamp(endMs),
    })),
    keys: keys.map(summaryOf),
  };
}
