/** `edgetape webhook test`, and the options of commands that send notices to a webhook. */
import * as wire from "../admin/wire.ts";
import { SYSTEM_CLOCK } from "./clock.ts";
import { group, localCommand } from "./command.ts";
import { CommandFailure, UsageFailure } from "./exit.ts";
import * as option from "./option.ts";

/** The options of commands that send notices. */
export const WEBHOOK = {
  webhook: option.text(
    "<address>",
    "the webhook that receives the result (prefer EDGETAPE_WEBHOOK_URL, because it is a secret)",
  ),
  webhookKind: option.choice(
    "<kind>",
    wire.WEBHOOK_KINDS,
    "the form of the messages (or EDGETAPE_WEBHOOK_KIND; default: derived from the URL)",
  ),
  webhookLanguage: option.choice(
    "<language>",
    wire.WEBHOOK_LANGUAGES,
    "the language of text messages (or EDGETAPE_WEBHOOK_LANGUAGE; default: both)",
  ),
};

const test = localCommand("test", {
  says: "send a test message",
  options: { json: option.AS_JSON, ...WEBHOOK },
  async run({ print }, options) {
    const receiver = webhookOf(options);
    if (receiver === null) {
      throw new UsageFailure("Name the webhook with --webhook or EDGETAPE_WEBHOOK_URL.");
    }
    await tell(receiver, {
      event: "webhook.test",
      level: "ok",
      title: {
        zh: "这是一条测试消息，能看到就说明通知可以送达",
        en: "this is a test: the webhook receives messages",
      },
      lines: [],
      facts: {},
    });
    const { kind, language } = receiver;
    print({ kind, language, taken: true }, `The ${kind} webhook accepted the message.`);
  },
});

export const webhook = group("webhook", "test the webhook that receives notices", [test]);

/** Returns the webhook from the options or environment; null if none is named. `secret` signs its messages. */
export function webhookOf(options: Partial<option.Values<typeof WEBHOOK>>): wire.Webhook | null {
  const url = options.webhook || process.env.EDGETAPE_WEBHOOK_URL;
  if (!url) return null;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageFailure("The webhook's URL must begin with http:// or https://.");
  }
  const kind =
    options.webhookKind ?? chosen("EDGETAPE_WEBHOOK_KIND", wire.WEBHOOK_KINDS) ?? wire.webhookKindOf(url);
  const language =
    options.webhookLanguage ?? chosen("EDGETAPE_WEBHOOK_LANGUAGE", wire.WEBHOOK_LANGUAGES) ?? "both";
  return { url, kind, secret: process.env.EDGETAPE_WEBHOOK_SECRET || null, language };
}

/** Returns the choice in the environment variable `name`, or undefined if it is not set. */
function chosen<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
  const given = process.env[name];
  if (!given) return undefined;
  const choice = choices.find((each) => each === given);
  if (choice !== undefined) return choice;
  throw new UsageFailure(`${name} must be one of ${choices.join(", ")}.`);
}

/**
 * Sends the notice to the webhook, if there is one. Throws `CommandFailure` when the webhook does not accept it. A
 * notice about a day is not sent before `announcedAtMs` (Unix milliseconds). A client that fetches the day because of
 * the notice then gets the new revision (contract 9).
 */
export async function tell(
  webhook: wire.Webhook | null,
  notice: wire.Notice,
  announcedAtMs: number | null = null,
  clock = SYSTEM_CLOCK,
): Promise<void> {
  if (webhook === null) return;
  const waitMs = (announcedAtMs ?? 0) - clock.nowMs();
  if (waitMs > 0) await clock.wait(waitMs);
  const problem = await wire.sendNotice(webhook, notice);
  if (problem !== null) throw new CommandFailure(`The webhook was not notified: ${problem}.`);
}
