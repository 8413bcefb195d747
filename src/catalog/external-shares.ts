/** External shares, which replace the service's own shares (contract 8.4). Instants are Unix milliseconds. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { part, sql } from "./sql.ts";

/** An external share as the operator described it. The service cannot read its files. */
export interface ExternalShare {
  dataType: DataType;
  year: number;
  firstDay: BeijingDate;
  lastDay: BeijingDate;
  fileCount: number;
  sizeBytes: number;
  /** The link to the share; null while the operator is still creating the share. */
  link: ExternalLink | null;
  setAtMs: number;
}

export interface ExternalLink {
  url: string;
  /** The encrypted password (`shares/secrets.ts`). */
  sealed: string;
  secretVersion: number;
  /** When the link expires. */
  expiresAtMs: number;
}

type Place = Pick<ExternalShare, "dataType" | "year">;

type ExternalRow = Omit<ExternalShare, "link"> &
  Omit<ExternalLink, "expiresAtMs"> & { expiresAtMs: number | null };

const EXTERNAL = part`
  SELECT data_type AS dataType, year, first_day AS firstDay, last_day AS lastDay, file_count AS fileCount,
    size_bytes AS sizeBytes, url, sealed_password AS sealed, secret_version AS secretVersion,
    expires_at_ms AS expiresAtMs, set_at_ms AS setAtMs
  FROM external_shares`;

function externalOf(row: ExternalRow): ExternalShare {
  const { url, sealed, secretVersion, expiresAtMs, setAtMs, ...share } = row;
  const link = url === "" || expiresAtMs === null ? null : { url, sealed, secretVersion, expiresAtMs };
  return { ...share, link, setAtMs };
}

/** Returns the statement that reads the external share of a type and year; pass its result to `externalShareOf`. */
export function externalShareStatement(db: D1Database, { dataType, year }: Place): D1PreparedStatement {
  return sql(db)`${EXTERNAL} WHERE data_type = ${dataType} AND year = ${year}`;
}

/** Returns the external share in the result of `externalShareStatement`, or null. */
export function externalShareOf(result: D1Result | undefined): ExternalShare | null {
  const [row] = (result?.results ?? []) as ExternalRow[];
  return row === undefined ? null : externalOf(row);
}

/** Returns every external share, by type and year. */
export async function externalShares(db: D1Database): Promise<ExternalShare[]> {
  const { results } = await sql(db)`${EXTERNAL} ORDER BY data_type, year`.all<ExternalRow>();
  return results.map(externalOf);
}

/** Registers `share`. It replaces the external share of the same type and year, if there is one. */
export async function setExternalShare(
  db: D1Database,
  share: Omit<ExternalShare, "setAtMs">,
  by: By,
): Promise<void> {
  const { dataType, year, firstDay, lastDay, fileCount, sizeBytes, link } = share;
  const { url = "", secretVersion = 0, sealed = "", expiresAtMs = null } = link ?? {};
  const before = await externalAt(db, share);
  await db.batch([
    auditOf(db, by, "external.set", before, { ...share, setAtMs: by.nowMs }),
    sql(db)`
      INSERT OR REPLACE INTO external_shares (data_type, year, first_day, last_day, file_count, size_bytes,
        url, secret_version, sealed_password, expires_at_ms, set_at_ms)
      VALUES (${dataType}, ${year}, ${firstDay}, ${lastDay}, ${fileCount}, ${sizeBytes},
        ${url}, ${secretVersion}, ${sealed}, ${expiresAtMs}, ${by.nowMs})`,
  ]);
}

/** Removes the external share of a type and year; the service's own share is then used. Returns false without one. */
export async function clearExternalShare(db: D1Database, place: Place, by: By): Promise<boolean> {
  const before = await externalAt(db, place);
  if (before === null) return false;
  await db.batch([
    auditOf(db, by, "external.clear", before, null),
    sql(db)`DELETE FROM external_shares WHERE data_type = ${place.dataType} AND year = ${place.year}`,
  ]);
  return true;
}

async function externalAt(db: D1Database, place: Place): Promise<ExternalShare | null> {
  return externalShareOf(await externalShareStatement(db, place).all());
}

/** Returns the statement of the audit entry: with the link and its expiry, never with the password, even encrypted. */
function auditOf(
  db: D1Database,
  by: By,
  action: string,
  before: ExternalShare | null,
  after: ExternalShare | null,
): D1PreparedStatement {
  const told = (share: ExternalShare | null) =>
    share && { ...share, link: share.link && { url: share.link.url, expiresAtMs: share.link.expiresAtMs } };
  const subject = `${(after ?? before)?.dataType}/${(after ?? before)?.year}`;
  return auditStatement(db, by, { action, subject, before: told(before), after: told(after) });
}
