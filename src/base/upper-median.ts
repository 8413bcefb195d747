/**
 * Returns the median of `values`, or 0 for an empty list. For an even number of values, it is the larger of the two
 * middle values.
 */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
