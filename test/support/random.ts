/** Random values from a printed seed, so that a failing run can be repeated (`EDGETAPE_SEED=…`). */
import { createCipheriv } from "node:crypto";

/** A source of random values; the same seed gives the same values in the same order. */
export interface Random {
  seed: number;
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer from `low` to `high`, both inclusive. */
  integer(low: number, high: number): number;
  /** Returns an element of a non-empty list. */
  pick<T>(choices: readonly T[]): T;
  /** Returns true with the probability `share`, 0 to 1. */
  chance(share: number): boolean;
}

/** Returns `length` incompressible random bytes. `seed` is from 0 to 255; equal seeds give equal bytes. */
export function randomBytes(seed: number, length: number): Buffer {
  // Uses a stream cipher, because a random generator in JavaScript takes seconds for the largest files.
  const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(length));
}

/** Returns random values from `EDGETAPE_SEED` or a new seed, and prints the seed with the test's `name`. */
export function printedRandom(name: string): Random {
  const seed = Number(process.env.EDGETAPE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: EDGETAPE_SEED=${seed}`);
  return randomFrom(seed);
}

/** Returns the generator sfc32 with a 32-bit seed. */
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
