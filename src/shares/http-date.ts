/** Dates in HTTP headers (RFC 9110, 5.6.7). */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The present form, then the two obsolete ones that a recipient must still read. */
const FORMS = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w+, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** `epochMs` (Unix milliseconds) as an HTTP date, to the second: `Thu, 12 Mar 2026 02:00:00 GMT`. */
export function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}

/** The instant (Unix milliseconds) of an HTTP date in any of its three forms; null for anything else. */
export function parseHttpDate(text: string): number | null {
  for (const form of FORMS) {
    const { day = "", month = "", year = "", time = "" } = form.exec(text.trim())?.groups ?? {};
    if (time === "") continue;
    const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
    const date = `${fullYear(year)}-${monthNumber}-${day.trim().padStart(2, "0")}`;
    const epochMs = Date.parse(`${date}T${time}Z`);
    return Number.isFinite(epochMs) ? epochMs : null;
  }
  return null;
}

/** Two digits from 70 on are of the last century: a date that seems far in the future is a past one. */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  return Number(year) < 70 ? `20${year}` : `19${year}`;
}
