/** The runtime's process as the operating system sees it; needs `/proc`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The kernel's unit of processor time. */
const TICK_MS = 10;

export interface RuntimeProcess {
  /** Returns the resident memory. */
  memoryBytes(): number;
  /** Returns the processor time since the start: worker, simulated stores and HTTP together. */
  cpuMs(): number;
  /**
   * Returns how long the worker's thread had work: the time in which it ran or waited for a busy processor. In the
   * remaining time it waited for the network or the stores.
   */
  workMs(): number;
  /** Kills the process (SIGKILL); resolves when it has ended. */
  kill(): Promise<void>;
}

/** Returns the newest workerd that this process has started, or null when it cannot be found. */
export function newestRuntime(): RuntimeProcess | null {
  const pids = readdirSafely("/proc").filter((name) => /^\d+$/.test(name));
  const children = pids.filter((pid) => {
    const { name, parent } = statOf(pid);
    return parent === process.pid && name.startsWith("workerd");
  });
  // Process ids are reused, so the start time identifies the process.
  const pid = children.sort((a, b) => statOf(b).born - statOf(a).born)[0];
  if (pid === undefined) return null;
  return {
    memoryBytes: () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readSafely(`/proc/${pid}/status`))?.[1] ?? 0),
    cpuMs: () => statOf(pid).ticks * TICK_MS,
    workMs: () => {
      // The main thread's time on a processor and in the queue for a processor, in nanoseconds.
      const [ranNs = Number.NaN, waitedNs = Number.NaN] = readSafely(`/proc/${pid}/schedstat`)
        .split(" ")
        .map(Number);
      return (ranNs + waitedNs) / 1e6;
    },
    kill: async () => {
      process.kill(Number(pid), "SIGKILL");
      while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

function statOf(pid: string): { name: string; parent: number; ticks: number; born: number } {
  const text = readSafely(`/proc/${pid}/stat`);
  // The name is in parentheses and can contain anything; the state and the numbers follow it.
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  const numbers = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(numbers[11]) + Number(numbers[12]);
  return { name, parent: Number(numbers[1]), ticks, born: Number(numbers[19]) };
}

function readSafely(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readdirSafely(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
