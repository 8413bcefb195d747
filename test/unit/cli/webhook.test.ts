import { expect, it } from "vitest";
import type { Webhook } from "../../../src/admin/wire.ts";
import { tell } from "../../../src/cli/webhook.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";

const NOTICE = {
  event: "nightly.published",
  level: "ok",
  title: { zh: "", en: "" },
  lines: [],
  facts: {},
} as const;

it("The CLI notifies a webhook of a day once the service has announced the day (contract 9)", async () => {
  await using receiver = await startReceiver();
  const webhook: Webhook = { url: receiver.url, kind: "plain", secret: null, language: "both" };
  const history: string[] = [];
  const clock = {
    nowMs: () => 1_000,
    wait: async (ms: number) => void history.push(`${receiver.received.length} told, waits ${ms} ms`),
  };
  const notice = { ...NOTICE, lines: [...NOTICE.lines] };
  await tell(webhook, notice, 16_000, clock);
  await tell(webhook, notice, 1_000, clock);
  await tell(webhook, notice, null, clock);
  await tell(null, notice, 16_000, clock);
  expect([history, receiver.received.length]).toEqual([["0 told, waits 15000 ms"], 3]);
});
