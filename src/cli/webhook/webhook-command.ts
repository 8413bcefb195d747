/** `edgetape webhook test`: one message, to see that it arrives before the first evening that needs it. */
import type { Command } from "commander";
import { CommandFailure, EXIT } from "../exit.ts";
import { print } from "../service-options.ts";
import { tell, type WebhookOptions, webhookOf, withWebhook } from "./webhook-options.ts";

/** Registers `webhook test`. */
export function registerWebhook(program: Command): void {
  const webhook = program.command("webhook").description("who is told how the evening went");
  withWebhook(
    webhook.command("test").description("send a test message").option("--json", "print the answer as JSON"),
  ).action(test);
}

async function test(options: WebhookOptions & { json?: boolean }): Promise<void> {
  const webhook = webhookOf(options);
  if (webhook === null) {
    throw new CommandFailure("Which webhook? Give --webhook or set EDGETAPE_WEBHOOK_URL.", EXIT.usage);
  }
  await tell(webhook, {
    event: "webhook.test",
    level: "ok",
    title: { zh: "这是一条测试消息，能看到就说明通知可以送达", en: "this is a test, the messages arrive" },
    lines: [],
    facts: {},
  });
  print(
    options,
    { kind: webhook.kind, language: webhook.language, taken: true },
    `The ${webhook.kind} webhook took the message.`,
  );
}
