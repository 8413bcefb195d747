/** The peak memory of this process. */
import { existsSync, readFileSync } from "node:fs";

/**
 * Returns the peak memory in bytes. Linux gives it as `VmHWM`; on other systems `maxRSS` is used, which starts at the
 * memory of the parent process.
 */
export function peakBytes(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const kib = /VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return 1024 * Number(kib);
}
