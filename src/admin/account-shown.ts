/** The account that a request's path names, and how the operator sees it. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import { type Account as CatalogAccount, findAccount } from "../catalog/accounts.ts";
import { consoleAccessOf } from "../catalog/console-access.ts";
import { keysOfAccount } from "../catalog/keys.ts";
import { type AdminContext, absent, byOf } from "./exchange.ts";
import { summaryOf } from "./key-routes.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Account } from "./wire.ts";

/** The account `:id` of the path, or why it is refused. */
export async function accountOf(c: AdminContext): Promise<CatalogAccount | AdminRefusal> {
  const accountId = c.req.param("id") ?? "";
  return (await findAccount(c.env.DB, accountId)) ?? absent("account", accountId);
}

/** The account as it is now. */
export async function shown(c: AdminContext, accountId: string): Promise<Account> {
  const account = await findAccount(c.env.DB, accountId);
  if (account === null) throw new Error(`account ${accountId} vanished`);
  const keys = await keysOfAccount(c.env.DB, accountId);
  const { sessions, invites } = await consoleAccessOf(c.env.DB, accountId, byOf(c).nowMs);
  const spanOf = ({ createdAtMs, expiresAtMs }: { createdAtMs: number; expiresAtMs: number }) => ({
    createdAt: beijingTimestamp(createdAtMs),
    expiresAt: beijingTimestamp(expiresAtMs),
  });
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
    console: { sessions: sessions.map(spanOf), invites: invites.map(spanOf) },
  };
}
