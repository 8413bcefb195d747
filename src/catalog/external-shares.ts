/** External shares, which replace the service's own (contract 8.4). Instants are Unix milliseconds. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";

/** The operator's description of the files in an external share, which the service cannot read. */
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

interface ExternalRow {
  data_type: DataType;
  year: number;
  first_day: BeijingDate;
  last_day: BeijingDate;
  file_count: number;
  size_bytes: number;
  url: string;
  sealed_password: string;
  secret_version: number;
  expires_at_ms: number | null;
  set_at_ms: number;
}

function externalOf(row: ExternalRow): ExternalShare {
  const { url, sealed_password: sealed, secret_version: secretVersion, expires_at_ms: expiresAtMs } = row;
  return {
    dataType: row.data_type,
    year: row.year,
    firstDay: row.first_day,
    lastDay: row.last_day,
    fileCount: row.file_count,
    sizeBytes: row.size_bytes,
    link: url === "" || expiresAtMs === null ? null : { url, sealed, secretVersion, expiresAtMs },
    setAtMs: row.set_at_ms,
  };
}

/** Returns the statement that reads the external share of a type and year; pass its result to `externalShareOf`. */
export function externalShareStatement(
  db: D1Database,
  { dataType, year }: { dataType: DataType; year: number },
): D1PreparedStatement {
  return db.prepare("SELECT * FROM external_shares WHERE data_type = ?1 AND year = ?2").bind(dataType, year);
}

/** Returns the external share in the result of `externalShareStatement`, or null. */
export function externalShareOf(result: D1Result | undefined): ExternalShare | null {
  const [row] = (result?.results ?? []) as ExternalRow[];
  return row === undefined ? null : externalOf(row);
}

/** Returns every external share, by type and year. */
export async function externalShares(db: D1Database): Promise<ExternalShare[]> {
  const { results } = await db
    .prepare("SELECT * FROM external_shares ORDER BY data_type, year")
    .all<ExternalRow>();
  return results.map(externalOf);
}

/** Registers `share`, replacing any other of its type and year. */
export async function setExternalShare(
  db: D1Database,
  share: Omit<ExternalShare, "setAtMs">,
  by: By,
): Promise<void> {
  const { link } = share;
  const write = db
    .prepare(
      `INSERT OR REPLACE INTO external_shares (data_type, year, first_day, last_day, file_count, size_bytes,
         url, secret_version, sealed_password, expires_at_ms, set_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(
      share.dataType,
      share.year,
      share.firstDay,
      share.lastDay,
      share.fileCount,
      share.sizeBytes,
      link?.url ?? "",
      link?.secretVersion ?? 0,
      link?.sealed ?? "",
      link?.expiresAtMs ?? null,
      by.nowMs,
    );
  const before = await externalAt(db, share);
  await db.batch([auditOf(db, by, "external.set", before, { ...share, setAtMs: by.nowMs }), write]);
}

/**
 * Removes the external share of a type and year. Returns false when there is none. The service's own share is used from
 * then on.
 */
export async function clearExternalShare(
  db: D1Database,
  place: { dataType: DataType; year: number },
  by: By,
): Promise<boolean> {
  const before = await externalAt(db, place);
  if (before === null) return false;
  await db.batch([
    auditOf(db, by, "external.clear", before, null),
    db
      .prepare("DELETE FROM external_shares WHERE data_type = ?1 AND year = ?2")
      .bind(place.dataType, place.year),
  ]);
  return true;
}

async function externalAt(
  db: D1Database,
  place: { dataType: DataType; year: number },
): Promise<ExternalShare | null> {
  return externalShareOf(await externalShareStatement(db, place).all());
}

/** Returns the audit entry, which contains the link and its expiry but never the password, encrypted or not. */
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
  return auditStatement(db, {
    atMs: by.nowMs,
    actor: by.actor,
    action,
    subject,
    before: told(before),
    after: told(after),
  });
}
