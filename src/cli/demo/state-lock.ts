/**
 * One demo at a time on a state folder: two runtimes on the same database files damage them. The lock is
 * a file with the holder's process id; one that a killed demo left behind is taken over.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "../exit.ts";

/** Takes the lock of `stateDir` (made if absent) and returns what gives it back. */
export function lockState(stateDir: string): () => void {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, "demo.lock");
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(path, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt > 3) throw error;
    }
    const holder = holderOf(path);
    if (holder !== null && isDemo(holder)) {
      throw new CommandFailure(
        `Another demo (process ${holder}) uses ${stateDir}; stop it first, or give this one its own folder with --state.`,
      );
    }
    rmSync(path, { force: true });
  }
}

function holderOf(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
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
