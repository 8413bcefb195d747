/**
 * Locks a folder, so that only one command uses it at a time. The lock is a file with the holder's process id, created
 * atomically. If the holder was killed, exactly one other command takes over the lock. Files are replaced atomically.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "./exit.ts";

/** The time between two checks of a lock that another command is taking over. */
const PAUSE_MS = 20;
/** A takeover needs only a few system calls, so a command that has not finished it after this time was killed. */
const TAKEOVER_MS = 10_000;

interface LockNames {
  /** The name of the lock file. */
  file: string;
  /** Matches a holder's command line, so that an unrelated process with a reused id is not mistaken for a holder. */
  commandLine: RegExp;
  /** How the refusal names the holder, for example `Another demo`. */
  holder: string;
  /** The advice in the refusal, as a clause. */
  advice: string;
}

/** Locks `folder` and returns the release. Refuses while another command holds the lock. */
export async function lockFolder(folder: string, names: LockNames): Promise<() => void> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, names.file);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    while (!linked(own, path)) {
      const holder = holderOf(path, names.commandLine);
      if (holder !== null) {
        throw new CommandFailure(`${names.holder} (process ${holder}) uses ${folder}; ${names.advice}.`);
      }
      if (!removeLeft(own, path, names.commandLine)) await pause(PAUSE_MS);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/**
 * Removes the lock at `path` if its holder has ended. Returns false while another command does this, because two
 * commands could otherwise remove a lock that was just taken.
 */
function removeLeft(own: string, path: string, commandLine: RegExp): boolean {
  const takeover = `${path}.takeover`;
  if (!linked(own, takeover)) {
    const sinceMs = statSync(takeover, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (Date.now() - sinceMs > TAKEOVER_MS) rmSync(takeover, { force: true });
    return false;
  }
  if (holderOf(path, commandLine) === null) rmSync(path, { force: true });
  rmSync(takeover, { force: true });
  return true;
}

/** Links the file `own` to `path`. Returns false when `path` exists. */
function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the process id in the lock file if that process holds the folder, or null. */
function holderOf(path: string, commandLine: RegExp): number | null {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 && isHolder(pid, commandLine) ? pid : null;
  } catch {
    return null;
  }
}

/**
 * Returns whether the process `pid` runs and holds the folder. Its command line must match `commandLine`, unless the
 * system hides it or the process belongs to another user.
 */
function isHolder(pid: number, commandLine: RegExp): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    return commandLine.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  } catch {
    return true;
  }
}

/** Replaces the file at `path` atomically, readable by its owner only; parent folders are created. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.partial`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
