/**
 * The two tiers of tests. `npm test` runs every proof at a tenth of its size; `npm run test:long` sets
 * `EDGETAPE_TIER=long` and runs it in full.
 */

/** Whether this run is of the long tier. */
export const isLong = process.env.EDGETAPE_TIER === "long";

/** Returns how many repetitions a proof of `full` repetitions does in this tier: all, or a tenth and at least one. */
export function proofSize(full: number): number {
  return isLong ? full : Math.max(1, Math.ceil(full / 10));
}
