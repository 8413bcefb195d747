import type { BenchDays } from "./days.ts";
import type { Delays } from "./latency-worker.ts";

/** One figure of a bench, and the figure of the same run that it is compared with. */
export interface BenchRow {
  /** The title of the table that shows the figure; absent when the bench's name is the title. */
  table?: string;
  name: string;
  /** The heading of the column that shows the figure, in a table with several figures per line. */
  column?: string;
  value: number;
  unit: string;
  /** `value` divided by the rival's value; absent for a figure without a rival. */
  ratio?: number;
  against?: string;
}

/** The value of the rival with which a figure is compared, and the rival's name. */
export type Beside = readonly [rival: number, against: string];

/** Returns a figure for the table whose title is the bench's name. */
export function figure(name: string, value: number, unit: string, beside?: Beside): BenchRow {
  if (beside === undefined) return { name, value, unit };
  return { name, value, unit, ratio: value / beside[0], against: beside[1] };
}

/** Returns a function that makes the figures of one line of `table`. */
export function figuresIn(table: string, name: string) {
  return (column: string, value: number, unit: string, beside?: Beside): BenchRow => ({
    ...figure(name, value, unit, beside),
    ...{ table, column },
  });
}

/** The options of all benches. Each bench uses only some of them. */
export interface BenchOptions {
  days: BenchDays;
  /** A generated day of each dataset other than orders; empty when `days` is of a dataset other than orders. */
  otherDays: readonly BenchDays[];
  /** Number of rows in the delivery that the builder reads. */
  deliveryRows: number;
  /** The maximum number of times a task is run. */
  rounds: number;
  /** How long the bench `load` lasts. */
  loadSeconds: number;
  /** The delays of the stores for the latency bench. */
  delays: Omit<Delays, "advanceMs">;
}

/** Returns the median of `samples`; NaN when there are none. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * Runs the tasks in `rounds` rounds, interleaved so that a busy moment affects all of them, and returns the median
 * milliseconds of each. A task that has taken longer than `budgetMs` in total is not repeated. The caller must warm the
 * tasks up.
 */
export async function timeInterleaved<Name>(
  tasks: ReadonlyMap<Name, () => unknown>,
  rounds: number,
  budgetMs = 2_000,
): Promise<Map<Name, number>> {
  const samples = new Map([...tasks.keys()].map((name) => [name, [] as number[]]));
  const spentMs = new Map<Name, number>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, task] of tasks) {
      const spent = spentMs.get(name) ?? 0;
      if (spent > budgetMs) continue;
      const beganMs = performance.now();
      await task();
      const took = performance.now() - beganMs;
      samples.get(name)?.push(took);
      spentMs.set(name, spent + took);
    }
  }
  return new Map([...samples].map(([name, taken]) => [name, median(taken)]));
}
