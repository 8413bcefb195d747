/**
 * Numbers written as JSON straight into bytes: exactly the text `JSON.stringify` gives, without making a
 * string per number (a page has 60,000 of them). Callers leave `NUMBER_BYTES` of room behind `at`.
 */

/** The longest text of a number: a sign, 17 digits, a point, and an exponent of four characters, with room. */
export const NUMBER_BYTES = 32;

/** Units of 1/10000 below this have at most 15 digits, and 15 digits always read back as the same double. */
const SHORTEST_BELOW = 1e15;

/** The two digits of 0 to 99, one after the other. */
const PAIRS = new Uint8Array(200);
for (let value = 0; value < 100; value++) {
  PAIRS[2 * value] = 48 + Math.floor(value / 10);
  PAIRS[2 * value + 1] = 48 + (value % 10);
}

/** Writes `value`, an integer of 0 to 2^53, as decimal digits at `at`; returns the place behind them. */
export function putInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 1e8) {
    const high = Math.floor(value / 1e8);
    return putEightDigits(bytes, putInteger(bytes, at, high), value - high * 1e8);
  }
  let rest = value | 0;
  const end = at + digitsOf(rest);
  let place = end;
  while (rest >= 100) {
    const high = (rest / 100) | 0;
    const pair = (rest - high * 100) << 1;
    bytes[--place] = PAIRS[pair + 1] ?? 0;
    bytes[--place] = PAIRS[pair] ?? 0;
    rest = high;
  }
  if (rest >= 10) {
    bytes[--place] = PAIRS[(rest << 1) + 1] ?? 0;
    bytes[--place] = PAIRS[rest << 1] ?? 0;
  } else {
    bytes[--place] = 48 + rest;
  }
  return end;
}

/**
 * Writes `units` / 10000 for an integer of 0 to 10^15 (exclusive) as the shortest decimal that reads back as
 * that double, which with so few digits is the plain one without trailing zeros. Returns the place behind it.
 */
export function putTenThousandths(bytes: Uint8Array, at: number, units: number): number {
  const whole = Math.floor(units / 10_000);
  const fraction = units - whole * 10_000;
  const point = putInteger(bytes, at, whole);
  if (fraction === 0) return point;
  const high = (fraction / 100) | 0;
  const low = fraction - high * 100;
  bytes[point] = 46;
  bytes[point + 1] = PAIRS[high << 1] ?? 0;
  bytes[point + 2] = PAIRS[(high << 1) + 1] ?? 0;
  bytes[point + 3] = PAIRS[low << 1] ?? 0;
  bytes[point + 4] = PAIRS[(low << 1) + 1] ?? 0;
  let end = point + 5;
  while (bytes[end - 1] === 48) end--;
  return end;
}

/** Writes any finite `value` as `JSON.stringify` does; returns the place behind it. */
export function putNumber(bytes: Uint8Array, at: number, value: number): number {
  const units = unitsOf(value);
  if (units !== null) return putTenThousandths(bytes, at, units);
  if (Number.isSafeInteger(value) && value > 0) return putInteger(bytes, at, value);
  const text = JSON.stringify(value);
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/**
 * The integer of 0 to 10^15 (exclusive) whose ten-thousandth is the double `value`; null when there is none.
 * A price of a pack gives back the raw price it was divided from.
 */
export function unitsOf(value: number): number | null {
  const units = Math.round(value * 10_000);
  return units >= 0 && units < SHORTEST_BELOW && units / 10_000 === value && !Object.is(value, -0)
    ? units
    : null;
}

function putEightDigits(bytes: Uint8Array, at: number, value: number): number {
  const high = (value / 10_000) | 0;
  const low = value - high * 10_000;
  putFourDigits(bytes, at, high);
  putFourDigits(bytes, at + 4, low);
  return at + 8;
}

function putFourDigits(bytes: Uint8Array, at: number, value: number): void {
  const high = (value / 100) | 0;
  const low = value - high * 100;
  bytes[at] = PAIRS[high << 1] ?? 0;
  bytes[at + 1] = PAIRS[(high << 1) + 1] ?? 0;
  bytes[at + 2] = PAIRS[low << 1] ?? 0;
  bytes[at + 3] = PAIRS[(low << 1) + 1] ?? 0;
}

/** Decimal digits of an integer of 0 to 99,999,999. */
function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4;
  return value < 1_000_000 ? (value < 100_000 ? 5 : 6) : value < 10_000_000 ? 7 : 8;
}
