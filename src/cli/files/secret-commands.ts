/** `edgetape share secret` and `edgetape share rotate`: the versions of `SHARE_SECRET`, and how an old one is left. */
import type { Command } from "commander";
import { rotatedSecretSchema, type SecretVersions, secretVersionsSchema } from "../../admin/wire.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "../confirm.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "../service-options.ts";

const PATH = "/admin/shares/secret";

/** Registers `share secret` and `share rotate` on the command `share`. */
export function registerSecrets(share: Command): void {
  withService(
    share.command("secret").description("the versions of SHARE_SECRET, and what still needs each"),
  ).action(show);
  withService(
    share
      .command("rotate")
      .description(
        "leave the older versions of SHARE_SECRET: encrypt passwords of drives elsewhere anew, under the current one",
      )
      .option("--revoke-older", "end the shares of older versions now too, as when an old secret has leaked")
      .option(...YES_OPTION),
  )
    .addHelpText(
      "after",
      "\nBefore: put `<old>,<version + 1>:<new>` into the secret SHARE_SECRET. After: drop the versions that\n" +
        "nothing needs any more; shares of an older version end within 7 days by themselves.",
    )
    .action(rotate);
}

async function show(options: ServiceOptions): Promise<void> {
  const versions = await serviceOf(options).request(secretVersionsSchema, "GET", PATH);
  print(options, versions, versionLines(versions));
}

async function rotate(options: ServiceOptions & ConfirmOptions & { revokeOlder?: boolean }): Promise<void> {
  const client = serviceOf(options);
  const { current, versions } = await client.request(secretVersionsSchema, "GET", PATH);
  const older = versions.filter(({ version }) => version < current);
  const count = older.reduce((sum, { shares }) => sum + shares, 0);
  if (options.revokeOlder && count > 0) {
    await confirm(`End ${count} shares of versions before ${current} at once?`, options);
  }
  const request = {
    body: { olderShares: options.revokeOlder ? "revoke" : "keep" } as const,
    repeatable: true,
  };
  const rotated = await client.request(rotatedSecretSchema, "POST", `${PATH}/rotate`, request);
  const drives = rotated.resealed.map(({ dataType, year }) => `${dataType} ${year}`);
  const encrypted = drives.length === 0 ? "No drive's password" : `The passwords of ${drives.join(", ")}`;
  print(options, rotated, [
    `${encrypted} had to be encrypted anew; ${rotated.revoked} shares were ended.`,
    ...versionLines(rotated),
  ]);
}

function versionLines({ current, versions }: SecretVersions): string[] {
  return table(
    ["version", "in SHARE_SECRET", "shares", "drives", ""],
    versions.map(({ version, present, shares, drives }) => [
      String(version),
      present ? "yes" : "no",
      String(shares),
      String(drives),
      adviceOf({ current, version, present, isNeeded: shares + drives > 0 }),
    ]),
  );
}

function adviceOf(of: { current: number; version: number; present: boolean; isNeeded: boolean }): string {
  if (of.version === of.current) return "current";
  if (!of.present) return of.isNeeded ? "lacking: put it back, or what needs it does not work" : "";
  return of.isNeeded ? "still needed" : "may be dropped";
}
