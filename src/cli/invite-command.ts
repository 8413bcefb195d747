/** `edgetape account invite`: a one-time link with which a key holder signs in to the console. */
import type { Command } from "commander";
import { inviteSchema } from "../admin/wire.ts";
import { defaulted, spanArgument } from "./arguments.ts";
import { print, type ServiceOptions, serviceOf, withService } from "./service-options.ts";

/** Registers `account invite` on the command `account`. */
export function registerInvite(account: Command): void {
  withService(
    account
      .command("invite")
      .description("make a one-time link into the console; whoever opens it first is signed in")
      .argument("<account>")
      .addOption(
        defaulted("--valid <span>", "how long the link may be opened, up to 7d", spanArgument, "1d"),
      ),
  ).action(invite);
}

async function invite(account: string, options: ServiceOptions & { valid: number }): Promise<void> {
  const path = `/admin/accounts/${encodeURIComponent(account)}/invites`;
  const body = { validMs: options.valid };
  const invited = await serviceOf(options).request(inviteSchema, "POST", path, { body });
  print(options, invited, [
    invited.url,
    `For the holder of account ${invited.accountId}: opens the console once, until ${invited.expiresAt}; it cannot be shown again.`,
  ]);
}
