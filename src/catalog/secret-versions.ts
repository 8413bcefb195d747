/**
 * Finds the versions of the share secret that are in use, and replaces older ones. Instants are Unix
 * milliseconds.
 */
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import type { ExternalShare } from "./external-shares.ts";
import { SHARE_LIFE_MS } from "./shares.ts";

/** What depends on a version of the share secret. */
export interface VersionUse {
  version: number;
  /** Shares in force. */
  shares: number;
  /** Links of external shares. */
  drives: number;
}

/** Returns every version in use at `nowMs`, ascending. */
export async function secretVersionUse(db: D1Database, nowMs: number): Promise<VersionUse[]> {
  const { results } = await db
    .prepare(
      `SELECT version, sum(shares) AS shares, sum(drives) AS drives FROM (
         SELECT secret_version AS version, 0 AS shares, 1 AS drives FROM external_shares WHERE url <> ''
         UNION ALL SELECT secret_version, 1, 0 FROM shares WHERE revoked_at_ms IS NULL AND created_at_ms > ?1)
       GROUP BY version ORDER BY version`,
    )
    .bind(nowMs - SHARE_LIFE_MS)
    .all<VersionUse>();
  return results;
}

/** Ends every share in force whose password has a version older than `version`. Returns their number. */
export async function revokeOlderShares(db: D1Database, version: number, by: By): Promise<number> {
  const older = "secret_version < ?1 AND revoked_at_ms IS NULL AND created_at_ms > ?2";
  const sinceMs = by.nowMs - SHARE_LIFE_MS;
  const [, revoked] = await db.batch([
    db
      .prepare(
        `INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
         SELECT ?3, ?4, ?5, 'share.revoke', share_id, '{"revoked":false}', '{"revoked":true}' FROM shares WHERE ${older}`,
      )
      .bind(version, sinceMs, by.nowMs, by.actor.kind, by.actor.name),
    db.prepare(`UPDATE shares SET revoked_at_ms = ?3 WHERE ${older}`).bind(version, sinceMs, by.nowMs),
  ]);
  return revoked?.meta.changes ?? 0;
}

/**
 * Stores the same password of `drive` encrypted under another version of the secret. Returns false when the external
 * share has changed since it was read.
 */
export async function resealDrive(
  db: D1Database,
  { dataType, year, link }: Pick<ExternalShare, "dataType" | "year" | "link">,
  { sealed, secretVersion }: { sealed: string; secretVersion: number },
  by: By,
): Promise<boolean> {
  const was = "data_type = ?1 AND year = ?2 AND sealed_password = ?3";
  const values = [dataType, year, link?.sealed ?? ""];
  const entry = {
    atMs: by.nowMs,
    actor: by.actor,
    action: "external.reseal",
    subject: `${dataType}/${year}`,
    before: { secretVersion: link?.secretVersion ?? null },
    after: { secretVersion },
  };
  const guard = `EXISTS (SELECT 1 FROM external_shares WHERE ${was.replaceAll(/\?(\d)/g, (_, n) => `?${Number(n) + 6}`)})`;
  const [, changed] = await db.batch([
    auditStatement(db, entry, { sql: guard, values }),
    db
      .prepare(`UPDATE external_shares SET sealed_password = ?4, secret_version = ?5 WHERE ${was}`)
      .bind(...values, sealed, secretVersion),
  ]);
  return changed?.meta.changes === 1;
}
