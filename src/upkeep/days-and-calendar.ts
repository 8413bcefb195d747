/** Checks that the newest day is served and that the calendar covers the coming days. */
import { addDays, type BeijingDate, beijingDate, startOfDay } from "../calendar/beijing.ts";
import { calendarGaps, calendarReach, servedOnClosedDays } from "../catalog/calendar-days.ts";
import { datasetFlag, dayName } from "../datasets/day-name.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { abridged, type Finding } from "./finding.ts";

/** How many days the calendar must extend beyond today. The next year's holidays are announced in November. */
const CALENDAR_AHEAD_DAYS = 30;

interface Row {
  dataset: DatasetName;
  day: BeijingDate;
  state: string | null;
  note: string | null;
}

/**
 * Checks that no day is damaged, and that the newest due trading day is served with every dataset that other days have.
 * A trading day is due `dueMs` milliseconds after its start in Beijing.
 */
export async function checkDays(
  db: D1Database,
  { nowMs, dueMs }: { nowMs: number; dueMs: number },
): Promise<Finding[]> {
  const today = beijingDate(nowMs);
  const last = nowMs - startOfDay(today) >= dueMs ? today : addDays(today, -1);
  const [due, struck] = await db.batch<Row>([
    db
      .prepare(
        `SELECT n.dataset, t.day, d.state, d.state_note AS note
         FROM (SELECT max(day) AS day FROM trading_days WHERE open = 1 AND day <= ?1) t
         JOIN (SELECT DISTINCT dataset FROM order_days
               UNION SELECT 'orders' WHERE NOT EXISTS (SELECT 1 FROM order_days)) n
         LEFT JOIN order_days d ON d.dataset = n.dataset AND d.tradedate = t.day
         WHERE t.day IS NOT NULL ORDER BY n.dataset`,
      )
      .bind(last),
    db.prepare(
      "SELECT dataset, tradedate AS day, state, state_note AS note FROM order_days WHERE state = 'damaged' ORDER BY tradedate, dataset",
    ),
  ]);
  const findings = (struck?.results ?? []).map(damaged);
  const rows = due?.results ?? [];
  const isEmpty = rows.every(({ state }) => state === null);
  for (const row of rows) {
    if (row.state === "available" || row.state === "damaged") continue;
    const isWhole = row.state === null && (isEmpty || row.dataset === "orders");
    findings.push(unserved(row, isWhole));
    // The whole day counts as missing, so its other datasets are not reported separately.
    if (isWhole) break;
  }
  return findings;
}

function damaged({ dataset, day, note }: Row): Finding {
  const called = dayName(day, dataset);
  const restore = `\`edgetape day restore ${day}${datasetFlag(dataset)}\``;
  return {
    check: "days",
    level: "failed",
    subject: called,
    sentence: `${called} is damaged and not served: ${note ?? ""}.`,
    advice: `Publish it again from its pack, or run ${restore}.`,
    zh: {
      sentence: `${called} 的数据已损坏，停止提供：${note ?? ""}。`,
      advice: `请用原日包重新发布，或执行 ${restore}。`,
    },
  };
}

/**
 * Returns the finding that the dataset is withdrawn or not published for the newest trading day. `isWhole`: the whole
 * day counts as missing, because it has no orders or no data at all.
 */
function unserved({ dataset, day, state, note }: Row, isWhole: boolean): Finding {
  const withdrawn = state === "withdrawn";
  const called = dayName(day, dataset);
  const why = withdrawn && note !== null && note !== "" ? note : null;
  const publish = `\`edgetape day publish ${day}${datasetFlag(dataset)}\``;
  const others =
    dataset === "orders"
      ? { zh: "", en: "" }
      : { zh: "，而其他交易日有这类数据", en: ", although other days have this dataset" };
  return {
    check: "days",
    level: isWhole ? "failed" : "warning",
    subject: called,
    sentence: withdrawn
      ? `The newest trading day ${called} is withdrawn${why === null ? "" : `: ${why}`}.`
      : `The newest trading day ${called} is not published${others.en}.`,
    advice: withdrawn
      ? `To serve it again, run ${publish}.`
      : "Read the output of `edgetape nightly`, or publish the day yourself.",
    zh: withdrawn
      ? {
          sentence: `最新交易日 ${called} 已撤回${why === null ? "" : `：${why}`}。`,
          advice: `${publish} 可重新提供。`,
        }
      : {
          sentence: `最新交易日 ${called} 尚未发布${others.zh}。`,
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
  // If the calendar continues after a gap, `lastDay` lies after the gap, and the gap is reported instead.
  const endsSoon = lastDay !== null && lastDay < addDays(today, CALENDAR_AHEAD_DAYS);
  if (ended || endsSoon) {
    findings.push(endOfCalendar(knownUntil, today));
  }
  return findings;
}

function servedWhileClosed({ dataset, day }: Pick<Row, "dataset" | "day">): Finding {
  const called = dayName(day, dataset);
  const mark = `\`edgetape calendar mark ${day} --as open\``;
  const withdraw = `\`edgetape day withdraw ${day}${datasetFlag(dataset)}\``;
  return {
    check: "calendar",
    level: "warning",
    subject: called,
    sentence: `${called} is served, but the calendar marks the day as closed: requests without a date skip it.`,
    advice: `Run ${mark} or ${withdraw}.`,
    zh: {
      sentence: `${called} 的数据正在提供，但交易日历标记为休市：不带日期的请求会跳过这一天。`,
      advice: `请执行 ${mark}，或 ${withdraw}。`,
    },
  };
}

function gapBeforeToday(missing: BeijingDate | null, today: BeijingDate): Finding {
  const lacking = missing ?? today;
  const load = `\`edgetape calendar load --year ${lacking.slice(0, 4)}\``;
  const [what, whatZh] =
    missing === null
      ? ["has no trading day up to today", "没有今天及以前的交易日"]
      : [`lacks ${missing}`, `缺少 ${missing}`];
  return {
    check: "calendar",
    level: "failed",
    subject: lacking,
    sentence: `The trading calendar ${what}: requests without a date fail.`,
    advice: `Run ${load}.`,
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
    advice: `Run \`edgetape calendar load --year ${year}\`.`,
    zh: {
      sentence:
        until === null
          ? "交易日历是空的：不带日期的请求会失败。"
          : `交易日历只到 ${until}${ended ? "：不带日期的请求会失败" : ""}。`,
      advice: `请执行 \`edgetape calendar load --year ${year}\`。`,
    },
  };
}

/**
 * How many days scheduled checks look back. They ignore older gaps, because only a gap after the newest trading day
 * makes requests without a date fail.
 */
const LOOKED_BACK_DAYS = 30;

/** Returns a finding for each gap in the calendar that ends after `since`; for every gap when `since` is null. */
export async function checkGaps(db: D1Database, since: BeijingDate | null): Promise<Finding[]> {
  const gaps = await calendarGaps(db);
  return abridged(gaps.filter(({ before }) => since === null || before > since).map(gapFinding));
}

/** Returns a finding for each gap in the calendar that can affect requests at `nowMs` or later. */
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
    sentence: `The calendar lacks ${days}.`,
    advice: `Run ${load}.`,
    zh: { sentence: `交易日历缺少 ${daysZh}。`, advice: `请执行 ${load}。` },
  };
}
