/** Tests the notices that each kind of webhook receives when a delivery is missing, incomplete or complete. */
import { createHmac } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { WebhookKind } from "../../src/admin/wire.ts";
import { deliver } from "../support/deliveries.ts";
import { runEdgetape } from "../support/running-command.ts";
import { startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const folder = testFolder("edgetape-webhook-");

const service = await startService();
const receiver = await startReceiver();
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await service.stop();
});

/** How each kind of webhook answers an accepted message, and where the text is in the message's body. */
const ROBOTS: Record<WebhookKind, { takes: object; textOf(body: Record<string, unknown>): unknown }> = {
  plain: { takes: {}, textOf: ({ zh, title }) => [(zh as { title: string }).title, title].join("\n") },
  wecom: { takes: { errcode: 0, errmsg: "ok" }, textOf: ({ text }) => (text as { content: string }).content },
  dingtalk: {
    takes: { errcode: 0, errmsg: "ok" },
    textOf: ({ text }) => (text as { content: string }).content,
  },
  feishu: { takes: { code: 0, msg: "success" }, textOf: ({ content }) => (content as { text: string }).text },
};

/** Runs `nightly` for a day and returns the exit status and the text of the only message to the webhook. */
async function evening(
  kind: WebhookKind,
  tradedate: string,
): Promise<{ status: number | null; text: string }> {
  const { takes, textOf } = ROBOTS[kind];
  receiver.answer = { status: 200, body: takes };
  receiver.received.length = 0;
  const quick = ["--stable", "0.1", "--poll", "0.05", "--threads", "0", "--force"];
  const { status } = await runEdgetape(["nightly", folder, "--date", tradedate, ...quick], service, {
    EDGETAPE_WEBHOOK_URL: receiver.url,
    EDGETAPE_WEBHOOK_KIND: kind,
    EDGETAPE_WEBHOOK_SECRET: "S1",
  });
  expect(receiver.received).toHaveLength(1);
  const { body = {} } = receiver.received[0] ?? {};
  const sign = createHmac("sha256", `${body.timestamp}\nS1`).digest("base64");
  if (kind === "feishu") expect(body.sign).toBe(sign);
  return { status, text: String(textOf(body)) };
}

describe.each([
  ["plain", "20260302"],
  ["wecom", "20260303"],
  ["dingtalk", "20260304"],
  ["feishu", "20260305"],
] as const)("the notices to a webhook of the kind %s", (kind, day) => {
  it("say in Chinese and English that the delivery is missing, incomplete or served", async () => {
    const nothing = await evening(kind, day);
    expect(nothing.status).toBe(1);
    expect(nothing.text).toContain(
      `没有收到 ${day} 的数据；已停止等待\nno delivery for ${day} has arrived; waiting has ended`,
    );

    writeFileSync(join(folder, `${day}.zip`), "the first half of an archive");
    const half = await evening(kind, day);
    expect(half.status).toBe(1);
    expect(half.text).toContain(`${day} 的数据不完整：${day}.zip 不是完整的 ZIP 文件；已停止等待\n`);
    expect(half.text).toContain(
      `the delivery for ${day} is not complete: ${day}.zip is not a complete ZIP file;`,
    );

    rmSync(join(folder, `${day}.zip`));
    deliver(folder, day, 2_000);
    const good = await evening(kind, day);
    expect(good.status).toBe(0);
    expect(good.text).toContain(`${day} 已发布，第 1 版\n${day} is served as revision 1`);
    if (kind === "plain") return;
    expect([nothing, half, good].map(({ text }) => text.split("\n", 1)[0])).toEqual([
      "edgetape 失败 FAILED",
      "edgetape 失败 FAILED",
      "edgetape 正常 OK",
    ]);
  });
});
