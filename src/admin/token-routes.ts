/** `/admin/tokens` and `/admin/audit`: operators' tokens, and the audit of all changes. */
import { Hono } from "hono";
import * as z from "zod";
import { firstCharacters, generateToken, hashKey } from "../access/key.ts";
import { ok, refused } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { type AdminToken, addToken, listTokens, revokeToken, tokenNamed } from "../catalog/admin-tokens.ts";
import { auditEntries } from "../catalog/audit.ts";
import { ACTOR_KINDS, FIRST_OPERATOR, SERVICE_ACTOR } from "../entitlement/operators.ts";
import { type AdminContext, type AdminEnv, absent, answer, bodyOf, byOf, parsed } from "./context.ts";
import type { Answered } from "./refusal.ts";
import {
  type AuditList,
  type IssuedToken,
  newTokenSchema,
  type TokenList,
  type TokenSummary,
} from "./wire.ts";
import { instantTextSchema } from "./wire-fields.ts";

/** Names that the audit gives to other actors, so no token may have them. */
const RESERVED: readonly string[] = [FIRST_OPERATOR.name, SERVICE_ACTOR.name];

/** Matches the names of properties that hold instants in audit values. Other names that end in `Ms` hold durations. */
const INSTANT = /^(at|start|end|until)Ms$|AtMs$/;

/** The maximum number of entries in one answer. */
const MAX_ENTRIES = 500;

const auditQuerySchema = z.object({
  subject: z.string().optional(),
  actor: z.string().optional(),
  kind: z.enum(ACTOR_KINDS).optional(),
  action: z.string().optional(),
  since: instantTextSchema.optional(),
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_ENTRIES).default(100),
});

/** Returns the routes below `/admin/tokens`. */
export function tokenRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => c.json(await list(c)))
    .post("/", async (c) => answer(c, await issue(c), 201))
    .post("/:name/revoke", async (c) => answer(c, await revoke(c)));
}

/** Returns the routes below `/admin/audit`. */
export function auditRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>().get("/", async (c) => answer(c, await audit(c)));
}

async function list(c: AdminContext): Promise<TokenList> {
  return { tokens: (await listTokens(c.env.DB)).map(summaryOf) };
}

async function issue(c: AdminContext): Promise<Answered<IssuedToken>> {
  const body = await bodyOf(c, newTokenSchema);
  if (!body.ok) return body;
  const { name, scope } = body.value;
  if (RESERVED.some((reserved) => reserved.toLowerCase() === name.toLowerCase())) {
    return refused({ reason: "token_name_taken", name });
  }
  const token = generateToken();
  const stored = { sha256: await hashKey(token), name, scope, firstCharacters: firstCharacters(token) };
  const added = await addToken(c.env.DB, stored, byOf(c));
  return added ? ok({ name, scope, token }) : refused({ reason: "token_name_taken", name });
}

async function revoke(c: AdminContext): Promise<Answered<TokenSummary>> {
  const name = c.req.param("name") ?? "";
  await revokeToken(c.env.DB, name, byOf(c));
  const token = await tokenNamed(c.env.DB, name);
  return token === null ? refused(absent("token", name)) : ok(summaryOf(token));
}

async function audit(c: AdminContext): Promise<Answered<AuditList>> {
  const query = parsed(auditQuerySchema, c.req.query(), "The query");
  if (!query.ok) return query;
  const { subject, actor, kind, action, since, before, limit } = query.value;
  const question = {
    subject,
    actor,
    actorKind: kind,
    action,
    sinceMs: since,
    beforeId: before,
    count: limit,
  };
  const entries = await auditEntries(c.env.DB, question);
  return ok({
    entries: entries.map(({ auditId, atMs, actor, before, after, ...entry }) => ({
      id: auditId,
      at: beijingTimestamp(atMs),
      actorKind: actor.kind,
      actor: actor.name,
      ...entry,
      before: readable(before),
      after: readable(after),
    })),
  });
}

/**
 * Returns `value` with readable instants: `endMs` becomes `end`, as RFC 3339 text in Beijing time or null. Durations
 * keep their names and stay in milliseconds.
 */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!INSTANT.test(name) || !(typeof member === "number" || member === null))
        return [name, readable(member)];
      return [name.slice(0, -2), member === null ? null : beijingTimestamp(member)];
    }),
  );
}

function summaryOf({ createdAtMs, lastUsedAtMs, revokedAtMs, ...token }: AdminToken): TokenSummary {
  const timestamp = (ms: number | null) => (ms === null ? null : beijingTimestamp(ms));
  return {
    ...token,
    createdAt: beijingTimestamp(createdAtMs),
    lastUsedAt: timestamp(lastUsedAtMs),
    revokedAt: timestamp(revokedAtMs),
  };
}
