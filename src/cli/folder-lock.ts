/**
 * One command at a time on a folder. The lock is a file with the holder's process id; one that a killed
 * command left behind is taken over.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "./exit.ts";

/** Another command may stand between making the file and writing its number, or between reading and removing. */
const SETTLE_MS = 100;

export interface LockNames {
  /** The lock's file name. */
  file: string;
  /** Matches the holder's command line, so that another process with its old number is not taken for it. */
  commandLine: RegExp;
  /** What the holder is called in the refusal: `another demo`. */
  holder: string;
  /** What to do instead, as a clause. */
  advice: string;
}

/** Takes the lock of `folder` (made if absent) and returns what gives it back; ends the command when it is held. */
export async function lockFolder(folder: string, names: LockNames): Promise<() => void> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, names.file);
  for (;;) {
    if (created(path)) {
      await pause(SETTLE_MS);
      if (holderOf(path) === process.pid) return () => rmSync(path, { force: true });
    }
    const holder = holderOf(path) ?? (await pause(SETTLE_MS).then(() => holderOf(path)));
    if (holder !== null && isHolder(holder, names.commandLine)) {
      throw new CommandFailure(`${names.holder} (process ${holder}) uses ${folder}; ${names.advice}.`);
    }
    rmSync(path, { force: true });
  }
}

/** Makes the lock file with our process id in it; false when there is one. */
function created(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
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
