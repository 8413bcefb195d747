/** The clock and the wait function, which tests can replace. */
import { setTimeout as pause } from "node:timers/promises";

/** This machine's clock in Unix milliseconds, and its wait. */
export const SYSTEM_CLOCK = {
  nowMs: Date.now,
  wait: (ms: number): Promise<unknown> => pause(ms),
};
