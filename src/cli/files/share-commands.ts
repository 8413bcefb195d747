/** `edgetape share`: the shares that accounts were given. */
import type { Command } from "commander";
import { type ShareList, type ShareSummary, shareListSchema, shareSummarySchema } from "../../admin/wire.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "../confirm.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "../service-options.ts";
import { registerSecrets } from "./secret-commands.ts";

/** Registers `share …`. */
export function registerShares(program: Command): void {
  const share = program.command("share").description("shares of daily files");
  withService(
    share
      .command("list")
      .description("every share an account was given, newest first; without one, all that are in force")
      .argument("[account]"),
  ).action(list);
  withService(
    share
      .command("revoke")
      .description("end a share (within 30 s everywhere); who asks again gets one with another password")
      .argument("<share id>", "the last part of its address")
      .option(...YES_OPTION),
  ).action(revoke);
  registerSecrets(share);
}

async function list(account: string | undefined, options: ServiceOptions): Promise<void> {
  const client = serviceOf(options);
  const shares: ShareSummary[] = [];
  let after: string | null = "";
  while (after !== null) {
    const query = new URLSearchParams(account === undefined ? { after } : { account });
    const page: ShareList = await client.request(shareListSchema, "GET", `/admin/shares?${query}`);
    shares.push(...page.shares);
    after = page.next;
  }
  const rows = shares.map((share) => [
    share.shareId,
    share.accountId,
    share.dataType,
    String(share.year),
    share.createdAt,
    share.revokedAt === null ? "in force for 7 days, as long as the plan" : `revoked ${share.revokedAt}`,
  ]);
  const none =
    account === undefined ? "No share is in force." : `Account ${account} has never asked for a share.`;
  print(
    options,
    { shares },
    rows.length === 0 ? [none] : table(["share id", "account", "type", "year", "made", "state"], rows),
  );
}

async function revoke(shareId: string, options: ServiceOptions & ConfirmOptions): Promise<void> {
  await confirm(`End share ${shareId} for good?`, options);
  const path = `/admin/shares/${encodeURIComponent(shareId)}/revoke`;
  const share = await serviceOf(options).request(shareSummarySchema, "POST", path, { repeatable: true });
  print(
    options,
    share,
    `Share ${share.shareId} of account ${share.accountId} is revoked since ${share.revokedAt}.`,
  );
}
