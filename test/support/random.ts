/** Random values from a seed that is printed, so that a failing run can be repeated (`EDGETAPE_SEED=…`). */

/** A source of random values; the same seed gives the same values in the same order. */
export interface Random {
  seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** One element of a list that is not empty. */
  pick<T>(choices: readonly T[]): T;
  /** True in `share` of the cases, 0 to 1. */
  chance(share: number): boolean;
}

/** `length` random bytes, always the same of a seed, which no compression or repetition makes alike. */
export function randomBytes(seed: number, length: number): Uint8Array {
  const random = randomFrom(seed);
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

/** The seed of this run: `EDGETAPE_SEED` or a fresh one; printed with the test's `name`. */
export function printedRandom(name: string): Random {
  const seed = Number(process.env.EDGETAPE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: EDGETAPE_SEED=${seed}`);
  return randomFrom(seed);
}

/** The generator sfc32 from a 32-bit seed. */
export function randomFrom(seed: number): Random {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warming = 0; warming < 12; warming++) next();
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    seed,
    next,
    integer,
    pick: <T>(choices: readonly T[]) => choices[integer(0, choices.length - 1)] as T,
    chance: (share) => next() < share,
  };
}
