/** Checks that the newest day is served and that the calendar covers the coming days. */
import { addDays, type BeijingDate, beijingDate, startOfDay } from "../calendar/beijing.ts";
import { calendarGaps, calendarReach, servedOnClosedDays } from "../catalog/calendar-days.ts";
import { sql } from "../catalog/sql.ts";
import { datasetFlag, dayName } from "../datasets/day-name.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { abridged, type Finding, finding } from "./finding.ts";

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
    sql(db)`
      SELECT n.dataset, t.day, d.state, d.state_note AS note
      FROM (SELECT max(day) AS day FROM trading_days WHERE open = 1 AND day <= ${last}) t
      JOIN (SELECT DISTINCT dataset FROM order_days
            UNION SELECT 'orders' WHERE NOT EXISTS (SELECT 1 FROM order_days)) n
      LEFT JOIN order_days d ON d.dataset = n.dataset AND d.tradedate = t.day
      WHERE t.day IS NOT NULL ORDER BY n.dataset`,
    sql(db)`
      SELECT dataset, tradedate AS day, state, state_note AS note FROM order_days
      WHERE state = 'damaged' ORDER BY tradedate, dataset`,
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
  return finding("days", "failed", called, {
    en: [
      `${called} is damaged and not served: ${note ?? ""}.`,
      `Publish it again from its pack, or run ${restore}.`,
    ],
    zh: [`${called} 的数据已损坏，停止提供：${note ?? ""}。`, `请用原日包重新发布，或执行 ${restore}。`],
  });
}

/**
 * Returns the finding that the dataset is withdrawn or not published for the newest trading day. `isWhole`: the whole
 * day counts as missing, because it has no orders or no data at all.
 */
function unserved({ dataset, day, state, note }: Row, isWhole: boolean): Finding {
  const level = isWhole ? "failed" : "warning";
  const called = dayName(day, dataset);
  if (state === "withdrawn") {
    const [why, whyZh] = note ? [`: ${note}`, `：${note}`] : ["", ""];
    const publish = `\`edgetape day publish ${day}${datasetFlag(dataset)}\``;
    return finding("days", level, called, {
      en: [`The newest trading day ${called} is withdrawn${why}.`, `To serve it again, run ${publish}.`],
      zh: [`最新交易日 ${called} 已撤回${whyZh}。`, `${publish} 可重新提供。`],
    });
  }
  const [others, othersZh] =
    dataset === "orders" ? ["", ""] : [", although other days have this dataset", "，而其他交易日有这类数据"];
  return finding("days", level, called, {
    en: [
      `The newest trading day ${called} is not published${others}.`,
      "Read the output of `edgetape nightly`, or publish the day yourself.",
    ],
    zh: [`最新交易日 ${called} 尚未发布${othersZh}。`, "请查看 `edgetape nightly` 的输出，或手动发布。"],
  });
}

/**
 * Checks that the calendar has no gap between its newest trading day and today, reaches 30 days beyond today, and marks
 * no served day as closed. Also returns a finding for each gap that ends after `since`; for every gap when `since` is
 * null.
 */
export async function checkCalendar(
  db: D1Database,
  nowMs: number,
  since: BeijingDate | null,
): Promise<Finding[]> {
  const today = beijingDate(nowMs);
  const [{ missing, newestTradingDay, knownUntil, lastDay }, served, gaps] = await Promise.all([
    calendarReach(db, today),
    servedOnClosedDays(db),
    calendarGaps(db),
  ]);
  const findings = abridged(served.map(servedWhileClosed));
  if (knownUntil !== null && knownUntil >= today && (missing !== null || newestTradingDay === null)) {
    findings.push(gapBeforeToday(missing, today));
  }
  const ended = knownUntil === null || knownUntil < today;
  // If the calendar continues after a gap, `lastDay` lies after the gap, and the gap is reported instead.
  const endsSoon = lastDay !== null && lastDay < addDays(today, CALENDAR_AHEAD_DAYS);
  if (ended || endsSoon) findings.push(endOfCalendar(knownUntil, today));
  const reported = gaps.filter(({ before }) => since === null || before > since);
  return [...findings, ...abridged(reported.map(gapFinding))];
}

function servedWhileClosed({ dataset, day }: Pick<Row, "dataset" | "day">): Finding {
  const called = dayName(day, dataset);
  const mark = `\`edgetape calendar mark ${day} --as open\``;
  const withdraw = `\`edgetape day withdraw ${day}${datasetFlag(dataset)}\``;
  return finding("calendar", "warning", called, {
    en: [
      `${called} is served, but the calendar marks the day as closed: requests without a date skip it.`,
      `Run ${mark} or ${withdraw}.`,
    ],
    zh: [
      `${called} 的数据正在提供，但交易日历标记为休市：不带日期的请求会跳过这一天。`,
      `请执行 ${mark}，或 ${withdraw}。`,
    ],
  });
}

/** What happens when the calendar does not determine the newest trading day, in English and Chinese. */
const FAILING = [": requests without a date fail", "：不带日期的请求会失败"];

/** Returns the advice to load the calendar of the year of `day`, in English and Chinese. */
function loading(day: BeijingDate): [en: string, zh: string] {
  const load = `\`edgetape calendar load --year ${day.slice(0, 4)}\``;
  return [`Run ${load}.`, `请执行 ${load}。`];
}

function gapBeforeToday(missing: BeijingDate | null, today: BeijingDate): Finding {
  const lacking = missing ?? today;
  const [load, loadZh] = loading(lacking);
  const [what, whatZh] =
    missing === null
      ? ["has no trading day up to today", "没有今天及以前的交易日"]
      : [`lacks ${missing}`, `缺少 ${missing}`];
  return finding("calendar", "failed", lacking, {
    en: [`The trading calendar ${what}${FAILING[0]}.`, load],
    zh: [`交易日历${whatZh}${FAILING[1]}。`, loadZh],
  });
}

function endOfCalendar(until: BeijingDate | null, today: BeijingDate): Finding {
  const ended = until === null || until < today;
  const [load, loadZh] = loading(until === null ? today : addDays(until, 1));
  const [what, whatZh] = until === null ? ["is empty", "是空的"] : [`ends on ${until}`, `只到 ${until}`];
  const [fails, failsZh] = ended ? FAILING : ["", ""];
  return finding("calendar", ended ? "failed" : "warning", until ?? "", {
    en: [`The trading calendar ${what}${fails}.`, load],
    zh: [`交易日历${whatZh}${failsZh}。`, loadZh],
  });
}

function gapFinding({ after, before }: { after: BeijingDate; before: BeijingDate }): Finding {
  const first = addDays(after, 1);
  const last = addDays(before, -1);
  const [days, daysZh] = first === last ? [first, first] : [`${first} to ${last}`, `${first} 至 ${last}`];
  const [load, loadZh] = loading(first);
  return finding("calendar", "warning", first, {
    en: [`The calendar lacks ${days}.`, load],
    zh: [`交易日历缺少 ${daysZh}。`, loadZh],
  });
}
