/**
 * Parses times as HHMMSSmmm numbers. Forms in use: `93000010` (leading zero lost), `093000010`, `93000` and `093000`
 * (no milliseconds), `09:30:00.010`, `20230711093000010`.
 */

const ZERO = 48;
const NINE = 57;
const COLON = 58;
const POINT = 46;

/** The form of a time, as numbers for the hot loop. */
export const TIME_FORM = { FULL: 0, ZERO_LOST: 1, NO_MILLISECONDS: 2 } as const;

/**
 * The value of a time cell: the time of day, its form, and the date if the cell has one. Each parser reuses one
 * instance.
 */
export interface TimeCell {
  /** HHMMSSmmm as a number. */
  time: number;
  form: number;
  /** YYYYMMDD as a number, 0 when the cell has no date. */
  date: number;
}

/** Parses `bytes[from, to)` into `into`. Returns false when these bytes are not a time of day. */
export function readTime(bytes: Uint8Array, from: number, to: number, into: TimeCell): boolean {
  into.date = 0;
  into.form = TIME_FORM.FULL;
  const digits = to - from;
  if (digits > 2 && (bytes[from + 1] === COLON || bytes[from + 2] === COLON)) {
    return readClock(bytes, from, to, into);
  }
  let value = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < ZERO || byte > NINE) return false;
    // The date of a 17-digit time is split off here, because 17 digits would not fit in a double.
    if ((digits === 17 || digits === 14) && i === from + 8) {
      into.date = value;
      value = 0;
    }
    value = value * 10 + byte - ZERO;
  }
  if (digits === 9 || digits === 17) {
    into.time = value;
  } else if (digits === 8) {
    into.time = value;
    into.form = TIME_FORM.ZERO_LOST;
  } else if (digits === 6 || digits === 5 || digits === 14) {
    into.time = value * 1000;
    into.form = TIME_FORM.NO_MILLISECONDS;
  } else {
    return false;
  }
  return isTimeOfDay(into.time);
}

/** Parses `H:MM:SS` and `HH:MM:SS` with up to nine decimals. Only the first three are used. */
function readClock(bytes: Uint8Array, from: number, to: number, into: TimeCell): boolean {
  const seconds = bytes[from + 1] === COLON ? from + 5 : from + 6;
  if (bytes[seconds - 4] !== COLON || bytes[seconds - 1] !== COLON || to < seconds + 2) return false;
  if (to > seconds + 2 && (bytes[seconds + 2] !== POINT || to > seconds + 12)) return false;
  let value = 0;
  let decimals = -1;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (i === seconds - 4 || i === seconds - 1) continue;
    if (i === seconds + 2) {
      decimals = 0;
      continue;
    }
    if (byte < ZERO || byte > NINE) return false;
    if (decimals >= 0) decimals += 1;
    if (decimals <= 3) value = value * 10 + byte - ZERO;
  }
  if (decimals < 0) into.form = TIME_FORM.NO_MILLISECONDS;
  for (let digit = Math.max(decimals, 0); digit < 3; digit++) value *= 10;
  into.time = value;
  return isTimeOfDay(value);
}

function isTimeOfDay(time: number): boolean {
  const seconds = Math.floor(time / 1000);
  return seconds % 100 < 60 && Math.floor(seconds / 100) % 100 < 60 && seconds < 240_000;
}

/** Returns `2023.07.11`, `2023-07-11`, `2023/07/11` or `20230711` as a number; -1 for anything else. */
export function readDate(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let digits = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + byte - ZERO;
      digits += 1;
    } else if (byte !== POINT && byte !== 45 && byte !== 47) {
      return -1;
    }
  }
  return digits === 8 ? value : -1;
}
