/** The options of every command that tells a webhook how it ended. */
import { type Command, Option } from "commander";
import {
  type Notice,
  sendNotice,
  WEBHOOK_KINDS,
  type Webhook,
  type WebhookKind,
  webhookKindOf,
} from "../../admin/wire.ts";
import { CommandFailure, EXIT } from "../exit.ts";

export interface WebhookOptions {
  webhook?: string;
  webhookKind?: WebhookKind;
}

/** Adds `--webhook` and `--webhook-kind` to a command. */
export function withWebhook(command: Command): Command {
  return command
    .option(
      "--webhook <address>",
      "who is told how it ended (better in EDGETAPE_WEBHOOK_URL: it is a secret)",
    )
    .addOption(
      new Option(
        "--webhook-kind <kind>",
        "the form of the messages (or EDGETAPE_WEBHOOK_KIND); by the address when absent",
      ).choices(WEBHOOK_KINDS),
    );
}

/** The webhook that options or environment name, signed with EDGETAPE_WEBHOOK_SECRET; null without one. */
export function webhookOf(
  options: WebhookOptions,
  environment: Record<string, string | undefined> = process.env,
): Webhook | null {
  const url = options.webhook || environment.EDGETAPE_WEBHOOK_URL;
  if (!url) return null;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CommandFailure("The webhook's address must begin with http:// or https://.", EXIT.usage);
  }
  const named = options.webhookKind ?? environment.EDGETAPE_WEBHOOK_KIND;
  const kind = named ? WEBHOOK_KINDS.find((each) => each === named) : webhookKindOf(url);
  if (kind === undefined) {
    throw new CommandFailure(`EDGETAPE_WEBHOOK_KIND must be one of ${WEBHOOK_KINDS.join(", ")}.`, EXIT.usage);
  }
  return { url, kind, secret: environment.EDGETAPE_WEBHOOK_SECRET || null };
}

/** Tells the webhook, if there is one; a notice that it does not take ends the command with a sentence. */
export async function tell(webhook: Webhook | null, notice: Notice): Promise<void> {
  if (webhook === null) return;
  const problem = await sendNotice(webhook, notice);
  if (problem !== null) throw new CommandFailure(`The webhook was not told: ${problem}.`);
}
