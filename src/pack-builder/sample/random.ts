/** Random numbers that repeat: the same seed gives the same sample day on every machine. */

export interface Random {
  /** The next number in [0, 1). */
  next(): number;
  /** An integer in [0, `limit`). */
  below(limit: number): number;
  /** True with the probability `share`. */
  chance(share: number): boolean;
  /** A draw from the exponential distribution of mean 1. */
  exponential(): number;
}

/** A generator (sfc32: 32-bit integer steps only, so every engine agrees) seeded from a text. */
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

/** FNV-1a over the UTF-16 units, with `salt` mixed in to get several numbers out of one seed. */
function hash(text: string, salt: number): number {
  let word = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193);
  return word | 0;
}
