/** `/admin/shares`: the shares that were made, their end, and the secret of their passwords. */
import { Hono } from "hono";
import * as z from "zod";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { findAccount } from "../catalog/accounts.ts";
import { revokeShare, type Share, shareById, sharesInForce, sharesOfAccount } from "../catalog/shares.ts";
import { type AdminContext, type AdminEnv, absent, answer, byOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { rotateSecret, secretVersions } from "./secret-rotation.ts";
import type { ShareList, ShareSummary } from "./wire.ts";

/** Shares in one answer, at most and unless asked otherwise. */
const MAX_SHARES = 500;

const inForceSchema = z.object({
  after: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(MAX_SHARES).default(MAX_SHARES),
});

/** The routes below `/admin/shares`. */
export function shareRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await list(c)))
    .get("/secret", async (c) => answer(c, await secretVersions(c)))
    .post("/secret/rotate", async (c) => answer(c, await rotateSecret(c)))
    .post("/:shareId/revoke", async (c) => answer(c, await revoke(c)));
}

async function list(c: AdminContext): Promise<ShareList | AdminRefusal> {
  const accountId = c.req.query("account");
  if (accountId === undefined) return listInForce(c);
  const account = await findAccount(c.env.DB, accountId);
  if (account === null) return absent("account", accountId);
  return { shares: (await sharesOfAccount(c.env.DB, account.accountId)).map(summaryOf), next: null };
}

async function listInForce(c: AdminContext): Promise<ShareList | AdminRefusal> {
  const query = parsed(inForceSchema, c.req.query(), "The query");
  if (isRefusal(query)) return query;
  const { after, limit } = query;
  // One more than asked for tells whether more wait.
  const question = { nowMs: byOf(c).nowMs, after, count: limit + 1 };
  const found = await sharesInForce(c.env.DB, question);
  const shown = found.slice(0, limit);
  const next = found.length > shown.length ? (shown.at(-1)?.shareId ?? null) : null;
  return { shares: shown.map(summaryOf), next };
}

async function revoke(c: AdminContext): Promise<ShareSummary | AdminRefusal> {
  const shareId = c.req.param("shareId") ?? "";
  await revokeShare(c.env.DB, shareId, byOf(c));
  const held = await shareById(c.env.DB, shareId);
  return held === null ? absent("share", shareId) : summaryOf(held.share);
}

function summaryOf({ createdAtMs, revokedAtMs, ...share }: Share): ShareSummary {
  return {
    ...share,
    createdAt: beijingTimestamp(createdAtMs),
    revokedAt: revokedAtMs === null ? null : beijingTimestamp(revokedAtMs),
  };
}
