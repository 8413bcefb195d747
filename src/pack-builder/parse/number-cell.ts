/**
 * Parses numbers. Prices become yuan × 10000 by rounding the decimal text, never by a float product: 15.929999999999999
 * is 159300. Usual forms are parsed from bytes, unusual ones by a slower function.
 */

const ZERO = 48;
const NINE = 57;
const POINT = 46;

/** The maximum number of digits that the fast functions parse. More digits may not fit in a double. */
const FAST_DIGITS = 15;
const PRICE_DECIMALS = 4;

/** Returns `bytes[from, to)` as an integer if it is 1 to 15 digits, else -1. */
export function plainInteger(bytes: Uint8Array, from: number, to: number): number {
  if (to - from > FAST_DIGITS || from >= to) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < ZERO || byte > NINE) return -1;
    value = value * 10 + byte - ZERO;
  }
  return value;
}

/**
 * Returns `bytes[from, to)` × 10000, rounded half up, if it is a number of up to 11 digits with or without decimals
 * after them, else -1.
 */
export function plainTenThousandths(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === POINT) break;
    if (byte < ZERO || byte > NINE) return -1;
    value = value * 10 + byte - ZERO;
  }
  if (at === from || at - from > FAST_DIGITS - PRICE_DECIMALS) return -1;
  let decimals = 0;
  let roundUp = 0;
  for (at += 1; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return -1;
    if (decimals < PRICE_DECIMALS) value = value * 10 + byte - ZERO;
    else if (decimals === PRICE_DECIMALS && byte >= ZERO + 5) roundUp = 1;
    decimals += 1;
  }
  for (; decimals < PRICE_DECIMALS; decimals++) value *= 10;
  return value + roundUp;
}

/** Powers of ten, all exact. */
const POWERS = Array.from({ length: FAST_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Returns the double nearest to `bytes[from, to)` if it is a number of up to 15 digits, including decimals, else -1.
 */
export function plainDecimal(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let point = to;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === POINT && point === to && at > from) {
      point = at;
      continue;
    }
    if (byte < ZERO || byte > NINE) return -1;
    value = value * 10 + byte - ZERO;
  }
  const decimals = Math.max(0, to - point - 1);
  if (from >= to || point - from + decimals > FAST_DIGITS) return -1;
  // Both numbers are exact, so the quotient is rounded once.
  return decimals === 0 ? value : value / (POWERS[decimals] ?? 1);
}

/** The value of a number in an unusual form, or why it is refused. */
export type OddNumber =
  | { value: number; form: "empty" | "sentinel" | "exponent" | "plain" }
  | { problem: string };

/** 2^64 - 1, which means "none" in ids and volumes of several sources. */
const SENTINEL = 18_446_744_073_709_551_615n;
/** The sentinel as printed by programs that store it as a double and print six significant digits. */
const SENTINEL_ROUNDED = 18_446_700_000_000_000_000n;
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** Sign, digits, decimals, exponent. */
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Parses a trimmed cell that the fast functions refused: empty, signed, in exponent form, too long. `decimals` is the
 * number of decimal places of the result (4 for a price in yuan, rounded half up; 0 elsewhere, where a fraction is
 * refused). With `sentinel: "zero"` (ids and volumes), 2^64 - 1 is read as 0.
 */
export function oddNumber(text: string, decimals: number, sentinel: "zero" | "refuse"): OddNumber {
  if (text === "") return { value: 0, form: "empty" };
  const parts = NUMBER.exec(text);
  const [, sign = "", whole = "", fraction = "", exponent] = parts ?? [];
  if (parts === null || whole + fraction === "") return { problem: "is not a number" };
  const shift = Number(exponent ?? 0) - fraction.length + decimals;
  // No valid number has 40 digits; a larger shift would only waste memory.
  if (Math.abs(shift) > 40) return { problem: "is too large" };
  const digits = BigInt(whole + fraction);
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : roundHalfUp(digits, 10n ** BigInt(-shift));
  if (sign === "-" && value !== 0n) return { problem: "is negative" };
  if (sentinel === "zero" && isSentinel(value, exponent)) return { value: 0, form: "sentinel" };
  if (decimals === 0 && shift < 0 && digits % 10n ** BigInt(-shift) !== 0n)
    return { problem: "has a fraction" };
  if (value > LARGEST) return { problem: "is beyond 2^53" };
  return { value: Number(value), form: exponent === undefined ? "plain" : "exponent" };
}

/** Parses a trimmed cell that `plainDecimal` refused, as the double nearest to its decimal text. */
export function oddDecimal(text: string): OddNumber {
  if (text === "") return { value: 0, form: "empty" };
  const [, sign = "", whole = "", fraction = "", exponent] = NUMBER.exec(text) ?? [];
  if (whole + fraction === "") return { problem: "is not a number" };
  const value = Number(`${whole || "0"}.${fraction || "0"}e${exponent ?? 0}`);
  if (sign === "-" && value !== 0) return { problem: "is negative" };
  if (value > Number.MAX_SAFE_INTEGER) return { problem: "is beyond 2^53" };
  return { value, form: exponent === undefined ? "plain" : "exponent" };
}

function isSentinel(value: bigint, exponent: string | undefined): boolean {
  return (
    value === SENTINEL || (exponent !== undefined && value >= SENTINEL_ROUNDED && value <= SENTINEL + 1000n)
  );
}

function roundHalfUp(digits: bigint, divisor: bigint): bigint {
  return (digits * 2n + divisor) / (divisor * 2n);
}
