/** Names one request in headers, messages and the log. */

/** Crockford's base 32: no letters that are mistaken for one another when read aloud from a screenshot. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 16;

/**
 * A new request id: 16 characters, 80 random bits. Ids are always ours, never taken from the caller: the
 * gate charges the same id once only.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}
