/** Reads a deployment's catalog into a file. */
import { type BackupPlan, backupPageSchema, backupPlanSchema } from "../../admin/wire.ts";
import { beijingTimestamp } from "../../calendar/beijing.ts";
import type { AdminClient } from "../admin-client.ts";
import { type BackupEnd, type BackupRow, writeBackup } from "./backup-file.ts";

/** A backup during which something was changed is begun anew so often; then it is kept as it is. */
const TRIES = 3;

export interface Created extends BackupEnd {
  path: string;
  /** Whether nothing was changed while it was read. */
  oneMoment: boolean;
}

/**
 * Writes a backup of the deployment to `path`. Changes made meanwhile never leave a row without those it refers
 * to; a backup without any is `oneMoment`.
 */
export async function createBackup(client: AdminClient, path: string): Promise<Created> {
  for (let attempt = 1; ; attempt++) {
    const plan = await planOf(client);
    const { version, tables } = plan;
    const head = { at: beijingTimestamp(Date.now()), service: client.baseUrl, version, tables };
    const end = await writeBackup(path, head, rowsOf(client, plan));
    const oneMoment = (await planOf(client)).moment === plan.moment;
    if (oneMoment || attempt === TRIES) return { path, oneMoment, ...end };
  }
}

function planOf(client: AdminClient): Promise<BackupPlan> {
  return client.request(backupPlanSchema, "GET", "/admin/backup");
}

async function* rowsOf(client: AdminClient, { order }: BackupPlan): AsyncGenerator<BackupRow> {
  for (const table of order) {
    let after = "";
    for (;;) {
      const { rows, next } = await client.request(backupPageSchema, "GET", `/admin/backup/${table}${after}`);
      for (const values of rows) yield { table, values };
      if (next === null) break;
      after = `?after=${encodeURIComponent(JSON.stringify(next))}`;
    }
  }
}
