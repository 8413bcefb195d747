/** `/admin/accounts/:id/invites`: one-time links into the console. */
import { Hono } from "hono";
import { hashKey, randomBase62 } from "../access/key.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { addInvite } from "../catalog/console-access.ts";
import { publicBaseOf, settingsOf } from "../env.ts";
import { accountOf } from "./account-shown.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type Invite, newInviteSchema } from "./wire.ts";

/** 32 base62 characters are 190 bits. */
const TOKEN_LENGTH = 32;

/** The route below `/admin/accounts`. */
export function inviteRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>().post("/:id/invites", async (c) => answer(c, await invite(c), 201));
}

async function invite(c: AdminContext): Promise<Invite | AdminRefusal> {
  const account = await accountOf(c);
  if (isRefusal(account)) return account;
  const body = await bodyOf(c, newInviteSchema);
  if (isRefusal(body)) return body;
  const { accountId } = account;
  const base = publicBaseOf(settingsOf(c.env), new URL(c.req.url).origin);
  const by = byOf(c);
  const token = randomBase62(TOKEN_LENGTH);
  const expiresAtMs = by.nowMs + body.validMs;
  await addInvite(c.env.DB, { sha256: await hashKey(token), accountId, expiresAtMs }, by);
  return {
    accountId,
    url: `${base}/console/invite/${token}`,
    expiresAt: beijingTimestamp(expiresAtMs),
  };
}
