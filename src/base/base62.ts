/** Base62, in which keys, tokens, share addresses and share passwords are written. */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Reads `bytes` as one big number and returns its last `length` base62 digits, least significant first. A character
 * needs 5.954 bits. If `bytes` has at least 10 bits more than all characters need, the probabilities of the characters
 * differ by less than a thousandth.
 */
export function base62(bytes: Uint8Array, length: number): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = "";
  while (text.length < length) {
    text += ALPHABET.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return text;
}

/** Returns `value`, a non-negative integer, as `length` base62 digits, most significant first. */
export function base62Number(value: number, length: number): string {
  let rest = value;
  let digits = "";
  while (digits.length < length) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Returns `length` random base62 characters, each equally likely. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 = 4 × 62. Bytes of 248 or more would make the first characters of the alphabet likelier.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
