/** Reproducible random numbers: the same seed gives the same sample day on every machine. */

export interface Random {
  /** Returns the next number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, `limit`). */
  below(limit: number): number;
  /** Returns true with the probability `share`. */
  chance(share: number): boolean;
  /** Returns a sample of the exponential distribution with mean 1. */
  exponential(): number;
}

/**
 * Returns an sfc32 generator that is seeded from a text. It uses only 32-bit integers, so every engine gives the same
 * numbers.
 */
export function seededRandom(seed: string): Random {
  let [a, b, c, counter] = [hash(seed, 1), hash(seed, 2), hash(seed, 3), 1];
  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  }
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    chance: (share) => next() < share,
    exponential: () => -Math.log(1 - next()),
  };
}

/** Returns the FNV-1a hash of the text's UTF-16 units. Different values of `salt` give different hashes of one text. */
function hash(text: string, salt: number): number {
  let word = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193);
  return word | 0;
}
