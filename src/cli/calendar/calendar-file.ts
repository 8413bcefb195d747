/** An operator's own list of trading days. */
import { addDays, type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import { CommandFailure } from "../exit.ts";
import type { ExchangeDay } from "./exchange-days.ts";

/**
 * The days of a list: one trading day a line as `YYYYMMDD` or `YYYY-MM-DD`, or `day,open` with 1 or 0
 * for closed days too. Blank lines and lines that begin with # are skipped, and so is a heading. Where
 * only trading days are listed, every other day from the first to the last listed one is closed.
 */
export function parseCalendarFile(text: string, name: string): ExchangeDay[] {
  const listed = new Map<BeijingDate, boolean>();
  let headingAllowed = true;
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .forEach((line, at) => {
      const [first = "", flag] = line.split(",").map((cell) => cell.trim());
      if (first === "" || first.startsWith("#")) return;
      const day = parseBeijingDate(first.replaceAll("-", ""));
      if (day === null && headingAllowed && !/\d/.test(first)) {
        headingAllowed = false;
        return;
      }
      headingAllowed = false;
      const open = flag === undefined || flag === "" ? true : ({ "1": true, "0": false } as const)[flag];
      if (day === null)
        throw new CommandFailure(`${name}:${at + 1}: this is no calendar day; expected YYYYMMDD.`);
      if (open === undefined)
        throw new CommandFailure(`${name}:${at + 1}: the second column is neither 1 (open) nor 0 (closed).`);
      if (listed.get(day) === !open)
        throw new CommandFailure(`${name}:${at + 1}: ${day} is listed as open and as closed.`);
      listed.set(day, open);
    });
  const days = [...listed.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new CommandFailure(`${name} lists no day.`);
  const closedAreListed = [...listed.values()].includes(false);
  if (closedAreListed) return days.map((day) => ({ day, open: listed.get(day) ?? false }));
  const filled: ExchangeDay[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) filled.push({ day, open: listed.has(day) });
  return filled;
}
