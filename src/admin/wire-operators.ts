/** Admin bodies about operators: their tokens, and the audit of what they did. */
import * as z from "zod";
import { ACTOR_KINDS, TOKEN_SCOPES } from "../entitlement/operators.ts";

export { ACTOR_KINDS, TOKEN_SCOPES, type TokenScope } from "../entitlement/operators.ts";

const scopeSchema = z.enum(TOKEN_SCOPES);

export const newTokenSchema = z.strictObject({
  /** Who holds it; the audit speaks of this name, so none is given twice. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}/]+$/u, "expected printable characters without a slash"),
  /** What it opens. The least unless asked for. */
  scope: scopeSchema.default("read"),
});
export type NewToken = z.input<typeof newTokenSchema>;

/** The only answer that ever contains a token. */
export const issuedTokenSchema = z.strictObject({
  name: z.string(),
  scope: scopeSchema,
  token: z.string(),
});
export type IssuedToken = z.infer<typeof issuedTokenSchema>;

export const tokenSummarySchema = z.strictObject({
  name: z.string(),
  scope: scopeSchema,
  firstCharacters: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  /** At most an hour behind; null: never used. */
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type TokenSummary = z.infer<typeof tokenSummarySchema>;

export const tokenListSchema = z.strictObject({ tokens: z.array(tokenSummarySchema) });
export type TokenList = z.infer<typeof tokenListSchema>;

/** Newest first. `before` and `after` are JSON values that differ by action; null for nothing. */
export const auditListSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      id: z.int().min(1),
      at: z.string(),
      actorKind: z.enum(ACTOR_KINDS),
      /** The name of a token, an account's id, `ADMIN_TOKEN` or `service`: what it is, `actorKind` says. */
      actor: z.string(),
      /** `<noun>.<verb>`. */
      action: z.string(),
      subject: z.string(),
      before: z.unknown(),
      after: z.unknown(),
    }),
  ),
});
export type AuditList = z.infer<typeof auditListSchema>;
