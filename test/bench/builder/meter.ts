/** Measures the time and memory that a process uses. */
import { peakBytes } from "./peak-bytes.ts";

export interface Spent {
  ms: number;
  /** The processor time of all threads: on a busy machine it is a better measure than the elapsed time. */
  cpuMs: number;
  peakBytes: number;
}

/** Measures elapsed time from its creation, but processor time and peak memory from the start of the process. */
export class Meter {
  private readonly beganMs = performance.now();

  spent(): Spent {
    const { user, system } = process.cpuUsage();
    return { ms: performance.now() - this.beganMs, cpuMs: (user + system) / 1000, peakBytes: peakBytes() };
  }
}
