/** The memory of a runtime over time. */
import type { RuntimeProcess } from "../support/runtime-process.ts";
import { type BenchRow, figure } from "./bench-row.ts";

const MIB = 2 ** 20;

/**
 * Samples the runtime's resident memory every second. A runtime that keeps no data also grows until its heap is full.
 * The memory of a runtime that serves a fixed body is therefore shown for comparison.
 */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #look: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(runtime: RuntimeProcess | null) {
    this.#look = () => {
      if (runtime !== null) this.#samples.push(runtime.memoryBytes() / MIB);
    };
    this.#look();
    this.#timer = setInterval(this.#look, 1_000);
  }

  /**
   * Stops sampling. Returns rows whose names begin with `name`: the memory at the start and after each fifth of the
   * time, and its slope in the first and the second half. Returns no rows for fewer than five samples.
   */
  end(name: string): BenchRow[] {
    clearInterval(this.#timer);
    this.#look();
    const all = this.#samples;
    if (all.length < 5) return [];
    const at = (share: number) => all[Math.round(share * (all.length - 1))] ?? Number.NaN;
    const half = all.length >> 1;
    return [
      ...[0, 0.2, 0.4, 0.6, 0.8, 1].map((share) =>
        figure(`${name}, ${100 * share} % through`, at(share), "MiB"),
      ),
      figure(`${name}, slope in the first half`, slopeOf(all.slice(0, half)), "MiB/min"),
      figure(`${name}, slope in the second half`, slopeOf(all.slice(half)), "MiB/min"),
    ];
  }
}

/** Returns the growth per minute of samples taken every second, by least squares. */
function slopeOf(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const moments = samples.map(
    (value, second) => [(second - middle) * (value - mean), (second - middle) ** 2] as const,
  );
  return (
    (60 * moments.reduce((sum, [both]) => sum + both, 0)) /
    moments.reduce((sum, [, square]) => sum + square, 0)
  );
}
