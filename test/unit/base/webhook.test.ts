import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type Notice,
  sendNotice,
  type WebhookKind,
  type WebhookLanguage,
  webhookKindOf,
  webhookProblem,
  webhookRequest,
} from "../../../src/admin/wire.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";

const NOW_MS = Date.parse("2026-03-12T20:31:07.123+08:00");
const notice: Notice = {
  event: "nightly.published",
  level: "ok",
  title: { zh: "20260312 已发布，第 1 版", en: "20260312 is served as revision 1" },
  lines: [
    { zh: "证券 5,300 只", en: "5,300 securities" },
    { zh: "20260312.zip", en: "20260312.zip" },
  ],
  facts: { tradedate: "20260312", revision: 1 },
};
const TEXT = [
  "edgetape 正常 OK",
  "20260312 已发布，第 1 版",
  "20260312 is served as revision 1",
  "证券 5,300 只",
  "5,300 securities",
  "20260312.zip",
].join("\n");

const request = (
  kind: WebhookKind,
  secret: string | null = null,
  said = notice,
  language: WebhookLanguage = "both",
) => {
  const webhook = { url: "https://h.example/r?t=1", kind, secret, language };
  const { url, body } = webhookRequest(webhook, said, NOW_MS);
  return { url, body: JSON.parse(body) as Record<string, unknown>, bytes: Buffer.byteLength(body) };
};

describe("a webhook notice", () => {
  it("for a program is JSON in English and Chinese, regardless of the language setting", async () => {
    for (const language of ["both", "zh", "en"] as const) {
      expect(request("plain", null, notice, language)).toMatchObject({
        url: "https://h.example/r?t=1",
        body: {
          source: "edgetape",
          at: "2026-03-12T20:31:07+08:00",
          event: "nightly.published",
          level: "ok",
          title: "20260312 is served as revision 1",
          lines: ["5,300 securities", "20260312.zip"],
          zh: { title: "20260312 已发布，第 1 版", lines: ["证券 5,300 只", "20260312.zip"] },
          facts: notice.facts,
        },
      });
    }
  });

  it("for a chat robot is a text message that begins with the keyword edgetape", async () => {
    expect(request("wecom").body).toEqual({ msgtype: "text", text: { content: TEXT } });
    expect(request("dingtalk").body).toEqual({ msgtype: "text", text: { content: TEXT } });
    expect(request("feishu").body).toEqual({ msg_type: "text", content: { text: TEXT } });
  });

  it("is in one language when the operator chose one", async () => {
    const text = async (language: WebhookLanguage) =>
      request("wecom", null, notice, language).body.text as { content: string };
    expect((await text("zh")).content).toBe(
      "edgetape 正常：20260312 已发布，第 1 版\n证券 5,300 只\n20260312.zip",
    );
    expect((await text("en")).content).toBe(
      "edgetape OK: 20260312 is served as revision 1\n5,300 securities\n20260312.zip",
    );
  });

  it("for DingTalk is signed in the URL, with a timestamp in milliseconds", async () => {
    const url = new URL(request("dingtalk", "SEC1").url);
    const sign = createHmac("sha256", "SEC1").update(`${NOW_MS}\nSEC1`).digest("base64");
    expect(Object.fromEntries(url.searchParams)).toEqual({ t: "1", timestamp: String(NOW_MS), sign });
    expect(url.search).not.toMatch(/sign=[^&]*[+/=]/);
  });

  it("for Feishu is signed in the body, with the timestamp in seconds and the secret as the HMAC key", async () => {
    const seconds = String(Math.floor(NOW_MS / 1000));
    const sign = createHmac("sha256", `${seconds}\nSEC2`).update("").digest("base64");
    const { url, body } = request("feishu", "SEC2");
    expect(url).toBe("https://h.example/r?t=1");
    expect(body).toEqual({ timestamp: seconds, sign, msg_type: "text", content: { text: TEXT } });
  });

  it("is cut at the robot's size limit, between two characters", async () => {
    const text = { zh: "逐笔委托😀".repeat(2_000), en: "order records ".repeat(2_000) };
    const long = { ...notice, lines: [text, text] };
    const { body } = request("wecom", null, long);
    const { content } = body.text as { content: string };
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_048);
    expect(Buffer.byteLength(content)).toBeGreaterThan(2_040);
    expect(content).toMatch(/…$/);
    // The titles in both languages are kept when the text is cut.
    expect(content).toContain(`${notice.title.zh}\n${notice.title.en}\n`);
    expect(content.isWellFormed()).toBe(true);
    expect(request("feishu", null, long).bytes).toBeLessThan(20_000);
    expect(request("dingtalk", null, long).bytes).toBeLessThan(20_000);
  });
});

describe("the kind of a webhook", () => {
  it("is determined by the host of its URL", () => {
    expect(webhookKindOf("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=1")).toBe("wecom");
    expect(webhookKindOf("https://oapi.dingtalk.com/robot/send?access_token=1")).toBe("dingtalk");
    expect(webhookKindOf("https://open.feishu.cn/open-apis/bot/v2/hook/1")).toBe("feishu");
    expect(webhookKindOf("https://hooks.example.com/oapi.dingtalk.com")).toBe("plain");
  });
});

describe("the response to a webhook notice", () => {
  it("is judged by its body if it is from a chat robot, because robots also refuse with HTTP 200", () => {
    expect(webhookProblem("plain", 204, "")).toBeNull();
    expect(webhookProblem("plain", 500, "")).toBe("it answered HTTP 500");
    expect(webhookProblem("wecom", 200, '{"errcode":0,"errmsg":"ok"}')).toBeNull();
    expect(webhookProblem("dingtalk", 200, '{"errcode":310000,"errmsg":"sign not match"}')).toBe(
      "it answered HTTP 200 and refused with 310000: sign not match",
    );
    expect(webhookProblem("feishu", 200, '{"code":0,"msg":"success","StatusCode":0}')).toBeNull();
    expect(webhookProblem("feishu", 200, '{"code":19021,"msg":"sign match fail"}')).toContain("19021");
    expect(webhookProblem("wecom", 200, "<html>")).toBe(
      "it answered HTTP 200 with a body that is not the answer of a wecom robot",
    );
  });
});

describe("sendNotice", () => {
  const waited: number[] = [];
  const wait = async (ms: number) => void waited.push(ms);

  it("posts the notice as JSON", async () => {
    await using receiver = await startReceiver();
    const webhook = { url: receiver.url, kind: "plain", secret: null, language: "both" } as const;
    expect(await sendNotice(webhook, notice, { nowMs: () => NOW_MS })).toBeNull();
    expect(receiver.received).toMatchObject([
      { path: "/hook?key=robot-key", body: { title: notice.title.en } },
    ]);
    expect(receiver.received[0]?.headers["content-type"]).toContain("application/json");
  });

  it("tries three times, then returns the reason of the failure without the URL", async () => {
    await using receiver = await startReceiver();
    receiver.answer = { status: 502, body: {} };
    const webhook = { url: receiver.url, kind: "plain", secret: null, language: "both" } as const;
    expect(await sendNotice(webhook, notice, { wait })).toBe("it answered HTTP 502");
    expect(receiver.received).toHaveLength(3);
    expect(waited).toHaveLength(2);
    const closed = await startReceiver();
    await closed[Symbol.asyncDispose]();
    const closedPort = {
      url: closed.url,
      kind: "wecom",
      secret: null,
      language: "both",
    } as const;
    expect(await sendNotice(closedPort, notice, { wait })).toBe("it cannot be reached (ECONNREFUSED)");
  });
});
