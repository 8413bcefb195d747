/** `/admin/accounts/{id}/subscriptions`, one at a time: a plan more, or one that holds longer. */
import { beijingTimestamp } from "../calendar/beijing.ts";
import { isStorable, STORABLE_INSTANTS } from "../calendar/instant.ts";
import type { Account as CatalogAccount } from "../catalog/accounts.ts";
import { addSubscription, moveSubscriptionEnd } from "../catalog/subscriptions.ts";
import { WEEKLY_MS } from "../entitlement/plans.ts";
import type { Subscription } from "../entitlement/principal.ts";
import { accountOf, shown } from "./account-shown.ts";
import { type AdminContext, bodyOf, byOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type Account, addSubscriptionSchema, extendSubscriptionSchema } from "./wire.ts";

/** Adds a plan beside those the account has. */
export async function addOne(c: AdminContext): Promise<Account | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const body = await bodyOf(c, addSubscriptionSchema);
  if (isRefusal(body)) return body;
  const { plan, start = byOf(c).nowMs } = body;
  const { end = start + WEEKLY_MS } = body;
  if (end <= start)
    return { reason: "malformed", what: "The body", place: "end", problem: "start must be before end" };
  // The end of a weekly card is computed here, from a start that the schema took.
  if (!isStorable(end)) return notStorable("end");
  return added(c, account, { plan, startMs: start, endMs: end });
}

/** Lets the plan's last subscription hold longer, or begin anew when it is over or there is none. */
export async function extend(c: AdminContext): Promise<Account | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const body = await bodyOf(c, extendSubscriptionSchema);
  if (isRefusal(body)) return body;
  const { plan, byMs = 0, until } = body;
  const by = byOf(c);
  const last = account.subscriptions
    .filter((each) => each.plan === plan)
    .toSorted((a, b) => b.endMs - a.endMs)[0];
  const holds = last !== undefined && last.endMs > by.nowMs;
  const fromMs = holds ? last.endMs : by.nowMs;
  const endMs = until ?? fromMs + byMs;
  if (!isStorable(endMs)) return notStorable("byMs");
  if (endMs <= fromMs) return { reason: "not_later", plan, end: beijingTimestamp(fromMs) };
  if (!holds) return added(c, account, { plan, startMs: by.nowMs, endMs });
  const { accountId } = account;
  if (!(await moveSubscriptionEnd(c.env.DB, accountId, last, endMs, by))) {
    return { reason: "changed_meanwhile", what: `the plans of ${accountId}` };
  }
  return shown(c, accountId);
}

function notStorable(place: string): AdminRefusal {
  const problem = `the end would not be ${STORABLE_INSTANTS}`;
  return { reason: "malformed", what: "The body", place, problem };
}

async function added(
  c: AdminContext,
  { accountId }: CatalogAccount,
  subscription: Subscription,
): Promise<Account | AdminRefusal> {
  const isAdded = await addSubscription(c.env.DB, accountId, subscription, byOf(c));
  return isAdded ? shown(c, accountId) : { reason: "subscription_taken", plan: subscription.plan };
}
