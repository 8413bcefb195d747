/** The demo's accounts: one for each plan, one whose plan has ended, one with a revoked key. */
import * as wire from "../../admin/wire.ts";
import type { AdminClient } from "../admin-client.ts";
import type { Remembered } from "./demo-state.ts";

const DAY_MS = 86_400_000;

/**
 * The demo accounts. `demo.json` lists their keys under these names, and the printed table shows what each key can do
 * (`says`). A plan starts `fromDays` and ends `toDays` from now. The weekly card is valid for 7 × 24 hours, so it is
 * renewed at every start.
 */
export const DEMO_ACCOUNTS = [
  { name: "free", plan: "free", fromDays: -30, toDays: 3650, says: "no tick history (403)" },
  { name: "standard", plan: "standard", fromDays: -30, toDays: 3650, says: "no tick history (403)" },
  { name: "trial", plan: "trial", fromDays: -30, toDays: 3650, says: "all history, 100 requests a day" },
  { name: "professional", plan: "professional", fromDays: -30, toDays: 3650, says: "the latest 30 days" },
  { name: "weekly", plan: "weekly", fromDays: 0, toDays: 7, says: "the latest 30 days" },
  { name: "flagship", plan: "flagship", fromDays: -30, toDays: 3650, says: "all history" },
  { name: "expired", plan: "professional", fromDays: -60, toDays: -1, says: "its plan has ended (403)" },
  { name: "revoked", plan: "flagship", fromDays: -30, toDays: 3650, says: "the key was revoked (403)" },
] as const;

/** Creates missing demo accounts, adds their keys to `remembered`, and renews the plans of all. */
export async function prepareAccounts(
  client: AdminClient,
  remembered: Remembered,
  nowMs: number,
): Promise<void> {
  await Promise.all(
    DEMO_ACCOUNTS.map(async ({ name, plan, fromDays, toDays }) => {
      const path = `/admin/accounts/demo-${name}`;
      remembered.keys[name] ??= await firstKey(client, name, path);
      const [start, end] = [nowMs + fromDays * DAY_MS, nowMs + toDays * DAY_MS];
      const body = { subscriptions: [{ plan, start, end }] };
      await client.put(wire.accountSchema, `${path}/subscriptions`, { body });
    }),
  );
}

/** Creates the account if it is absent, and returns a new key for it. */
async function firstKey(client: AdminClient, name: string, path: string) {
  const create = { body: { accountId: `demo-${name}`, note: "created by npm start" } };
  await client
    .get(wire.accountSchema, path)
    .catch(() => client.post(wire.accountSchema, "/admin/accounts", create));
  const issue = { body: { name: "demo" } };
  const { keyId, key } = await client.post(wire.issuedKeySchema, `${path}/keys`, issue);
  if (name === "revoked") await client.post(wire.keySummarySchema, `/admin/keys/${keyId}/revoke`);
  return { keyId, key };
}
