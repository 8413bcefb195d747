/** Finds the known name nearest to a misspelt one. */

/** Longer names are not compared: the cost grows with the length, and no known name is that long. */
const MAX_LENGTH = 40;

/** Returns the number of edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      line.push(edits);
    }
    beforeLast = last;
    last = line;
  }
  return last[b.length] ?? 0;
}

/**
 * Returns the name in `known` that is nearest to `name`, the first of them if several are equally near. Ignores the
 * case of `name`, and treats `-` and blanks as `_`. Returns `null` when every known name needs more edits than a third
 * of its length.
 *
 * @example nearestName("star_time", ["start_time", "end_time"]) // "start_time"
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  const folded = name.trim().toLowerCase().replaceAll(/[-\s]/g, "_");
  let best: { candidate: string; edits: number } | null = null;
  for (const candidate of known) {
    const edits = editDistance(folded, candidate);
    if (edits <= candidate.length / 3 && (best === null || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate ?? null;
}
