/** The runtime's own process, as the operating system sees it. Only where there is `/proc`. */
import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts processor time in these steps. */
const TICK_MS = 10;

export interface RuntimeProcess {
  /** Resident memory now. */
  memoryBytes(): number;
  /** Processor time since the process began: worker, stores' simulators and HTTP together. */
  cpuMs(): number;
}

/** The newest workerd that this process has started, or null where that cannot be told. */
export function newestRuntime(): RuntimeProcess | null {
  const pids = readdirSafely("/proc").filter((name) => /^\d+$/.test(name));
  const children = pids.filter((pid) => {
    const { name, parent } = statOf(pid);
    return parent === process.pid && name.startsWith("workerd");
  });
  const pid = children.sort((a, b) => Number(b) - Number(a))[0];
  if (pid === undefined) return null;
  return {
    memoryBytes: () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readSafely(`/proc/${pid}/status`))?.[1] ?? 0),
    cpuMs: () => statOf(pid).ticks * TICK_MS,
  };
}

function statOf(pid: string): { name: string; parent: number; ticks: number } {
  const text = readSafely(`/proc/${pid}/stat`);
  // The name is in parentheses and may hold anything; the numbers begin behind it with the state.
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  const numbers = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { name, parent: Number(numbers[1]), ticks: Number(numbers[11]) + Number(numbers[12]) };
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
