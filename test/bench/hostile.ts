/**
 * Measures how long the parsers of headers and parameters take for hostile texts of 4, 8 and 16 KB. The time must grow
 * in proportion to the length of the text.
 */
import { HOSTILE_LENGTHS, HOSTILE_READS, msOf } from "../support/hostile.ts";
import { type BenchRow, figuresIn } from "./bench-row.ts";

const TABLE = "hostile texts, before the sender is known";

/** Returns a line per parser and a column per length. Each ratio is relative to the time for the shortest text. */
export async function benchHostile(): Promise<BenchRow[]> {
  return HOSTILE_READS.flatMap(({ name, read }) => {
    const [shortest] = HOSTILE_LENGTHS;
    const shortestMs = msOf(() => read(shortest));
    return HOSTILE_LENGTHS.map((length) => {
      const value = length === shortest ? shortestMs : msOf(() => read(length));
      const rival = length === shortest ? undefined : ([shortestMs, "4 KB"] as const);
      return figuresIn(TABLE, name)(`${length / 1024} KB`, value, "ms", rival);
    });
  });
}
