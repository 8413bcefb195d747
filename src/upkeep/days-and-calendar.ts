/** Checks that the newest day is served and that the calendar covers the coming days. */
import { addDays, type BeijingDate, beijingDate, startOfDay } from "../calendar/beijing.ts";
import { calendarGaps, calendarReach, servedOnClosedDays } from "../catalog/calendar-days.ts";
import { abridged, type Finding } from "./finding.ts";

/** Holidays of the next year are announced in November; this leaves time to load them. */
const CALENDAR_AHEAD_DAYS = 30;

/**
 * Checks that the newest trading day whose due time `dueMs` (milliseconds after midnight in Beijing) has passed is
 * served, and that no day is damaged.
 */
export async function checkDays(
  db: D1Database,
  { nowMs, dueMs }: { nowMs: number; dueMs: number },
): Promise<Finding[]> {
  const today = beijingDate(nowMs);
  const last = nowMs - startOfDay(today) >= dueMs ? today : addDays(today, -1);
  const [due, struck] = await db.batch<{
    day: BeijingDate | null;
    state: string | null;
    note: string | null;
  }>([
    db
      .prepare(
        `SELECT t.day, d.state, d.state_note AS note
         FROM (SELECT max(day) AS day FROM trading_days WHERE open = 1 AND day <= ?1) t
         LEFT JOIN order_days d ON d.dataset = 'orders' AND d.tradedate = t.day`,
      )
      .bind(last),
    db.prepare(
      "SELECT tradedate AS day, state, state_note AS note FROM order_days WHERE dataset = 'orders' AND state = 'damaged' ORDER BY tradedate",
    ),
  ]);
  const [newest] = due?.results ?? [];
  const findings = (struck?.results ?? []).map(({ day, note }) => damaged(day ?? "", note ?? ""));
  if (newest?.day != null && newest.state !== "available" && newest.state !== "damaged") {
    findings.push(unserved(newest.day, newest.state, newest.note ?? ""));
  }
  return findings;
}

function damaged(day: string, note: string): Finding {
  return {
    check: "days",
    level: "failed",
    subject: day,
    sentence: `${day} is damaged and not served: ${note}.`,
    advice: `Publish it again from its pack, or \`edgetape day restore ${day}\`.`,
    zh: {
      sentence: `${day} 的数据已损坏，停止提供：${note}。`,
      advice: `请用原日包重新发布，或执行 \`edgetape day restore ${day}\`。`,
    },
  };
}

function unserved(day: string, state: string | null, note: string): Finding {
  const withdrawn = state === "withdrawn";
  return {
    check: "days",
    level: withdrawn ? "warning" : "failed",
    subject: day,
    sentence: withdrawn
      ? `The newest trading day ${day} is withdrawn${note === "" ? "" : `: ${note}`}.`
      : `The newest trading day ${day} is not published.`,
    advice: withdrawn
      ? `\`edgetape day publish ${day}\` serves it again.`
      : `Look at what \`edgetape nightly\` said, or publish it.`,
    zh: withdrawn
      ? {
          sentence: `最新交易日 ${day} 已撤回${note === "" ? "" : `：${note}`}。`,
          advice: `\`edgetape day publish ${day}\` 可重新提供。`,
        }
      : {
          sentence: `最新交易日 ${day} 尚未发布。`,
          advice: "请查看 `edgetape nightly` 的输出，或手动发布。",
        },
  };
}

/**
 * Checks that the calendar has no gap between its newest trading day and today, reaches 30 days beyond today, and marks
 * no served day as closed.
 */
export async function checkCalendar(db: D1Database, nowMs: number): Promise<Finding[]> {
  const today = beijingDate(nowMs);
  const [{ missing, newestTradingDay, knownUntil, lastDay }, served] = await Promise.all([
    calendarReach(db, today),
    servedOnClosedDays(db),
  ]);
  const findings = abridged(served.map(servedWhileClosed));
  if (knownUntil !== null && knownUntil >= today && (missing !== null || newestTradingDay === null)) {
    findings.push(gapBeforeToday(missing, today));
  }
  const ended = knownUntil === null || knownUntil < today;
  // When days follow after a gap, the gap itself is reported.
  const endsSoon = lastDay !== null && lastDay < addDays(today, CALENDAR_AHEAD_DAYS);
  if (ended || endsSoon) {
    findings.push(endOfCalendar(knownUntil, today));
  }
  return findings;
}

function servedWhileClosed(day: BeijingDate): Finding {
  const mark = `\`edgetape calendar mark ${day} --as open\``;
  return {
    check: "calendar",
    level: "warning",
    subject: day,
    sentence: `${day} is served, and the calendar has it as closed: requests without a date pass it over.`,
    advice: `${mark}, or \`edgetape day withdraw ${day}\`.`,
    zh: {
      sentence: `${day} 的数据正在提供，但交易日历标记为休市：不带日期的请求会跳过这一天。`,
      advice: `请执行 ${mark}，或 \`edgetape day withdraw ${day}\`。`,
    },
  };
}

function gapBeforeToday(missing: BeijingDate | null, today: BeijingDate): Finding {
  const lacking = missing ?? today;
  const load = `\`edgetape calendar load --year ${lacking.slice(0, 4)}\``;
  const [what, whatZh] =
    missing === null
      ? ["has no trading day up to today", "没有今天及以前的交易日"]
      : [`leaves out ${missing}`, `缺少 ${missing}`];
  return {
    check: "calendar",
    level: "failed",
    subject: lacking,
    sentence: `The trading calendar ${what}: requests without a date fail.`,
    advice: `${load}.`,
    zh: { sentence: `交易日历${whatZh}：不带日期的请求会失败。`, advice: `请执行 ${load}。` },
  };
}

function endOfCalendar(until: BeijingDate | null, today: BeijingDate): Finding {
  const ended = until === null || until < today;
  const year = (until === null ? today : addDays(until, 1)).slice(0, 4);
  return {
    check: "calendar",
    level: ended ? "failed" : "warning",
    subject: until ?? "",
    sentence:
      until === null
        ? "The trading calendar is empty: requests without a date fail."
        : `The trading calendar ends on ${until}${ended ? ": requests without a date fail" : ""}.`,
    advice: `\`edgetape calendar load --year ${year}\`.`,
    zh: {
      sentence:
        until === null
          ? "交易日历是空的：不带日期的请求会失败。"
          : `交易日历只到 ${until}${ended ? "：不带日期的请求会失败" : ""}。`,
      advice: `请执行 \`edgetape calendar load --year ${year}\`。`,
    },
  };
}

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
