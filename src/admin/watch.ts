/** Runs the scheduled task, writes its findings to the log and sends them to the operator's webhook. */

import type { Bilingual } from "../base/language.ts";
import { type Notice, sendNotice, type Webhook, webhookKindOf } from "../base/webhook.ts";
import { newestChangeMs } from "../catalog/day-changes.ts";
import { announcedUntilMs, type Env, nowMs, type Settings, settingsOf } from "../env.ts";
import type { Finding } from "../upkeep/finding.ts";
import { runScheduled } from "../upkeep/upkeep.ts";
import type { ScheduledRun } from "./wire.ts";

/**
 * Runs the scheduled task and logs its findings. With `tell`, also sends them to the webhook, except completed repairs.
 * Before sending, waits until the newest change of a day is announced to customers (contract 9).
 */
export async function watch(env: Env, { tell }: { tell: boolean }): Promise<ScheduledRun> {
  const settings = settingsOf(env);
  const findings = await runScheduled({
    db: env.DB,
    bucket: env.PACKS,
    nowMs: nowMs(settings),
    dueMs: dueMsOf(settings),
  });
  for (const finding of findings) {
    const line = JSON.stringify({ event: "scheduled_finding", ...finding });
    if (finding.level === "failed") console.error(line);
    else console.log(line);
  }
  const told = tell ? await toldOf(env.DB, settings, findings) : null;
  console.log(JSON.stringify({ event: "scheduled", findings: findings.length, told }));
  return { findings, told };
}

/** Returns whether the webhook accepted the findings; null without findings or without a webhook. */
async function toldOf(db: D1Database, settings: Settings, findings: Finding[]): Promise<boolean | null> {
  const wrong = findings.filter(({ level }) => level !== "done");
  const webhook = webhookOf(settings);
  if (wrong.length === 0 || webhook === null) return null;
  const newestMs = (await newestChangeMs(db)) ?? 0;
  const waitMs = newestMs - announcedUntilMs(settings, nowMs(settings));
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  const problem = await sendNotice(webhook, noticeOf(wrong), { nowMs: () => nowMs(settings) });
  if (problem !== null) console.error(JSON.stringify({ event: "webhook_not_told", problem }));
  return problem === null;
}

function webhookOf(settings: Settings): Webhook | null {
  const { WEBHOOK_URL: url, WEBHOOK_KIND, WEBHOOK_SECRET, WEBHOOK_LANGUAGE: language } = settings;
  if (url === undefined) return null;
  return { url, kind: WEBHOOK_KIND ?? webhookKindOf(url), secret: WEBHOOK_SECRET ?? null, language };
}

function noticeOf(findings: Finding[]): Notice {
  const [first] = findings;
  const title =
    first !== undefined && findings.length === 1
      ? { zh: first.zh?.sentence ?? first.sentence, en: first.sentence }
      : {
          zh: `服务有 ${findings.length} 项问题需要处理`,
          en: `the service needs attention: ${findings.length} findings`,
        };
  const level = findings.some((each) => each.level === "failed") ? "failed" : "warning";
  return { event: "scheduled.findings", level, title, lines: findings.map(toldAs), facts: { findings } };
}

function toldAs({ sentence, advice, zh }: Finding): Bilingual {
  const en = `${sentence} ${advice}`;
  return { zh: zh === undefined ? en : zh.sentence + zh.advice, en };
}

/** Returns the due time of a trading day, in milliseconds after midnight in Beijing. */
export function dueMsOf({ DAY_DUE }: Settings): number {
  const [hours = 0, minutes = 0] = DAY_DUE.split(":").map(Number);
  return (hours * 60 + minutes) * 60_000;
}
