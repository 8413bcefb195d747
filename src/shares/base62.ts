/** Base62 text from bytes: what addresses and passwords of shares are written in. */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * `length` base62 characters of `bytes`, read as one big number. With 10 bits more in the bytes than in the
 * text (5.954 bits a character) each character is equally likely to within a thousandth.
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
