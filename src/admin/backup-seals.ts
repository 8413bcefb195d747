/**
 * Seals that the service puts on a backup's head and on every page of it, so that only what it wrote comes back:
 * HMAC-SHA-256 under a version of `BACKUP_SECRET`. A page's seal binds it to its backup, its table and its place
 * between other pages, so that none can be edited, left out, or taken from another backup.
 */
import type { BackupTable } from "../catalog/backup-tables.ts";
import { keyedHash } from "../shares/address.ts";
import { sameText } from "../shares/credentials.ts";
import type { ShareSecrets } from "../shares/secrets.ts";
import type { BackupIdentity, BackupSeal, RestoreChunk } from "./wire.ts";

/** The deployment's `BACKUP_SECRET`; undefined when it has none: nothing is sealed then. */
export type BackupSecrets = ShareSecrets | undefined;

/** Why a seal does not hold. */
export type SealProblem = "unsealed" | "no_secret" | "edited";

type Columns = BackupTable["columns"];

/** Returns the text that the seal of a backup's head covers. `tables` are its columns by table. */
export function headText(
  { id, takenAtMs }: Pick<BackupIdentity, "id" | "takenAtMs">,
  tables: Readonly<Record<string, Columns>>,
): string {
  return JSON.stringify(["edgetape backup", id, takenAtMs, Object.entries(tables)]);
}

/** Returns the text that the seal of a page covers. `after` and `next` are the keys before it and of its end. */
export function pageText(
  backupId: string,
  columns: Columns,
  { table, after, next, rows }: Pick<RestoreChunk, "table" | "after" | "next" | "rows">,
): string {
  return JSON.stringify(["edgetape backup page", backupId, table, columns, after, next, rows]);
}

/** Seals `text` under the newest version; null without a secret. */
export async function sealOf(secrets: BackupSecrets, text: string): Promise<BackupSeal | null> {
  const secret = secrets?.secrets.get(secrets.current);
  if (secrets === undefined || secret === undefined) return null;
  return { version: secrets.current, mac: await keyedHash(secret, text) };
}

/** Returns why `seal` is not that of `text`, or null when it is. */
export async function sealProblem(
  secrets: BackupSecrets,
  text: string,
  seal: BackupSeal | null,
): Promise<SealProblem | null> {
  if (seal === null) return "unsealed";
  const secret = secrets?.secrets.get(seal.version);
  if (secret === undefined) return "no_secret";
  return (await sameText(await keyedHash(secret, text), seal.mac)) ? null : "edited";
}
