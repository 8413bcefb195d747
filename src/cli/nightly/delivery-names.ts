/** What the names in a drop folder say: which day, what for, and whether a transfer is still under way. */
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";

/** Endings that transfer programs give to what is not whole yet. */
const UNDER_WAY = /\.(part|partial|tmp|temp|filepart|crdownload|download|aria2|!ut|swp|lftp-pget-status)$/i;

/** What the pack builder reads. Sums, notes and lists beside a delivery are nobody's orders. */
const ORDERS = /\.(zip|7z|csv|txt|parquet)$/i;

/** The one day that `name` contains as YYYYMMDD or YYYY-MM-DD; null when there is none or several. */
export function dayOfName(name: string): BeijingDate | null {
  const digits = name.match(/(?<!\d)(\d{8}|\d{4}-\d{2}-\d{2})(?!\d)/g) ?? [];
  const days = new Set(digits.flatMap((text) => parseBeijingDate(text.replaceAll("-", "")) ?? []));
  const [day, ...others] = days;
  return day === undefined || others.length > 0 ? null : day;
}

/** Whether the name says that this is not whole yet; rsync and others write to names with a dot in front. */
export function isUnderWay(name: string): boolean {
  return name.startsWith(".") || UNDER_WAY.test(name);
}

/** Whether a file of this name can hold orders. */
export function isOrderName(name: string): boolean {
  return ORDERS.test(name);
}
