/** `/admin/tokens` and `/admin/audit`: operators' tokens, and the audit of all changes. */
import * as z from "zod";
import { firstCharacters, generateToken, hashKey } from "../access/key.ts";
import { ok, refused } from "../base/result.ts";
import { addToken, listTokens, revokeToken, tokenNamed } from "../catalog/admin-tokens.ts";
import { auditEntries } from "../catalog/audit.ts";
import { ACTOR_KINDS, FIRST_OPERATOR, SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { AdminContext, Routes } from "./context.ts";
import { absent, bodyOf, byOf, queryOf, readable, reading } from "./context.ts";
import type { Answered } from "./refusal.ts";
import * as wire from "./wire.ts";
import { instantTextSchema } from "./wire-fields.ts";

/** Names that the audit gives to other actors, so no token may have them. */
const RESERVED: readonly string[] = [FIRST_OPERATOR.name, SERVICE_ACTOR.name];

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

async function list(c: AdminContext): Promise<Answered<wire.TokenList>> {
  return ok({ tokens: readable(await listTokens(c.env.DB)) });
}

const issue = reading([bodyOf(wire.newTokenSchema)], async (c, { name, scope }) => {
  if (RESERVED.some((reserved) => reserved.toLowerCase() === name.toLowerCase())) {
    return refused({ reason: "token_name_taken", name });
  }
  const token = generateToken();
  const stored = { sha256: await hashKey(token), name, scope, firstCharacters: firstCharacters(token) };
  const added = await addToken(c.env.DB, stored, byOf(c));
  return added ? ok<wire.IssuedToken>({ name, scope, token }) : refused({ reason: "token_name_taken", name });
});

async function revoke(c: AdminContext): Promise<Answered<wire.TokenSummary>> {
  const name = c.req.param("name") ?? "";
  await revokeToken(c.env.DB, name, byOf(c));
  const token = await tokenNamed(c.env.DB, name);
  return token === null ? refused(absent("token", name)) : ok(readable(token));
}

const audit = reading([queryOf(auditQuerySchema)], async (c, { kind, since, before, limit, ...question }) => {
  const asked = { ...question, actorKind: kind, sinceMs: since, beforeId: before, count: limit };
  const entries = await auditEntries(c.env.DB, asked);
  return ok<wire.AuditList>({
    entries: entries.map(({ auditId: id, actor, before, after, ...entry }) => {
      const values = { before: readable(before), after: readable(after) };
      return { id, actorKind: actor.kind, actor: actor.name, ...readable(entry), ...values };
    }),
  });
});

export const TOKEN_ROUTES: Routes = {
  "GET /tokens": ["read", list],
  "POST /tokens": ["admin", issue, 201],
  "POST /tokens/:name/revoke": ["admin", revoke],
  "GET /audit": ["read", audit],
};
