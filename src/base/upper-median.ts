/**
 * Returns the median of `values`: of an even number of values the upper of the two middle ones; 0 for an empty list.
 */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
