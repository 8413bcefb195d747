/**
 * Sends notices to the operator's webhook: plain JSON for programs, and text messages for the chat robots of WeCom,
 * DingTalk and Feishu, in Chinese, English or both. The worker's scheduled task and the `edgetape` command send the
 * same notices.
 */
import { createHmac } from "node:crypto";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { parsedJson } from "./json.ts";
import type { Bilingual } from "./language.ts";

export const WEBHOOK_KINDS = ["plain", "wecom", "dingtalk", "feishu"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export const WEBHOOK_LANGUAGES = ["both", "zh", "en"] as const;
/** The language of the messages to chat robots. */
export type WebhookLanguage = (typeof WEBHOOK_LANGUAGES)[number];

export interface Webhook {
  /** A secret, never shown: anyone who has the URL can post. */
  url: string;
  kind: WebhookKind;
  /** The robot's signing secret; null when the robot needs none. WeCom's robots have no signature. */
  secret: string | null;
  /** The language of messages to chat robots. The plain form has both languages in separate properties. */
  language: WebhookLanguage;
}

export interface Notice {
  /** The kind of event, for programs: `nightly.published`, `scheduled.findings`. */
  event: string;
  level: "ok" | "warning" | "failed";
  /** A one-line summary. */
  title: Bilingual;
  lines: Bilingual[];
  /** The facts of the notice as values. Only the plain form contains them. */
  facts: Record<string, unknown>;
}

/** The hosts of the chat robots, which determine the kind of a webhook. */
const KIND_BY_HOST: Record<string, WebhookKind> = {
  "qyapi.weixin.qq.com": "wecom",
  "oapi.dingtalk.com": "dingtalk",
  "open.feishu.cn": "feishu",
  "open.larksuite.com": "feishu",
};

/** The maximum length of the text in bytes. WeCom limits the text itself; the other robots limit the whole body. */
const TEXT_BYTES: Record<Exclude<WebhookKind, "plain">, number> = {
  wecom: 2_048,
  dingtalk: 16_000,
  feishu: 16_000,
};

const encoder = new TextEncoder();

/** Returns the kind of robot at `url`; `plain` for any other host. */
export function webhookKindOf(url: string): WebhookKind {
  return KIND_BY_HOST[URL.parse(url)?.hostname ?? ""] ?? "plain";
}

/** Returns the request that posts `notice`. The request is signed if the robot has a secret. */
export function webhookRequest(
  { url, kind, secret, language }: Webhook,
  notice: Notice,
  nowMs: number,
): { url: string; body: string } {
  if (kind === "plain") return { url, body: plainOf(notice, nowMs) };
  const text = cutTo(TEXT_BYTES[kind], linesOf(notice, language).join("\n"));
  const message =
    kind === "feishu"
      ? { msg_type: "text", content: { text } }
      : { msgtype: "text", text: { content: text } };
  if (secret === null || kind === "wecom") return { url, body: JSON.stringify(message) };
  if (kind === "dingtalk") {
    const signed = new URL(url);
    signed.searchParams.set("timestamp", String(nowMs));
    signed.searchParams.set("sign", hmacBase64(secret, `${nowMs}\n${secret}`));
    return { url: signed.href, body: JSON.stringify(message) };
  }
  // The timestamp is in seconds. Feishu's signature is the HMAC of an empty message. The HMAC key is timestamp,
  // newline, secret.
  const timestamp = String(Math.floor(nowMs / 1000));
  const sign = hmacBase64(`${timestamp}\n${secret}`, "");
  return { url, body: JSON.stringify({ timestamp, sign, ...message }) };
}

/**
 * Returns why the receiver refused a notice, as a clause for a message; null when it was accepted. Robots answer 200
 * and report errors in the body.
 */
export function webhookProblem(kind: WebhookKind, status: number, text: string): string | null {
  if (status < 200 || status > 299) return `it answered HTTP ${status}`;
  if (kind === "plain") return null;
  const { errcode, code, errmsg, msg } = objectOf(text);
  const refused = errcode ?? code;
  if (refused === 0) return null;
  if (refused === undefined)
    return `it answered HTTP ${status} with a body that is not the answer of a ${kind} robot`;
  return `it answered HTTP ${status} and refused with ${refused}: ${String(errmsg ?? msg ?? "").slice(0, 200)}`;
}

/** Returns the plain form. `title` and `lines` are always in English, because programs read them. */
function plainOf({ event, level, title, lines, facts }: Notice, nowMs: number): string {
  const zh = { title: title.zh, lines: lines.map((line) => line.zh) };
  const en = { title: title.en, lines: lines.map((line) => line.en) };
  return JSON.stringify({ source: "edgetape", at: beijingTimestamp(nowMs), event, level, ...en, zh, facts });
}

const LEVEL_TEXTS: Record<Notice["level"], Bilingual> = {
  ok: { zh: "正常", en: "OK" },
  warning: { zh: "注意", en: "WARNING" },
  failed: { zh: "失败", en: "FAILED" },
};

/**
 * Returns the lines of a text message. "edgetape" comes first, so that it can serve as the keyword that DingTalk's
 * robots may require. The titles in both languages come before all details, because a text that is too long is cut at
 * its end.
 */
function linesOf({ level, title, lines }: Notice, language: WebhookLanguage): string[] {
  const word = LEVEL_TEXTS[level];
  if (language === "both") {
    const both = [title, ...lines].flatMap(({ zh, en }) => (zh === en ? [zh] : [zh, en]));
    return [`edgetape ${word.zh} ${word.en}`, ...both];
  }
  const colon = language === "zh" ? "：" : ": ";
  return [`edgetape ${word[language]}${colon}${title[language]}`, ...lines.map((line) => line[language])];
}

/** Cuts `text` to at most `maxBytes` bytes of UTF-8. A text that was cut ends with an ellipsis. */
function cutTo(maxBytes: number, text: string): string {
  if (encoder.encode(text).length <= maxBytes) return text;
  const kept = new Uint8Array(maxBytes - 3);
  const { read } = encoder.encodeInto(text, kept);
  return `${text.slice(0, read)}…`;
}

function hmacBase64(key: string, message: string): string {
  return createHmac("sha256", key).update(message).digest("base64");
}

function objectOf(text: string): Record<string, unknown> {
  const value = parsedJson(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const PATIENCE_MS = 10_000;
/** Pauses before the second and the third attempt. */
const RETRY_WAITS_MS = [1_000, 5_000];

export interface Sending {
  fetch?: typeof fetch;
  nowMs?: () => number;
  wait?: (ms: number) => Promise<void>;
}

/**
 * Posts `notice`. Returns null when the receiver accepts it. Otherwise returns the reason, as a clause that never
 * contains the URL. Never throws.
 */
export async function sendNotice(
  webhook: Webhook,
  notice: Notice,
  {
    fetch: fetchWith = fetch,
    nowMs = Date.now,
    wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }: Sending = {},
): Promise<string | null> {
  for (let attempt = 0; ; attempt++) {
    const problem = await post(webhook, notice, fetchWith, nowMs());
    const waitMs = RETRY_WAITS_MS[attempt];
    if (problem === null || waitMs === undefined) return problem;
    await wait(waitMs);
  }
}

async function post(
  webhook: Webhook,
  notice: Notice,
  fetchWith: typeof fetch,
  nowMs: number,
): Promise<string | null> {
  try {
    const { url, body } = webhookRequest(webhook, notice, nowMs);
    const answer = await fetchWith(url, {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8", "User-Agent": "edgetape" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return webhookProblem(webhook.kind, answer.status, await answer.text());
  } catch (error) {
    // The error's own message may contain the URL, and with it the robot's key.
    const late = error instanceof Error && error.name === "TimeoutError";
    if (late) return `it did not answer within ${PATIENCE_MS / 1000} s`;
    const code = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
    return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
  }
}
