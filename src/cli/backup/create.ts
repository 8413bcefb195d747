/** Reads a deployment's catalog into a file. */
import { type BackupPage, type BackupPlan, backupPageSchema, backupPlanSchema } from "../../admin/wire.ts";
import { beijingTimestamp } from "../../calendar/beijing.ts";
import type { AdminClient } from "../admin-client.ts";
import { type BackupEnd, type BackupPageEnd, type BackupRow, writeBackup } from "./backup-file.ts";

/** A backup during which something was changed is begun anew so often; then it is kept as it is. */
const TRIES = 3;

export interface Created extends BackupEnd {
  path: string;
  /** Whether nothing was changed while it was read. */
  oneMoment: boolean;
  /** The version of the service's `BACKUP_SECRET` that seals it; null: it is not sealed. */
  sealedWith: number | null;
}

/**
 * Writes a backup of the deployment to `path`. Changes made meanwhile never leave a row without those it refers
 * to; a backup without any is `oneMoment`.
 */
export async function createBackup(client: AdminClient, path: string): Promise<Created> {
  for (let attempt = 1; ; attempt++) {
    const plan = await planOf(client);
    const { version, tables, identity } = plan;
    const head = { at: beijingTimestamp(Date.now()), service: client.baseUrl, version, tables, identity };
    const end = await writeBackup(path, head, rowsOf(client, plan));
    const oneMoment = (await planOf(client)).moment === plan.moment;
    if (oneMoment || attempt === TRIES) {
      return { path, oneMoment, sealedWith: identity.seal?.version ?? null, ...end };
    }
  }
}

function planOf(client: AdminClient): Promise<BackupPlan> {
  return client.request(backupPlanSchema, "GET", "/admin/backup");
}

async function* rowsOf(
  client: AdminClient,
  { order, identity }: BackupPlan,
): AsyncGenerator<BackupRow | BackupPageEnd> {
  for (const table of order) {
    let after: BackupPageEnd["after"] = null;
    do {
      const query = new URLSearchParams({ backup: identity.id });
      if (after !== null) query.set("after", JSON.stringify(after));
      const path = `/admin/backup/${table}?${query}`;
      const page: BackupPage = await client.request(backupPageSchema, "GET", path);
      const { rows, next, seal } = page;
      for (const values of rows) yield { table, values };
      yield { table, after, next, seal };
      after = next;
    } while (after !== null);
  }
}
