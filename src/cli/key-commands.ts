/** `edgetape key`: issue, revoke and import keys. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { issuedKeySchema, keySummarySchema } from "../admin/wire.ts";
import { parseInstant } from "../calendar/instant.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { importKeys, parseKeyFile } from "./key-import.ts";
import { print, type ServiceOptions, serviceOf, withService } from "./service-options.ts";

/** Registers `key issue`, `key revoke` and `key import`. */
export function registerKeys(program: Command): void {
  const key = program.command("key").description("API keys");
  withService(
    key
      .command("issue")
      .description("make a key for an account; it is shown this one time only")
      .argument("<account>")
      .option("--name <name>", "what the key is for")
      .option("--expires <instant>", "a date (its beginning in Beijing) or RFC 3339; never when absent"),
  ).action(issue);
  withService(
    key
      .command("revoke")
      .description("refuse a key from now on (within 30 s everywhere)")
      .argument("<key id>"),
  ).action(revoke);
  withService(
    key
      .command("import")
      .description("take over existing customers' keys of any form; the same file again changes nothing")
      .argument(
        "<csv>",
        "heading: key (or sha256), account, plan, start, end; start is inclusive, end exclusive",
      ),
  ).action(importFile);
}

async function issue(
  account: string,
  options: ServiceOptions & { name?: string; expires?: string },
): Promise<void> {
  const client = serviceOf(options);
  const expires = options.expires === undefined ? null : parseInstant(options.expires);
  if (options.expires !== undefined && expires === null) {
    throw new CommandFailure(
      `--expires ${options.expires} is neither a date nor RFC 3339 with an offset.`,
      EXIT.usage,
    );
  }
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

async function revoke(keyId: string, options: ServiceOptions): Promise<void> {
  const path = `/admin/keys/${encodeURIComponent(keyId)}/revoke`;
  const key = await serviceOf(options).request(keySummarySchema, "POST", path, { repeatable: true });
  print(options, key, `Key ${key.keyId} of account ${key.accountId} is revoked since ${key.revokedAt}.`);
}

async function importFile(path: string, options: ServiceOptions): Promise<void> {
  const client = serviceOf(options);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${error.code}).`);
  });
  const result = await importKeys(client, parseKeyFile(text, path));
  for (const { line, reason } of result.refused) process.stderr.write(`${path}:${line}: ${reason}\n`);
  print(
    options,
    result,
    `${result.imported} keys imported or extended, ${result.unchanged} unchanged, ${result.refused.length} refused.`,
  );
  if (result.refused.length > 0) process.exitCode = EXIT.degraded;
}
