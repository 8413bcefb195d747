/** Returns the middle of `values` by size, of an even number the upper one of both; 0 for an empty list. */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
