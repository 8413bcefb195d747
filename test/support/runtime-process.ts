/** The runtime's own process, as the operating system sees it. Only where there is `/proc`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The kernel counts processor time in these steps. */
const TICK_MS = 10;

export interface RuntimeProcess {
  /** Resident memory now. */
  memoryBytes(): number;
  /** Processor time since the process began: worker, stores' simulators and HTTP together. */
  cpuMs(): number;
  /** Kills it outright (SIGKILL); resolves when it is gone. */
  kill(): Promise<void>;
}

/** The newest workerd that this process has started, or null where that cannot be told. */
export function newestRuntime(): RuntimeProcess | null {
  const pids = readdirSafely("/proc").filter((name) => /^\d+$/.test(name));
  const children = pids.filter((pid) => {
    const { name, parent } = statOf(pid);
    return parent === process.pid && name.startsWith("workerd");
  });
  // Process ids begin again at the bottom some day; the time of birth does not.
  const pid = children.sort((a, b) => statOf(b).born - statOf(a).born)[0];
  if (pid === undefined) return null;
  return {
    memoryBytes: () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readSafely(`/proc/${pid}/status`))?.[1] ?? 0),
    cpuMs: () => statOf(pid).ticks * TICK_MS,
    kill: async () => {
      process.kill(Number(pid), "SIGKILL");
      while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

function statOf(pid: string): { name: string; parent: number; ticks: number; born: number } {
  const text = readSafely(`/proc/${pid}/stat`);
  // The name is in parentheses and may hold anything; the numbers begin behind it with the state.
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
