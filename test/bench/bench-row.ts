/** One figure of the bench, with the rival of the same run that it is measured against. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** `value` divided by the rival's value; absent for a figure that stands alone. */
  ratio?: number;
  against?: string;
}

/** The median of `samples`; NaN of none. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
