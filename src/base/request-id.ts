/** Request ids, which identify a request in headers, messages and the log. */

/** Crockford's base 32, which leaves out letters that are easily confused. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 16;

/**
 * Returns a new request id: 16 characters, 80 random bits. An id is never taken from the caller, because the gate
 * charges each id only once.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}
