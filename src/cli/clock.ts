/** The clock and the wait function, which tests can replace. */
import { setTimeout as pause } from "node:timers/promises";

export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number;
  wait(ms: number): Promise<unknown>;
}

/** This machine's clock. */
export const SYSTEM_CLOCK: Clock = {
  nowMs: Date.now,
  wait: (ms) => pause(ms),
};
