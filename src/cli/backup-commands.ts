/**
 * `edgetape backup`: saves accounts, plans, hashes of keys, calendar and catalog to a file, and restores them. A
 * restore sends the rows in chunks and looks for their objects in R2. Only its last step replaces the served data.
 */

import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import * as wire from "../admin/wire.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { DATASET_NAMES, isDatasetName } from "../datasets/registry.ts";
import { type AdminClient, HASHING } from "./admin-client.ts";
import { openBackup, type WholeBackup, writeBackup } from "./backup-file.ts";
import { command, group, localCommand } from "./command.ts";
import { adoptableLines } from "./day-commands.ts";
import { CommandFailure, EXIT, ServiceRefusal, sentenceOf } from "./exit.ts";
import * as option from "./option.ts";

const NOT_IN_IT =
  "\nA backup does not contain secrets, R2 objects, today's quota counters or console sessions. If CURSOR_SECRET\n" +
  "differs after a restore, clients must start paging again; if SHARE_SECRET differs, shares have different passwords.";

const create = command("create", {
  says: "write a backup to a new file",
  options: {
    out: option
      .text(
        "<file or folder>",
        "the file, compressed if its name ends in .gz; a path without an extension is a folder, and the file in it is named after the time",
      )
      .orElse("."),
  },
  help: NOT_IN_IT,
  async run({ client, print }, { out }) {
    const created = await createBackup(client, fileAt(out));
    if (!created.oneMoment) {
      console.error(
        "The catalog changed while the backup was read; the backup has only some of these changes.",
      );
    }
    if (created.sealedWith === null) {
      console.error(
        "The backup is not sealed, because the service has no BACKUP_SECRET: an edited backup cannot be detected. See `edgetape doctor`.",
      );
    }
    print(created, [`${created.path} is written.`, ...rowLines(created.rows)]);
  },
});

/**
 * Returns the path of the file to write for `out`. `out` means a folder if it is an existing folder, ends in a slash or
 * has no extension. The folder is created, and the file name then contains the time. Throws `CommandFailure` for an
 * existing file, so that a nightly backup does not replace an earlier one.
 */
export function fileAt(out: string): string {
  const isFolder = out.endsWith("/") || (existsSync(out) ? statSync(out).isDirectory() : extname(out) === "");
  if (!isFolder && existsSync(out)) {
    throw new CommandFailure(`${out} exists and is not overwritten; name another file, or a folder.`);
  }
  mkdirSync(isFolder ? out : dirname(out), { recursive: true });
  if (!isFolder) return out;
  const digits = beijingTimestamp(Date.now()).slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  for (let n = 1; ; n++) {
    const path = join(out, `edgetape-${digits}${n === 1 ? "" : `-${n}`}.jsonl.gz`);
    if (!existsSync(path)) return path;
  }
}

const verify = localCommand("verify <file>", {
  says: "check that a backup is complete and show its content, without a service",
  options: { json: option.AS_JSON },
  async run({ print }, _, path: string) {
    const { head, end } = await openBackup(path);
    const { at, service, version, identity } = head;
    const sealedWith = identity?.seal?.version ?? null;
    print({ path, whole: true, at, service, version, sealedWith, ...end }, [
      `${path} is complete: ${service} (${version}) at ${at}.`,
      sealedWith === null
        ? "It is not sealed: restoring it needs --unauthenticated."
        : `It is sealed with version ${sealedWith} of BACKUP_SECRET; the service checks the seal during a restore.`,
      ...rowLines(end.rows),
    ]);
  },
});

const restore = command("restore <file>", {
  says: "replace a deployment's data with a backup; run it again after any interruption. A completed restore of the same file is repeated only with --force",
  options: {
    force: option.flag("restore even if the deployment has data; that data is lost"),
    unauthenticated: option.flag(
      "do not verify the backup's seals; needed when BACKUP_SECRET is lost or an older version made the backup",
    ),
    yes: option.YES,
  },
  help: `${NOT_IN_IT}\nRevocations since the backup stay in force and are listed. The audit only gains entries.\nThe served data changes in a single last step. Days whose packs are not in R2 are not served: copy the\nobjects first, or publish those days again.\nExit status 3: restored, but days or files are missing.`,
  async run({ client, confirm, print }, options, path: string) {
    const backup = await openBackup(path);
    if (options.force) {
      await confirm(`Replace everything in ${client.baseUrl} with ${path}, made ${backup.head.at}?`);
    }
    const restored = await restoreBackup(client, backup, options).catch((error: unknown) => {
      const isFull = error instanceof ServiceRefusal && error.refused.reason === "not_empty";
      throw isFull ? new CommandFailure(`${error.message} To replace the data, add --force.`) : error;
    });
    print(restored, restoredLines(path, restored));
    if (restored.overEmpty) console.error(UNKNOWN_SINCE.join("\n"));
    if (restored.lacking.length > 0) process.exitCode = EXIT.degraded;
  },
});

export const backup = group(
  "backup",
  "save accounts, plans, hashes of keys, calendar and catalog to a file, and restore them",
  [create, verify, restore],
);

const KINDS: Record<wire.KeptRevocation["kind"], (subject: string, at: string) => string> = {
  token: (subject, at) => `operator's token ${subject}: revoked ${at}`,
  account: (subject, at) => `account ${subject}: disabled ${at}`,
  key: (subject, at) => `key ${subject}: revoked ${at}`,
  key_end: (subject, at) => `key ${subject}: ends ${at}`,
  share: (subject, at) => `share ${subject}: revoked ${at}`,
  external: (subject, at) => `external share ${subject}: cleared ${at}`,
  plans: (subject, at) => `subscriptions of ${subject}: kept as an operator set them ${at}`,
};

const UNKNOWN_SINCE = [
  "WARNING: this deployment was empty, so revocations after the backup are unknown.",
  "WARNING: tokens, keys, shares, accounts and subscriptions that were revoked or disabled since then are valid again. Revoke or disable them again.",
];

function restoredLines(path: string, { earlier, rows, lacking, adoptable, kept }: Restored): string[] {
  const lines = earlier
    ? [
        `An earlier run restored ${path}; this run changed nothing.`,
        "To restore it again, for example after its packs were copied to R2, add --force.",
      ]
    : [`${path} is restored.`, ...rowLines(rows)];
  if (kept.length > 0) lines.push("Revocations and changes after the backup that stay in force:");
  lines.push(...kept.map(({ kind, subject, at }) => `  ${KINDS[kind](subject, at)}`));
  lines.push(...lacking.map(({ called, problem }) => `${called} is not served: ${problem}.`));
  if (lacking.length > 0) {
    lines.push(
      "Publish or add these again from their packs and files; `edgetape doctor --repair` marks lost content.",
    );
  }
  if (adoptable.length > 0) {
    lines.push(
      `Packs in R2 that are not in the backup; \`edgetape day adopt <YYYYMMDD> --dataset <${DATASET_NAMES.join("|")}>\` serves one:`,
      ...adoptableLines(adoptable),
    );
  }
  return lines;
}

function rowLines(rows: Record<string, number>): string[] {
  return Object.entries(rows).map(([table, count]) => `${table.padEnd(18)}${String(count).padStart(9)}`);
}

/**
 * The maximum number of attempts to make a backup during which nothing changes. The last attempt is kept in any case.
 */
const TRIES = 3;

/**
 * Writes a backup of the deployment to `path`. Even with concurrent changes, the backup contains every row that another
 * row refers to. `oneMoment` is true if nothing changed during the backup, `sealedWith` null if it is not sealed.
 */
async function createBackup(client: AdminClient, path: string) {
  const planned = () => client.get(wire.backupPlanSchema, "/admin/backup");
  for (let attempt = 1; ; attempt++) {
    const plan = await planned();
    const { version, tables, identity } = plan;
    const head = { at: beijingTimestamp(Date.now()), service: client.baseUrl, version, tables, identity };
    const end = await writeBackup(path, head, pagesOf(client, plan));
    const oneMoment = (await planned()).moment === plan.moment;
    if (oneMoment || attempt === TRIES) {
      return { path, oneMoment, sealedWith: identity.seal?.version ?? null, ...end };
    }
  }
}

async function* pagesOf(client: AdminClient, { order, identity }: wire.BackupPlan) {
  for (const table of order) {
    let after: wire.BackupPage["next"] = null;
    do {
      const query = new URLSearchParams({ backup: identity.id });
      if (after !== null) query.set("after", JSON.stringify(after));
      const path = `/admin/backup/${table}?${query}`;
      const page: wire.BackupPage = await client.get(wire.backupPageSchema, path);
      yield { table, after, ...page };
      after = page.next;
    } while (after !== null);
  }
}

/** The number of concurrent requests for objects; each request reads the index of many packs. */
const PARALLEL = 3;

type Restored = Awaited<ReturnType<typeof restoreBackup>>;

/**
 * Restores `backup`, or resumes an interrupted restore of the same file. `earlier`: a run had completed it before, so
 * that this one changed nothing. `lacking` is not served because its objects are missing in R2; `adoptable` packs in R2
 * are newer than the backup; `kept` stays in force although the backup has an earlier state. `overEmpty`: the deployment
 * was empty before, so that revocations since the backup are unknown.
 */
async function restoreBackup(
  client: AdminClient,
  backup: WholeBackup,
  { force = false, unauthenticated = false }: Record<"force" | "unauthenticated", boolean | undefined>,
) {
  const { tables, identity = null } = backup.head;
  const { sha256: restoreId, rows } = backup.end;
  const path = `/admin/restores/${restoreId}`;
  const content = await contentOf(backup);
  const body = { restoreId, chunks: content.chunks, tables, identity, force, unauthenticated };
  const begun = await client.post(wire.restoreStateSchema, "/admin/restores", { body });
  let done = begun;
  let lacking: Awaited<ReturnType<typeof lookForObjects>> = [];
  if (begun.state === "open") {
    await sendChunks(client, path, backup, new Set(begun.present));
    lacking = await lookForObjects(client, path, content);
    done = await client.post(wire.restoreStateSchema, `${path}/complete`, HASHING);
  }
  await sweep(client);
  const { adoptable, kept, overEmpty } = done;
  return { restoreId, earlier: begun.state === "done", rows, lacking, adoptable, kept, overEmpty };
}

async function sendChunks(client: AdminClient, path: string, backup: WholeBackup, present: Set<number>) {
  let n = 0;
  for await (const chunk of backup.pages()) {
    n++;
    if (present.has(n)) continue;
    await client.put(wire.restoreStateSchema, `${path}/chunks/${n}`, { body: chunk });
    if (n % 100 === 0) console.error(`${n} chunks have been sent`);
  }
}

type Content = Awaited<ReturnType<typeof contentOf>>;

/**
 * Returns the number of chunks in a backup, the ids of its packs and files, and by object id the name of the day or file
 * that is served from the object.
 */
async function contentOf(backup: WholeBackup) {
  const content = { chunks: 0, ids: [] as number[], served: new Map<number, string>() };
  for await (const { table, rows } of backup.pages()) {
    content.chunks++;
    const columns = backup.head.tables[table] ?? [];
    for (const values of rows) {
      const cell = (column: string) => values[columns.indexOf(column)] ?? null;
      if (table === "day_packs") content.ids.push(Number(cell("pack_id")));
      if (table === "order_days") {
        // Backups made by earlier versions have no dataset column, because they contain only orders.
        const dataset = String(cell("dataset") ?? "orders");
        const called = isDatasetName(dataset) ? dayName(String(cell("tradedate")), dataset) : dataset;
        content.served.set(Number(cell("pack_id")), called);
      }
      if (table === "day_files") {
        const id = Number(cell("file_id"));
        content.ids.push(id);
        const isOffered = cell("state") === "published" && cell("replaced_at_ms") === null;
        if (isOffered) content.served.set(id, String(cell("name")));
      }
    }
  }
  return content;
}

/** Returns the days and files that cannot be served, each with the problem as a clause. */
async function lookForObjects(client: AdminClient, path: string, { ids, served }: Content) {
  const lacking: { called: string; problem: string }[] = [];
  const waiting = [...ids];
  const look = async () => {
    while (waiting.length > 0) {
      const body = { objectIds: waiting.splice(0, wire.MAX_RESTORED_OBJECTS) };
      const request = { body, ...HASHING };
      const { objects } = await client.post(wire.restoredObjectsSchema, `${path}/objects`, request);
      for (const { objectId, problem } of objects) {
        const called = served.get(objectId);
        if (problem !== null && called !== undefined) lacking.push({ called, problem });
      }
      if (waiting.length > 0)
        console.error(`${waiting.length} packs and files are still to be checked in R2`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, look));
  return lacking.toSorted((a, b) => (a.called < b.called ? -1 : 1));
}

/** Deletes index rows of replaced packs. After a failure, the scheduled task deletes the rest. */
async function sweep(client: AdminClient): Promise<void> {
  try {
    for (let left = 1; left > 0; ) {
      ({ left } = await client.post(wire.sweptSchema, "/admin/restores/sweep", HASHING));
      if (left > 0) console.error(`index rows of ${left} replaced packs are still to be deleted`);
    }
  } catch (error) {
    // One possible error: the service refuses the operator's token, because the restored backup does not contain it.
    console.error(
      `The backup is restored. Some index rows of replaced packs could not be deleted (${sentenceOf(error)}); the scheduled task deletes them later.`,
    );
  }
}
