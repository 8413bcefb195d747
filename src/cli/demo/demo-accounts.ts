/** The demo's accounts: one for each plan, one whose plan has ended, one with a revoked key. */
import * as wire from "../../admin/wire.ts";
import type { AdminClient } from "../admin-client.ts";
import type { Remembered } from "./demo-state.ts";

const DAY_MS = 86_400_000;

export interface DemoAccount {
  name: string;
  plan: wire.SubscriptionInput["plan"];
  /** The start of the plan, in days from now. */
  fromDays: number;
  /** The end of the plan, in days from now. */
  toDays: number;
  /** What the account's key can do, for the printed table. */
  says: string;
}

/**
 * The demo accounts. `demo.json` lists their keys under these names. The weekly card is valid for 7 × 24 hours, so it
 * is renewed at every start.
 */
export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  { name: "free", plan: "free", fromDays: -30, toDays: 3650, says: "no tick history (403)" },
  { name: "standard", plan: "standard", fromDays: -30, toDays: 3650, says: "no tick history (403)" },
  { name: "trial", plan: "trial", fromDays: -30, toDays: 3650, says: "all history, 100 requests a day" },
  { name: "professional", plan: "professional", fromDays: -30, toDays: 3650, says: "the latest 30 days" },
  { name: "weekly", plan: "weekly", fromDays: 0, toDays: 7, says: "the latest 30 days" },
  { name: "flagship", plan: "flagship", fromDays: -30, toDays: 3650, says: "all history" },
  { name: "expired", plan: "professional", fromDays: -60, toDays: -1, says: "its plan has ended (403)" },
  { name: "revoked", plan: "flagship", fromDays: -30, toDays: 3650, says: "the key was revoked (403)" },
];

/** Creates missing demo accounts, adds their keys to `remembered`, and renews the plans of all. */
export async function prepareAccounts(
  client: AdminClient,
  remembered: Remembered,
  nowMs: number,
): Promise<void> {
  await Promise.all(
    DEMO_ACCOUNTS.map(async (account) => {
      const path = `/admin/accounts/demo-${account.name}`;
      remembered.keys[account.name] ??= await firstKey(client, account, path);
      const [start, end] = [nowMs + account.fromDays * DAY_MS, nowMs + account.toDays * DAY_MS];
      const body = { subscriptions: [{ plan: account.plan, start, end }] };
      await client.put(wire.accountSchema, `${path}/subscriptions`, { body });
    }),
  );
}

/** Returns a one-time link into the console of a demo account, valid for a day. */
export async function inviteDemo(client: AdminClient, name: string): Promise<string> {
  const path = `/admin/accounts/demo-${name}/invites`;
  return (await client.post(wire.inviteSchema, path, { body: {} })).url;
}

/** Creates the account if it is absent, and returns a new key for it. */
async function firstKey(client: AdminClient, account: DemoAccount, path: string) {
  const accountId = `demo-${account.name}`;
  const create = { body: { accountId, note: "created by npm start" } };
  await client
    .get(wire.accountSchema, path)
    .catch(() => client.post(wire.accountSchema, "/admin/accounts", create));
  const issue = { body: { name: "demo" } };
  const { keyId, key } = await client.post(wire.issuedKeySchema, `${path}/keys`, issue);
  if (account.name === "revoked") await client.post(wire.keySummarySchema, `/admin/keys/${keyId}/revoke`);
  return { keyId, key };
}
