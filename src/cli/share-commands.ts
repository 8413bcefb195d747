/**
 * `edgetape share` and `edgetape external`: accounts' shares, the versions of `SHARE_SECRET`, and external shares. For
 * plans that include the whole year, an external share replaces the service's own share.
 */

import { text as textOf } from "node:stream/consumers";
import * as wire from "../admin/wire.ts";
import { type Call, command, group } from "./command.ts";
import { numberArgument, sizeText, table } from "./command-line.ts";
import { UsageFailure } from "./exit.ts";
import { dataType } from "./file-commands.ts";
import * as option from "./option.ts";

const list = command("list [account]", {
  says: "list every share of an account, newest first; without an account, all valid shares",
  async run({ client, print }, _, account?: string) {
    const shares: wire.ShareSummary[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const query = new URLSearchParams(account === undefined ? { after } : { account });
      const page: wire.ShareList = await client.get(wire.shareListSchema, `/admin/shares?${query}`);
      shares.push(...page.shares);
      after = page.next;
    }
    const rows = shares.map((share) => [
      share.shareId,
      share.accountId,
      share.dataType,
      String(share.year),
      share.createdAt,
      share.revokedAt === null ? "valid for 7 days, or until the plan ends" : `revoked ${share.revokedAt}`,
    ]);
    const none =
      account === undefined ? "No share is valid." : `Account ${account} has never requested a share.`;
    const headings = ["share id", "account", "type", "year", "created", "state"];
    print({ shares }, table(headings, rows, none));
  },
});

const revoke = command("revoke", {
  says: "revoke a share (within 30 s everywhere); the account's next request creates a new one with a different password",
  args: { "<share id>": "the last part of its URL" },
  options: { yes: option.YES },
  async run(call, _, id: string) {
    await call.confirm(`Revoke share ${id} permanently?`);
    const path = `/admin/shares/${encodeURIComponent(id)}/revoke`;
    const share = await call.client.post(wire.shareSummarySchema, path, { repeatable: true });
    const { shareId, accountId, revokedAt } = share;
    call.print(share, `Share ${shareId} of account ${accountId} was revoked at ${revokedAt}.`);
  },
});

const SECRET_PATH = "/admin/shares/secret";

const secret = command("secret", {
  says: "list the versions of SHARE_SECRET and what depends on each",
  async run({ client, print }) {
    const versions = await client.get(wire.secretVersionsSchema, SECRET_PATH);
    print(versions, versionLines(versions));
  },
});

const rotate = command("rotate", {
  says: "re-encrypt passwords of external shares under the current version of SHARE_SECRET",
  options: {
    revokeOlder: option.flag(
      "also revoke the shares of older versions now, for example after a secret has leaked",
    ),
    yes: option.YES,
  },
  help:
    "\nFirst set the secret SHARE_SECRET to `<old>,<version + 1>:<new>`. Afterwards remove the versions that are\n" +
    "no longer needed; shares of older versions end within 7 days.",
  async run({ client, confirm, print }, { revokeOlder }) {
    const { current, versions } = await client.get(wire.secretVersionsSchema, SECRET_PATH);
    const older = versions.filter(({ version }) => version < current);
    const shares = older.reduce((sum, { shares }) => sum + shares, 0);
    if (revokeOlder && shares > 0) {
      await confirm(`Revoke ${shares} shares of versions before ${current} at once?`);
    }
    const request = { body: { olderShares: revokeOlder ? "revoke" : "keep" }, repeatable: true };
    const rotated = await client.post(wire.rotatedSecretSchema, `${SECRET_PATH}/rotate`, request);
    const drives = rotated.resealed.map(({ dataType, year }) => `${dataType} ${year}`);
    const encrypted =
      drives.length === 0 ? "No passwords of external shares" : `The passwords of ${drives.join(", ")}`;
    print(rotated, [
      `${encrypted} were re-encrypted; ${rotated.revoked} shares were revoked.`,
      ...versionLines(rotated),
    ]);
  },
});

export const share = group("share", "list and revoke shares of daily files", [list, revoke, secret, rotate]);

function versionLines({ current, versions }: wire.SecretVersions): string[] {
  return table(
    ["version", "in SHARE_SECRET", "shares", "external shares", ""],
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
  if (!of.present) return of.isNeeded ? "missing: restore it, because shares depend on it" : "";
  return of.isNeeded ? "still needed" : "can be removed";
}

const year = option.parsed("<YYYY>", numberArgument(/^\d{4}$/, "a year as YYYY"));

const SHARE = {
  type: dataType("the kind of files").required(),
  year: year("the year of the share").required(),
};

const externalPath = ({ type, year }: { type: string; year: number }) => `/admin/external/${type}/${year}`;

const LINK = {
  link: option.text("<address>", "the URL of the share"),
  expires: option.instant("when the link stops working: a date or RFC 3339"),
  passwordStdin: option.flag("read the password from standard input (or EDGETAPE_EXTERNAL_PASSWORD)"),
};

const setExternal = command("set", {
  says: "register an external share for whole-year plans; without --link it is reported as being prepared",
  options: {
    from: option.day("the first day that the share covers").required(),
    to: option.day("the last day that the share covers").required(),
    files: option.count("the number of daily files in the share").required(),
    bytes: option.count("the total size of the files in bytes").required(),
    ...LINK,
    ...SHARE,
  },
  async run(call, options) {
    const body: wire.ExternalShareInput = {
      firstDay: options.from,
      lastDay: options.to,
      fileCount: options.files,
      sizeBytes: options.bytes,
      link: await linkOf(options),
    };
    showExternal(call, await call.client.put(wire.externalListSchema, externalPath(options), { body }));
  },
});

/** Returns the link, or null. No option takes the password, because others can see command lines. */
async function linkOf(options: option.Values<typeof LINK>): Promise<wire.ExternalShareInput["link"]> {
  const { link, expires, passwordStdin } = options;
  if (link === undefined && expires === undefined && !passwordStdin) return null;
  if (link === undefined || expires === undefined) {
    throw new UsageFailure("A link needs an expiry: give --link and --expires together.");
  }
  const given = passwordStdin ? await textOf(process.stdin) : (process.env.EDGETAPE_EXTERNAL_PASSWORD ?? "");
  return { url: link, expires, password: given.replace(/\r?\n$/, "") };
}

const clearExternal = command("clear", {
  says: "remove an external share, its link and its password; the service's own share is used again",
  options: { yes: option.YES, ...SHARE },
  async run(call, options) {
    const { type, year } = options;
    await call.confirm(`Remove the external share of ${type} ${year} with its link and password?`);
    const path = `${externalPath(options)}/clear`;
    showExternal(call, await call.client.post(wire.externalListSchema, path));
  },
});

const listExternal = command("list", {
  says: "list every external share",
  async run(call) {
    showExternal(call, await call.client.get(wire.externalListSchema, "/admin/external"));
  },
});

export const external = group("external", "manage external shares", [
  setExternal,
  clearExternal,
  listExternal,
]);

function showExternal({ print }: Call, answer: wire.ExternalList): void {
  const row = ({ dataType, year, firstDay, lastDay, fileCount, sizeBytes, link }: wire.ExternalSummary) => [
    dataType,
    String(year),
    `${firstDay}-${lastDay}`,
    String(fileCount),
    sizeText(sizeBytes),
    link === null ? "being prepared" : `until ${link.expiresAt}`,
    link === null ? "" : `${link.secretVersion}`,
    link?.url ?? "",
  ];
  const headings = ["type", "year", "days", "files", "size", "state", "secret", "link"];
  print(answer, table(headings, answer.external.map(row), "No external share is registered."));
}
