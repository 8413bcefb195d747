/** The peak memory of this process. */
import { existsSync, readFileSync } from "node:fs";

/**
 * Returns the peak memory in bytes. `maxRSS` starts at the parent's memory; the kernel's own peak, where there is one,
 * starts at zero.
 */
export function peakBytes(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const kib = /VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return 1024 * Number(kib);
}
