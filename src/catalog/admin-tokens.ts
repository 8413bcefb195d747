/** Operators' named tokens, of which only hashes are stored. A name is never reused, because the audit refers to it. */
import type { TokenScope } from "../entitlement/operators.ts";
import type { By } from "./accounts.ts";
import { audited } from "./audit.ts";
import { USE_NOTED_EVERY_MS } from "./keys.ts";
import { part, rows, sql } from "./sql.ts";

/** Instants are Unix milliseconds. */
export interface AdminToken {
  name: string;
  scope: TokenScope;
  firstCharacters: string;
  createdAtMs: number;
  /** The operator who created the token. */
  createdBy: string;
  /** The last recorded use, at most an hour before the actual one; null when the token was never used. */
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
}

const TOKEN = part`
  SELECT name, scope, first_characters AS firstCharacters, created_at_ms AS createdAtMs, created_by AS createdBy,
    last_used_at_ms AS lastUsedAtMs, revoked_at_ms AS revokedAtMs
  FROM admin_tokens`;

/** Returns the token with this SHA-256, revoked or not, or null. */
export function findToken(db: D1Database, sha256: string): Promise<AdminToken | null> {
  return sql(db)`${TOKEN} WHERE sha256 = ${sha256}`.first<AdminToken>();
}

/** Returns the token with this name, revoked or not, or null. */
export function tokenNamed(db: D1Database, name: string): Promise<AdminToken | null> {
  return sql(db)`${TOKEN} WHERE name = ${name}`.first<AdminToken>();
}

/** Returns all tokens ever created, sorted by name. */
export async function listTokens(db: D1Database): Promise<AdminToken[]> {
  return rows<AdminToken>(sql(db)`${TOKEN} ORDER BY name`);
}

/** Stores a token by its SHA-256. Returns false when a token, even a revoked one, already has this name. */
export async function addToken(
  db: D1Database,
  token: Pick<AdminToken, "name" | "scope" | "firstCharacters"> & { sha256: string },
  by: By,
): Promise<boolean> {
  const { sha256, name, scope, firstCharacters } = token;
  const guard = part`NOT EXISTS (SELECT 1 FROM admin_tokens WHERE name = ${name})`;
  return audited(db, by, { action: "token.issue", subject: name, after: { scope, firstCharacters }, guard }, [
    sql(db)`
      INSERT OR IGNORE INTO admin_tokens (sha256, name, scope, first_characters, created_at_ms, created_by)
      VALUES (${sha256}, ${name}, ${scope}, ${firstCharacters}, ${by.nowMs}, ${by.actor.name})`,
  ]);
}

/** Revokes the token. A token that is already revoked keeps the instant of its revocation. */
export async function revokeToken(db: D1Database, name: string, by: By): Promise<void> {
  const isInForce = part`name = ${name} AND revoked_at_ms IS NULL`;
  const guard = part`EXISTS (SELECT 1 FROM admin_tokens WHERE ${isInForce})`;
  await audited(db, by, { action: "token.revoke", subject: name, after: { revokedAtMs: by.nowMs }, guard }, [
    sql(db)`UPDATE admin_tokens SET revoked_at_ms = ${by.nowMs} WHERE ${isInForce}`,
  ]);
}

/** Records that the token was used, unless a use was recorded within the last hour. */
export async function noteTokenUse(db: D1Database, token: AdminToken, nowMs: number): Promise<void> {
  const { name, lastUsedAtMs } = token;
  if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < USE_NOTED_EVERY_MS) return;
  await sql(db)`UPDATE admin_tokens SET last_used_at_ms = ${nowMs} WHERE name = ${name}`.run();
}
