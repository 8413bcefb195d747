/**
 * A folder that one command at a time works in. The lock is a file with the holder's process id, which has its name only
 * with the id in it; one that a killed command left behind is taken over, by one of those that find it. Files that are
 * read again after a kill are replaced in one step.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandFailure } from "./exit.ts";

/** Between two looks at a lock that somebody else is taking over. */
const PAUSE_MS = 20;
/** Taking over is a few calls without a pause: a command that takes so long was killed. */
const TAKEOVER_MS = 10_000;

interface LockNames {
  /** The lock's file name. */
  file: string;
  /** Matches the holder's command line, so that another process with its old number is not taken for it. */
  commandLine: RegExp;
  /** What the holder is called in the refusal: `another demo`. */
  holder: string;
  /** What to do instead, as a clause. */
  advice: string;
}

/** Takes the lock of `folder` (made if absent) and returns its release; ends the command when it is held. */
export async function lockFolder(folder: string, names: LockNames): Promise<() => void> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, names.file);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    while (!linked(own, path)) {
      const holder = holderOf(path);
      if (holder !== null && isHolder(holder, names.commandLine)) {
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
 * Removes the lock at `path` if its holder is gone; false while another command is at it. Only one at a time may:
 * it might else remove the lock of a command that has just taken it.
 */
function removeLeft(own: string, path: string, commandLine: RegExp): boolean {
  const takeover = `${path}.takeover`;
  if (!linked(own, takeover)) {
    if (ageMs(takeover) > TAKEOVER_MS) rmSync(takeover, { force: true });
    return false;
  }
  const holder = holderOf(path);
  if (holder === null || !isHolder(holder, commandLine)) rmSync(path, { force: true });
  rmSync(takeover, { force: true });
  return true;
}

/** Gives the file `own` the name `path` too; false when there is one of this name. */
function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Milliseconds since the file was given its name; 0 when it is gone. */
function ageMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.ctimeMs;
}

/** The process id in the lock file, or null when there is none. */
function holderOf(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** Whether the process `pid` runs and, where the system tells what it runs, is one of ours. */
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Replaces the file at `path` in one step, so that a reader finds the old text or the new one, never half of
 * it. Readable by its owner only; folders above it are made.
 */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.partial`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
