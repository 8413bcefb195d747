/** Finds days missing from the calendar between others; each can be a trading day. */
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { calendarGaps } from "../catalog/self-report.ts";
import { abridged, type Finding } from "./finding.ts";

/** A gap after the newest trading day makes requests without a date fail; older gaps are harmless. */
const LOOKED_BACK_DAYS = 30;

/** Returns every gap of the calendar that ends after `since`, or every gap when it is null. */
export async function checkGaps(db: D1Database, since: BeijingDate | null): Promise<Finding[]> {
  const gaps = await calendarGaps(db);
  return abridged(gaps.filter(({ before }) => since === null || before > since).map(gapFinding));
}

/** Returns the gaps that affect requests at `nowMs` or later. */
export function checkGapsAhead(db: D1Database, nowMs: number): Promise<Finding[]> {
  return checkGaps(db, addDays(beijingDate(nowMs), -LOOKED_BACK_DAYS));
}

function gapFinding({ after, before }: { after: BeijingDate; before: BeijingDate }): Finding {
  const first = addDays(after, 1);
  const last = addDays(before, -1);
  const [days, daysZh] = first === last ? [first, first] : [`${first} to ${last}`, `${first} 至 ${last}`];
  const load = `\`edgetape calendar load --year ${first.slice(0, 4)}\``;
  return {
    check: "calendar",
    level: "warning",
    subject: first,
    sentence: `The calendar leaves out ${days}.`,
    advice: `${load}.`,
    zh: { sentence: `交易日历缺少 ${daysZh}。`, advice: `请执行 ${load}。` },
  };
}
