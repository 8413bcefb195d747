/**
 * Writes numbers as JSON directly into bytes, with exactly the text of `JSON.stringify` and without a string for each
 * number (a page has 60,000 numbers). Digits come from a table in groups of four, and each group is stored as one
 * 32-bit word. A function can therefore overwrite up to four bytes after the position that it returns; the next write
 * replaces these bytes.
 */

/** Space for any number (24 bytes, -1.7976931348623157e+308) and the bytes that can be overwritten after it. */
export const NUMBER_BYTES = 28;

/** Below this, a number of ten-thousandths has at most 15 digits, which a conversion to a double and back preserves. */
export const PLAIN_BELOW = 1e15;

const POINT = 0x2e;

/** The digits of 0000 to 9999 as 32-bit integers, first digit in the lowest byte. */
const GROUPS = new Uint32Array(10_000);
/** The number of digits of 0 to 9999 without leading zeros, at least 1. */
const LENGTHS = new Uint8Array(10_000);
/** The number of bytes of .0000 to .9999 without trailing zeros, including the point; 0 for .0000. */
const FRACTION_LENGTHS = new Uint8Array(10_000);
// This loop runs whenever an isolate starts. It is fast because it uses only arithmetic and no strings.
for (let value = 0; value < 10_000; value++) {
  const [a, b, c, d] = [(value / 1_000) | 0, ((value / 100) | 0) % 10, ((value / 10) | 0) % 10, value % 10];
  GROUPS[value] = 0x30303030 + (a | (b << 8) | (c << 16) | (d << 24));
  LENGTHS[value] = a > 0 ? 4 : b > 0 ? 3 : c > 0 ? 2 : 1;
  FRACTION_LENGTHS[value] = d > 0 ? 5 : c > 0 ? 4 : b > 0 ? 3 : a > 0 ? 2 : 0;
}

/** Writes `value`, an integer from 0 to 2^53, as decimal digits at `at`. Returns the position after them. */
export function putInteger(out: DataView, at: number, value: number): number {
  if (value < 1e8) return putShort(out, at, value | 0);
  const high = Math.floor(value / 1e8);
  const low = (value - high * 1e8) | 0;
  const place = putShort(out, at, high);
  const middle = (low / 10_000) | 0;
  out.setUint32(place, GROUPS[middle] ?? 0, true);
  out.setUint32(place + 4, GROUPS[low - middle * 10_000] ?? 0, true);
  return place + 8;
}

/** Writes an integer below 10^8. */
function putShort(out: DataView, at: number, value: number): number {
  if (value < 10_000) return putGroup(out, at, value);
  const high = (value / 10_000) | 0;
  const place = putGroup(out, at, high);
  out.setUint32(place, GROUPS[value - high * 10_000] ?? 0, true);
  return place + 4;
}

/** Writes 0 to 9999 without leading zeros, which are shifted out of the word. */
function putGroup(out: DataView, at: number, value: number): number {
  const length = LENGTHS[value] ?? 0;
  out.setUint32(at, (GROUPS[value] ?? 0) >>> (32 - 8 * length), true);
  return at + length;
}

/**
 * Writes `units` / 10000 as a plain decimal without trailing zeros; `units` is an integer from 0 to 10^15 (exclusive).
 * With so few digits, this is the shortest decimal that parses to the same double. Returns the position after it.
 */
export function putTenThousandths(out: DataView, at: number, units: number): number {
  const whole = Math.floor(units / 10_000);
  const fraction = units - whole * 10_000;
  const point = putInteger(out, at, whole);
  out.setUint8(point, POINT);
  out.setUint32(point + 1, GROUPS[fraction] ?? 0, true);
  return point + (FRACTION_LENGTHS[fraction] ?? 0);
}

/** Writes any finite `value` as `JSON.stringify` does. Returns the position after it. */
export function putNumber(out: DataView, at: number, value: number): number {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value) {
    return putInteger(out, at, value);
  }
  const units = unitsOf(value);
  if (units !== null) return putTenThousandths(out, at, units);
  const text = JSON.stringify(value);
  for (let index = 0; index < text.length; index++) out.setUint8(at + index, text.charCodeAt(index));
  return at + text.length;
}

/**
 * Returns the integer from 0 to 10^15 (exclusive) whose ten-thousandth is the double `value`, or null when there is
 * none. For a pack's price this is the raw price.
 */
export function unitsOf(value: number): number | null {
  const units = Math.round(value * 10_000);
  const isExact = units >= 0 && units < PLAIN_BELOW && units / 10_000 === value;
  return isExact && !Object.is(value, -0) ? units : null;
}
