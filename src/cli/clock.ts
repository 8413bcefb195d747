/** The clock and waiting, replaceable in tests. */

export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

/** This machine's clock. */
export const SYSTEM_CLOCK: Clock = {
  nowMs: Date.now,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
