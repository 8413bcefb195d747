/** `edgetape backup`: accounts, plans, hashes of keys, calendar and catalog in a file, and back. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { Command } from "commander";
import type { KeptRevocation } from "../../admin/wire.ts";
import { beijingTimestamp } from "../../calendar/beijing.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "../confirm.ts";
import { adoptableLines } from "../day-adopt.ts";
import { CommandFailure, EXIT, ServiceRefusal } from "../exit.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { openBackup } from "./backup-file.ts";
import { createBackup } from "./create.ts";
import { type RestoreChoice, type Restored, restoreBackup } from "./restore.ts";

const NOT_IN_IT =
  "\nNot in it: secrets (cursors of another CURSOR_SECRET must be begun anew; passwords of shares and drives\n" +
  "of another SHARE_SECRET change), the objects in R2, today's quota counters, sessions of the console.";

/** Registers `backup create`, `backup verify` and `backup restore`. */
export function registerBackup(program: Command): void {
  const backup = program
    .command("backup")
    .description("accounts, plans, keys' hashes, calendar and catalog as a file");
  withService(
    backup
      .command("create")
      .description("write a backup; nothing that exists is overwritten")
      .option(
        "--out <file or folder>",
        "ends in .gz: packed; a path without an extension is a folder, which is made: there the name has the time",
        ".",
      ),
  )
    .addHelpText("after", NOT_IN_IT)
    .action(create);
  backup
    .command("verify")
    .description("say whether a backup is whole, and what is in it; no service is asked")
    .argument("<file>")
    .option("--json", "print the answer as JSON")
    .action(verify);
  withService(
    backup
      .command("restore")
      .description(
        "put a backup in the place of what a deployment holds; run it again after any interruption",
      )
      .argument("<file>")
      .option("--force", "also where it holds something, which is lost")
      .option(
        "--unauthenticated",
        "without looking at its seals: of a lost deployment whose BACKUP_SECRET is lost too, or of an older version",
      )
      .option(...YES_OPTION),
  )
    .addHelpText(
      "after",
      `${NOT_IN_IT}\nWhat was revoked, disabled or cleared since the backup stays so and is named; the audit is only appended to.\nWhat is served changes in one step, the last. Days whose packs do not lie in R2 are not served: copy the\nobjects first, or publish those days again.\nExit status 3: restored, but days or files are lacking.`,
    )
    .action(restore);
}

async function create(options: ServiceOptions & { out: string }): Promise<void> {
  const created = await createBackup(serviceOf(options), fileAt(options.out));
  if (!created.oneMoment) {
    process.stderr.write(
      "Changes were made while the backup was read; some of them are in it, others not.\n",
    );
  }
  if (created.sealedWith === null) {
    process.stderr.write(
      "The backup is not sealed, because the service has no BACKUP_SECRET: anybody could edit it. See `edgetape doctor`.\n",
    );
  }
  print(options, created, [`${created.path} is written.`, ...rowLines(created.rows)]);
}

/**
 * Returns the file to write at `out`. A folder is what exists as one, ends in a slash or has no extension; it is made,
 * and the file's name in it has the time. Refuses what exists: a nightly backup must not replace the one before.
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

async function verify(path: string, options: { json?: boolean }): Promise<void> {
  const { head, end } = await openBackup(path);
  const { at, service, version, identity } = head;
  const sealedWith = identity?.seal?.version ?? null;
  print(options, { path, whole: true, at, service, version, sealedWith, ...end }, [
    `${path} is whole: ${service} (${version}) at ${at}.`,
    sealedWith === null
      ? "It is not sealed: restoring it needs --unauthenticated."
      : `It is sealed with version ${sealedWith} of BACKUP_SECRET, which only the service can check: a restore does.`,
    ...rowLines(end.rows),
  ]);
}

async function restore(
  path: string,
  options: ServiceOptions & ConfirmOptions & Partial<RestoreChoice>,
): Promise<void> {
  const client = serviceOf(options);
  const backup = await openBackup(path);
  if (options.force) {
    const question = `Put ${path} of ${backup.head.at} in the place of everything that ${client.baseUrl} holds?`;
    await confirm(question, options);
  }
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const { force = false, unauthenticated = false } = options;
  const restored = await restoreBackup(client, backup, { force, unauthenticated }, say).catch(
    (error: unknown) => {
      const isFull = error instanceof ServiceRefusal && error.refused.reason === "not_empty";
      throw isFull ? new CommandFailure(`${error.message} If that is what you want, add --force.`) : error;
    },
  );
  print(options, restored, restoredLines(path, restored));
  if (restored.overEmpty) process.stderr.write(`${UNKNOWN_SINCE.join("\n")}\n`);
  if (restored.lacking.length > 0) process.exitCode = EXIT.degraded;
}

const KINDS: Record<KeptRevocation["kind"], (subject: string, at: string) => string> = {
  token: (subject, at) => `operator's token ${subject}: revoked ${at}`,
  account: (subject, at) => `account ${subject}: disabled ${at}`,
  key: (subject, at) => `key ${subject}: revoked ${at}`,
  key_end: (subject, at) => `key ${subject}: ends ${at}`,
  share: (subject, at) => `share ${subject}: revoked ${at}`,
  external: (subject, at) => `external share ${subject}: cleared ${at}`,
};

function keptLines(kept: readonly KeptRevocation[]): string[] {
  if (kept.length === 0) return [];
  return [
    "Stays so, although the backup is of before:",
    ...kept.map(({ kind, subject, at }) => `  ${KINDS[kind](subject, at)}`),
  ];
}

const UNKNOWN_SINCE = [
  "WARNING: this deployment was empty, so what was revoked or disabled after the backup is unknown.",
  "WARNING: tokens, keys, shares and accounts that were taken away since then work again. Take them away once more.",
];

function restoredLines(path: string, { rows, lacking, adoptable, kept }: Restored): string[] {
  return [
    `${path} is restored.`,
    ...rowLines(rows),
    ...keptLines(kept),
    ...lacking.map(({ called, problem }) => `${called} is not served: ${problem}.`),
    ...(lacking.length === 0
      ? []
      : [
          "Publish or add these again from their packs and files; `edgetape doctor --repair` gives up what is lost.",
        ]),
    ...(adoptable.length === 0
      ? []
      : [
          "Packs in R2 that the backup does not know; `edgetape day adopt <YYYYMMDD>` serves one:",
          ...adoptableLines(adoptable),
        ]),
  ];
}

function rowLines(rows: Record<string, number>): string[] {
  return Object.entries(rows).map(([table, count]) => `${table.padEnd(18)}${String(count).padStart(9)}`);
}
