import { describe, expect, it } from "vitest";
import { HOSTILE_LENGTHS, HOSTILE_READS, msOf } from "../../support/hostile.ts";

/** For a text that is 4 times as long, linear work takes 4 times as long and quadratic work 16 times as long. */
const LINEAR_AT_MOST = 10;
/** Shorter times cannot be measured. Quadratic work on 16 KB takes tens of milliseconds. */
const UNMEASURABLE_MS = 2;

describe("a parser of text from unauthenticated callers", () => {
  const [shortest, , longest] = HOSTILE_LENGTHS;

  it.each(HOSTILE_READS)("takes time linear in the input's length: $name", ({ read }) => {
    const [short, long] = [msOf(() => read(shortest)), msOf(() => read(longest))];
    expect(long).toBeLessThan(LINEAR_AT_MOST * short + UNMEASURABLE_MS);
  });
});
