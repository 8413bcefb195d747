/**
 * One demo at a time on a state folder: two runtimes on the same database files damage them. The lock is
 * a file with the holder's process id; one that a killed demo left behind is taken over.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "../exit.ts";

/** Another start may stand between making the file and writing its number, or between reading and removing. */
const SETTLE_MS = 100;

/** Takes the lock of `stateDir` (made if absent) and returns what gives it back. */
export async function lockState(stateDir: string): Promise<() => void> {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, "demo.lock");
  for (;;) {
    if (created(path)) {
      await pause(SETTLE_MS);
      if (holderOf(path) === process.pid) return () => rmSync(path, { force: true });
    }
    const holder = holderOf(path) ?? (await pause(SETTLE_MS).then(() => holderOf(path)));
    if (holder !== null && isDemo(holder)) {
      throw new CommandFailure(
        `Another demo (process ${holder}) uses ${stateDir}; stop it first, or give this one its own folder with --state.`,
      );
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether the process `pid` runs and, where the system tells what it runs, is a demo. */
function isDemo(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("start.ts");
  } catch {
    return true;
  }
}
