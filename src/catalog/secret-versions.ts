/**
 * Finds the versions of the share secret that are in use. Revokes shares and re-encrypts passwords that use an older
 * version. Instants are Unix milliseconds.
 */
import type { By } from "./accounts.ts";
import { audited } from "./audit.ts";
import type { ExternalShare } from "./external-shares.ts";
import { SHARE_LIFE_MS } from "./shares.ts";
import { part, rows, sql } from "./sql.ts";

/** The numbers of shares and links that depend on a version of the share secret. */
export interface VersionUse {
  version: number;
  /** Number of shares that are neither revoked nor expired. */
  shares: number;
  /** Number of links of external shares. */
  drives: number;
}

/** Returns every version in use at `nowMs`, ascending. */
export async function secretVersionUse(db: D1Database, nowMs: number): Promise<VersionUse[]> {
  return rows<VersionUse>(sql(db)`
    SELECT version, sum(shares) AS shares, sum(drives) AS drives FROM (
      SELECT secret_version AS version, 0 AS shares, 1 AS drives FROM external_shares WHERE url <> ''
      UNION ALL SELECT secret_version, 1, 0 FROM shares WHERE revoked_at_ms IS NULL
        AND created_at_ms > ${nowMs - SHARE_LIFE_MS})
    GROUP BY version ORDER BY version`);
}

/** Revokes every share in force whose password is derived from a version older than `version`. Returns their number. */
export async function revokeOlderShares(db: D1Database, version: number, by: By): Promise<number> {
  const { nowMs, actor } = by;
  const isOlder = part`secret_version < ${version} AND revoked_at_ms IS NULL
    AND created_at_ms > ${nowMs - SHARE_LIFE_MS}`;
  const [, revoked] = await db.batch([
    sql(db)`
      INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
      SELECT ${nowMs}, ${actor.kind}, ${actor.name}, 'share.revoke', share_id, '{"revoked":false}', '{"revoked":true}'
      FROM shares WHERE ${isOlder}`,
    sql(db)`UPDATE shares SET revoked_at_ms = ${nowMs} WHERE ${isOlder}`,
  ]);
  return revoked?.meta.changes ?? 0;
}

/** Stores an external share's password re-encrypted under a newer secret. Returns false when the share has changed. */
export async function resealDrive(
  db: D1Database,
  { dataType, year, link }: Pick<ExternalShare, "dataType" | "year" | "link">,
  { sealed, secretVersion }: { sealed: string; secretVersion: number },
  by: By,
): Promise<boolean> {
  const asRead = part`data_type = ${dataType} AND year = ${year} AND sealed_password = ${link?.sealed ?? ""}`;
  const entry = {
    action: "external.reseal",
    subject: `${dataType}/${year}`,
    before: { secretVersion: link?.secretVersion ?? null },
    after: { secretVersion },
    guard: part`EXISTS (SELECT 1 FROM external_shares WHERE ${asRead})`,
  };
  return audited(db, by, entry, [
    sql(db)`
      UPDATE external_shares SET sealed_password = ${sealed}, secret_version = ${secretVersion} WHERE ${asRead}`,
  ]);
}
