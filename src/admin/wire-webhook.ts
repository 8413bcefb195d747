/**
 * Notices to the operator's webhook: plain JSON for programs, and text messages for the chat robots of WeCom,
 * DingTalk and Feishu. The worker's scheduled task and the command send the same ones.
 */
import { beijingTimestamp } from "../calendar/beijing.ts";

export const WEBHOOK_KINDS = ["plain", "wecom", "dingtalk", "feishu"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export interface Webhook {
  /** Opens the chat to whoever has it, so it is never shown. */
  url: string;
  kind: WebhookKind;
  /** The robot's signing secret; null when it wants none. WeCom's robots know no signature. */
  secret: string | null;
}

export interface Notice {
  /** What happened, for programs: `nightly.published`, `scheduled.findings`. */
  event: string;
  level: "ok" | "warning" | "failed";
  /** One line that says it all. */
  title: string;
  lines: string[];
  /** The same as values, in the plain form only. */
  facts: Record<string, unknown>;
}

/** Hosts of the robots, so that nobody has to say which kind an address is of. */
const KIND_BY_HOST: Record<string, WebhookKind> = {
  "qyapi.weixin.qq.com": "wecom",
  "oapi.dingtalk.com": "dingtalk",
  "open.feishu.cn": "feishu",
  "open.larksuite.com": "feishu",
};

/** Bytes of text a robot takes; WeCom's limit is 2,048, the others' are counted with the whole body. */
const TEXT_BYTES: Record<Exclude<WebhookKind, "plain">, number> = {
  wecom: 2_048,
  dingtalk: 16_000,
  feishu: 16_000,
};

const encoder = new TextEncoder();

/** The kind of robot that answers at `url`; `plain` for any host that is no robot's. */
export function webhookKindOf(url: string): WebhookKind {
  return KIND_BY_HOST[URL.parse(url)?.hostname ?? ""] ?? "plain";
}

/** Where and what to post for `notice`; signed where the robot has a secret. */
export async function webhookRequest(
  { url, kind, secret }: Webhook,
  notice: Notice,
  nowMs: number,
): Promise<{ url: string; body: string }> {
  if (kind === "plain") {
    const body = JSON.stringify({ source: "edgetape", at: beijingTimestamp(nowMs), ...notice });
    return { url, body };
  }
  const text = textOf(notice, TEXT_BYTES[kind]);
  switch (kind) {
    case "wecom":
      return { url, body: JSON.stringify({ msgtype: "text", text: { content: text } }) };
    case "dingtalk": {
      const body = JSON.stringify({ msgtype: "text", text: { content: text } });
      if (secret === null) return { url, body };
      const signed = new URL(url);
      signed.searchParams.set("timestamp", String(nowMs));
      signed.searchParams.set("sign", await hmacBase64(secret, `${nowMs}\n${secret}`));
      return { url: signed.href, body };
    }
    case "feishu": {
      const message = { msg_type: "text", content: { text } };
      if (secret === null) return { url, body: JSON.stringify(message) };
      // Seconds here, and the signed text is the key of an empty message.
      const timestamp = String(Math.floor(nowMs / 1000));
      const sign = await hmacBase64(`${timestamp}\n${secret}`, "");
      return { url, body: JSON.stringify({ timestamp, sign, ...message }) };
    }
  }
}

/** Why the receiver did not take a notice, as a clause, or null: robots answer 200 and say it in the body. */
export function webhookProblem(kind: WebhookKind, status: number, text: string): string | null {
  if (status < 200 || status > 299) return `it answered HTTP ${status}`;
  if (kind === "plain") return null;
  const { errcode, code, errmsg, msg } = objectOf(text);
  const refused = errcode ?? code;
  if (refused === 0) return null;
  if (refused === undefined) return "its answer is none of the robot's";
  return `it answered ${refused}: ${String(errmsg ?? msg ?? "").slice(0, 200)}`;
}

/** "edgetape" stands first, so that it can be the keyword that DingTalk's robots may ask for. */
function textOf({ level, title, lines }: Notice, maxBytes: number): string {
  const word = { ok: "OK", warning: "WARNING", failed: "FAILED" }[level];
  return cutTo(maxBytes, [`edgetape ${word}: ${title}`, ...lines].join("\n"));
}

/** `text` within `maxBytes` bytes of UTF-8, with an ellipsis where it was cut. */
function cutTo(maxBytes: number, text: string): string {
  if (encoder.encode(text).length <= maxBytes) return text;
  const kept = new Uint8Array(maxBytes - 3);
  const { read } = encoder.encodeInto(text, kept);
  return `${text.slice(0, read)}…`;
}

async function hmacBase64(key: string, message: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(message)));
  return btoa(String.fromCharCode(...mac));
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
