/** `edgetape key`: issue, list, roll, revoke and import keys. */
import type { Command } from "commander";
import { accountSchema, issuedKeySchema, keySummarySchema, rolledKeySchema } from "../admin/wire.ts";
import { keyLines } from "./account-lines.ts";
import { instantArgument, spanArgument } from "./arguments.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "./confirm.ts";
import { EXIT } from "./exit.ts";
import { importKeys, parseKeyFile } from "./key-import.ts";
import { readOperatorText } from "./operator-text.ts";
import { print, type ServiceOptions, serviceOf, withService } from "./service-options.ts";

/** Registers `key …`. */
export function registerKeys(program: Command): void {
  const key = program.command("key").description("API keys");
  withService(
    key
      .command("issue")
      .description("make a key for an account; it is shown this one time only")
      .argument("<account>")
      .option("--name <name>", "what the key is for")
      .option(
        "--expires <instant>",
        "a date (its beginning in Beijing) or RFC 3339; never when absent",
        instantArgument,
      ),
  ).action(issue);
  withService(
    key
      .command("list")
      .description("the keys of an account, with their last use (at most an hour behind)")
      .argument("<account>"),
  ).action(list);
  withService(
    key
      .command("roll")
      .description(
        "make a new key in place of one, which works on for a while; it is shown this one time only",
      )
      .argument("<key id>")
      .option("--overlap <span>", "how long the old key works on, at most 7d (1d when absent)", spanArgument),
  ).action(roll);
  withService(
    key
      .command("revoke")
      .description("refuse a key from now on (within 30 s everywhere)")
      .argument("<key id>")
      .option(...YES_OPTION),
  ).action(revoke);
  withService(
    key
      .command("import")
      .description("take over existing customers' keys of any form; the same file again changes nothing")
      .argument(
        "<csv>",
        "heading: key (or sha256), account, plan, start, end; start is inclusive, end exclusive; UTF-8 or GB18030",
      )
      .option("--allow-short", "take keys of fewer than 20 characters too: they can be guessed"),
  ).action(importFile);
}

async function issue(
  account: string,
  options: ServiceOptions & { name?: string; expires?: number },
): Promise<void> {
  const client = serviceOf(options);
  const expires = options.expires ?? null;
  const issued = await client.request(
    issuedKeySchema,
    "POST",
    `/admin/accounts/${encodeURIComponent(account)}/keys`,
    {
      body: { name: options.name ?? "", expires },
    },
  );
  print(options, issued, [
    issued.key,
    `Key ${issued.keyId} of account ${issued.accountId}; it cannot be shown again.`,
  ]);
}

async function list(account: string, options: ServiceOptions): Promise<void> {
  const path = `/admin/accounts/${encodeURIComponent(account)}`;
  const { keys } = await serviceOf(options).request(accountSchema, "GET", path);
  print(options, { keys }, keyLines(keys));
}

async function roll(keyId: string, options: ServiceOptions & { overlap?: number }): Promise<void> {
  const body = options.overlap === undefined ? {} : { overlapMs: options.overlap };
  const path = `/admin/keys/${encodeURIComponent(keyId)}/roll`;
  const rolled = await serviceOf(options).request(rolledKeySchema, "POST", path, { body });
  print(options, rolled, [
    rolled.key,
    `Key ${rolled.keyId} of account ${rolled.accountId}; it cannot be shown again.`,
    `The old key ${rolled.replaces} works until ${rolled.replacedUntil}.`,
  ]);
}

async function revoke(keyId: string, options: ServiceOptions & ConfirmOptions): Promise<void> {
  await confirm(`Refuse key ${keyId} for good?`, options);
  const path = `/admin/keys/${encodeURIComponent(keyId)}/revoke`;
  const key = await serviceOf(options).request(keySummarySchema, "POST", path, { repeatable: true });
  print(options, key, `Key ${key.keyId} of account ${key.accountId} is revoked since ${key.revokedAt}.`);
}

async function importFile(path: string, options: ServiceOptions & { allowShort?: boolean }): Promise<void> {
  const client = serviceOf(options);
  const file = parseKeyFile(await readOperatorText(path), path);
  const result = await importKeys(client, file, { allowShort: options.allowShort ?? false });
  for (const { line, reason } of result.refused) process.stderr.write(`${path}:${line}: ${reason}\n`);
  print(
    options,
    result,
    `${result.imported} keys imported or extended, ${result.unchanged} unchanged, ${result.refused.length} refused.`,
  );
  if (result.refused.length > 0) process.exitCode = EXIT.degraded;
}
