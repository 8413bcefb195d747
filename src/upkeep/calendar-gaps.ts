/** Days that the calendar leaves out between others: each may be a trading day. */
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { calendarGaps } from "../catalog/self-report.ts";
import { abridged, type Finding } from "./finding.ts";

/** Requests without a date stumble over a gap behind the newest trading day; older ones do no harm any more. */
const LOOKED_BACK_DAYS = 30;

/** Every gap of the calendar that ends after `since`, or every one at all. */
export async function checkGaps(db: D1Database, since: BeijingDate | null): Promise<Finding[]> {
  const gaps = await calendarGaps(db);
  return abridged(gaps.filter(({ before }) => since === null || before > since).map(gapFinding));
}

/** The gaps that matter at `nowMs` or will. */
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
