/**
 * A backup back to a deployment. Its rows are sent in chunks and its objects looked for in R2; then one step
 * puts all of it in the place of what was there. Run it again after any end.
 */
import {
  type AdoptableDay,
  type KeptRevocation,
  MAX_RESTORED_OBJECTS,
  restoredObjectsSchema,
  restoreStateSchema,
  sweptSchema,
} from "../../admin/wire.ts";
import { type AdminClient, HASHING_MS } from "../admin-client.ts";
import type { BackupRow, WholeBackup } from "./backup-file.ts";

/** Requests for objects under way at once: each reads the index of many packs. */
const PARALLEL = 3;

export interface Restored {
  restoreId: string;
  rows: Record<string, number>;
  /** Days and files that are not served, as what they need does not lie in R2. */
  lacking: { called: string; problem: string }[];
  /** Days with packs in R2 that are newer than the backup. */
  adoptable: AdoptableDay[];
  /** What stays revoked although the backup had it in force, or did not know it. */
  kept: KeptRevocation[];
  /** Whether the deployment held nothing: what was revoked since the backup is unknown. */
  overEmpty: boolean;
}

export interface RestoreChoice {
  /** Also where the deployment holds something, which is lost. */
  force: boolean;
  /** Without looking at the backup's seals. */
  unauthenticated: boolean;
}

/** Restores `backup`. */
export async function restoreBackup(
  client: AdminClient,
  backup: WholeBackup,
  { force, unauthenticated }: RestoreChoice,
  say: (line: string) => void,
): Promise<Restored> {
  const { tables, identity = null } = backup.head;
  const { sha256: restoreId, rows } = backup.end;
  const path = `/admin/restores/${restoreId}`;
  let chunks = 0;
  for await (const _ of backup.pages()) chunks++;
  const body = { restoreId, chunks, tables, identity, force, unauthenticated };
  const begun = await client.request(restoreStateSchema, "POST", "/admin/restores", { body });
  let lacking: Restored["lacking"] = [];
  let { adoptable, kept, overEmpty } = begun;
  if (begun.state === "open") {
    await sendChunks(client, path, backup, new Set(begun.present), say);
    lacking = await lookForObjects(client, path, backup, say);
    const request = { repeatable: true, silenceMs: HASHING_MS };
    const done = await client.request(restoreStateSchema, "POST", `${path}/complete`, request);
    ({ adoptable, kept, overEmpty } = done);
  }
  await sweep(client, say);
  return { restoreId, rows, lacking, adoptable, kept, overEmpty };
}

async function sendChunks(
  client: AdminClient,
  path: string,
  backup: WholeBackup,
  present: Set<number>,
  say: (line: string) => void,
): Promise<void> {
  let n = 0;
  for await (const chunk of backup.pages()) {
    n++;
    if (present.has(n)) continue;
    await client.request(restoreStateSchema, "PUT", `${path}/chunks/${n}`, { body: chunk });
    if (n % 20 === 0) say(`${n} chunks are sent`);
  }
}

/** What the objects of a backup are needed for. */
interface Needed {
  /** Of packs and files, in the backup's numbers. */
  ids: number[];
  /** The day or file that is served from an object, by its id. */
  served: Map<number, string>;
}

async function neededObjects(backup: WholeBackup): Promise<Needed> {
  const needed: Needed = { ids: [], served: new Map() };
  const cellOf = ({ table, values }: BackupRow, column: string) =>
    values[(backup.head.tables[table] ?? []).indexOf(column)] ?? null;
  for await (const row of backup.rows()) {
    if (row.table === "day_packs") needed.ids.push(Number(cellOf(row, "pack_id")));
    if (row.table === "order_days") {
      needed.served.set(Number(cellOf(row, "pack_id")), String(cellOf(row, "tradedate")));
    }
    if (row.table === "day_files") {
      const id = Number(cellOf(row, "file_id"));
      needed.ids.push(id);
      const offered = cellOf(row, "state") === "published" && cellOf(row, "replaced_at_ms") === null;
      if (offered) needed.served.set(id, String(cellOf(row, "name")));
    }
  }
  return needed;
}

async function lookForObjects(
  client: AdminClient,
  path: string,
  backup: WholeBackup,
  say: (line: string) => void,
): Promise<Restored["lacking"]> {
  const { ids, served } = await neededObjects(backup);
  const lacking: Restored["lacking"] = [];
  const waiting = [...ids];
  const look = async () => {
    while (waiting.length > 0) {
      const body = { objectIds: waiting.splice(0, MAX_RESTORED_OBJECTS) };
      const request = { body, repeatable: true, silenceMs: HASHING_MS };
      const { objects } = await client.request(restoredObjectsSchema, "POST", `${path}/objects`, request);
      for (const { objectId, problem } of objects) {
        const called = served.get(objectId);
        if (problem !== null && called !== undefined) lacking.push({ called, problem });
      }
      if (waiting.length > 0) say(`${waiting.length} packs and files are still to be looked for`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, look));
  return lacking.toSorted((a, b) => (a.called < b.called ? -1 : 1));
}

/** Index rows of what was replaced are no harm and go last; the scheduled task deletes what is left of them. */
async function sweep(client: AdminClient, say: (line: string) => void): Promise<void> {
  try {
    for (let left = 1; left > 0; ) {
      const request = { repeatable: true, silenceMs: HASHING_MS };
      ({ left } = await client.request(sweptSchema, "POST", "/admin/restores/sweep", request));
      if (left > 0) say(`index rows of ${left} replaced packs are still to be deleted`);
    }
  } catch (error) {
    // The operator's token may be none of the restored ones.
    say(
      `The backup is restored; its remains were not swept: ${error instanceof Error ? error.message : error}`,
    );
  }
}
