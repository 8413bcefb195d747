/** The day that a name in a drop folder contains. */
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";

/** The one day that `name` contains as YYYYMMDD or YYYY-MM-DD; null when there is none or several. */
export function dayOfName(name: string): BeijingDate | null {
  const digits = name.match(/(?<!\d)(\d{8}|\d{4}-\d{2}-\d{2})(?!\d)/g) ?? [];
  const days = new Set(digits.flatMap((text) => parseBeijingDate(text.replaceAll("-", "")) ?? []));
  const [day, ...others] = days;
  return day === undefined || others.length > 0 ? null : day;
}
