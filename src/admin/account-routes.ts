/** `/admin/accounts`: accounts, their subscriptions, own limits and keys, and where they stand. */
import { Hono } from "hono";
import { firstCharacters, generateKey, hashKey, randomBase62 } from "../access/key.ts";
import {
  type Account as CatalogAccount,
  createAccount,
  setContact,
  setDisabled,
  setOwnLimits,
  setSubscriptions,
} from "../catalog/accounts.ts";
import { signOutAccount } from "../catalog/console-access.ts";
import { addKey } from "../catalog/keys.ts";
import { accountOf, shown } from "./account-shown.ts";
import { credit, freeSlot, list, standing } from "./account-standing.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal } from "./exchange.ts";
import { inviteRoutes } from "./invite-routes.ts";
import { newKeyId } from "./key-routes.ts";
import type { AdminRefusal } from "./refusal.ts";
import { addOne, extend } from "./subscription-steps.ts";
import {
  type Account,
  accountContactSchema,
  type IssuedKey,
  newAccountSchema,
  newKeySchema,
  ownLimitsSchema,
  subscriptionListSchema,
} from "./wire.ts";

/** The routes below `/admin/accounts`. */
export function accountRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await list(c)))
    .post("/", async (c) => answer(c, await create(c), 201))
    .get("/:id", async (c) => answer(c, await changed(c, async () => undefined)))
    .post("/:id/keys", async (c) => answer(c, await issueKey(c), 201))
    .put("/:id/subscriptions", async (c) => answer(c, await putSubscriptions(c)))
    .post("/:id/subscriptions", async (c) => answer(c, await addOne(c)))
    .post("/:id/subscriptions/extend", async (c) => answer(c, await extend(c)))
    .get("/:id/standing", async (c) => answer(c, await standing(c)))
    .post("/:id/credit", async (c) => answer(c, await credit(c)))
    .post("/:id/free", async (c) => answer(c, await freeSlot(c)))
    .put("/:id/contact", async (c) => answer(c, await putContact(c)))
    .put("/:id/limits", async (c) => answer(c, await putLimits(c)))
    .post("/:id/disable", async (c) => answer(c, await putDisabled(c, true)))
    .post("/:id/sign-out", async (c) => answer(c, await signOut(c)))
    .post("/:id/enable", async (c) => answer(c, await putDisabled(c, false)))
    .route("/", inviteRoutes());
}

/** Ends the account's sessions in the console and cancels its links. */
async function signOut(c: AdminContext): Promise<Account | AdminRefusal> {
  return changed(c, ({ accountId }) => signOutAccount(c.env.DB, accountId, byOf(c)));
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

async function putContact(c: AdminContext): Promise<Account | AdminRefusal> {
  const body = await bodyOf(c, accountContactSchema);
  if (isRefusal(body)) return body;
  return changed(c, (account) => {
    const { contact = account.contact, note = account.note } = body;
    return setContact(c.env.DB, account, { contact, note }, byOf(c));
  });
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
