/** `edgetape key` and `token`: customers' API keys, their import from a CSV file, and operators' tokens. */
import * as wire from "../admin/wire.ts";
import { ok, type Result, refused } from "../base/result.ts";
import { parseInstant } from "../calendar/instant.ts";
import { accountOf, accountPath, keyLines } from "./account-commands.ts";
import type { AdminClient } from "./admin-client.ts";
import { command, group } from "./command.ts";
import { table } from "./command-line.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { readOperatorText } from "./operator-text.ts";
import * as option from "./option.ts";

const KEY_ID = { "<key id>": "" };

const issue = command("issue <account>", {
  says: "create a key for an account; it is shown only once",
  options: {
    name: option.text("<name>", "the purpose of the key"),
    expires: option.instant(
      "when it expires: a date (its beginning in Beijing) or RFC 3339 (default: never)",
    ),
  },
  async run({ client, print }, { name = "", expires = null }, account: string) {
    const request = { body: { name, expires } };
    const issued = await client.post(wire.issuedKeySchema, accountPath(account, "/keys"), request);
    print(issued, [
      issued.key,
      `This is key ${issued.keyId} of account ${issued.accountId}; it cannot be shown again.`,
    ]);
  },
});

const list = command("list <account>", {
  says: "list the keys of an account with their last use (recorded once an hour)",
  async run(call, _, account: string) {
    const { keys } = await accountOf(call, "get", account);
    call.print({ keys }, keyLines(keys));
  },
});

const roll = command("roll", {
  says: "create a key, shown only once, that replaces an old one; the old key keeps working for a limited time",
  args: KEY_ID,
  options: { overlap: option.span("how long the old key still works, at most 7d (default: 1d)") },
  async run({ client, print }, { overlap }, keyId: string) {
    // JSON omits an undefined overlap.
    const request = { body: { overlapMs: overlap } };
    const path = `/admin/keys/${encodeURIComponent(keyId)}/roll`;
    const rolled = await client.post(wire.rolledKeySchema, path, request);
    print(rolled, [
      rolled.key,
      `This is key ${rolled.keyId} of account ${rolled.accountId}; it cannot be shown again.`,
      `The old key ${rolled.replaces} works until ${rolled.replacedUntil}.`,
    ]);
  },
});

const revoke = command("revoke", {
  says: "revoke a key permanently; it is refused everywhere within 30 s",
  args: KEY_ID,
  options: { yes: option.YES },
  async run(call, _, keyId: string) {
    await call.confirm(`Revoke key ${keyId} permanently?`);
    const path = `/admin/keys/${encodeURIComponent(keyId)}/revoke`;
    const key = await call.client.post(wire.keySummarySchema, path, { repeatable: true });
    call.print(key, `Key ${key.keyId} of account ${key.accountId} was revoked at ${key.revokedAt}.`);
  },
});

const importFile = command("import", {
  says: "import existing customers' keys of any form; importing the same file again changes nothing",
  args: {
    "<csv>":
      "heading: key (or sha256), account, plan, start, end; start is inclusive, end exclusive; UTF-8 or GB18030",
  },
  options: { allowShort: option.flag("also accept keys of fewer than 20 characters, which can be guessed") },
  async run({ client, print }, { allowShort }, path: string) {
    const file = parseKeyFile(await readOperatorText(path), path);
    const result = await importKeys(client, file, { allowShort });
    const { imported, unchanged, refused } = result;
    for (const { line, reason } of refused) console.error(`${path}:${line}: ${reason}`);
    const refusals = `${refused.length} refused`;
    print(result, `${imported} keys imported or extended, ${unchanged} unchanged, ${refusals}.`);
    if (refused.length > 0) process.exitCode = EXIT.degraded;
  },
});

export const key = group("key", "manage API keys", [issue, list, roll, revoke, importFile]);

const issueToken = command("issue", {
  says: "create a token for an operator; it is shown only once",
  args: { "<name>": "the operator's name, as it appears in the audit" },
  options: {
    scope: option
      .choice(
        "<scope>",
        wire.TOKEN_SCOPES,
        "read: only reading; publish: days and files, as nightly needs, but no customer data; admin: everything",
      )
      .orElse("read"),
  },
  async run({ client, print }, { scope }, name: string) {
    const body = { name, scope };
    const issued = await client.post(wire.issuedTokenSchema, "/admin/tokens", { body });
    print(issued, [
      issued.token,
      `This is the token of ${issued.name} with scope ${issued.scope}; it cannot be shown again.`,
    ]);
  },
});

const listTokens = command("list", {
  says: "list all tokens, including revoked ones, with their last use (recorded once an hour)",
  async run({ client, print }) {
    const answer = await client.get(wire.tokenListSchema, "/admin/tokens");
    const rows = answer.tokens.map((each) => [
      each.name,
      each.scope,
      each.firstCharacters,
      each.createdAt,
      each.createdBy,
      each.lastUsedAt ?? "never",
      each.revokedAt === null ? "in force" : `revoked ${each.revokedAt}`,
    ]);
    const headings = ["name", "scope", "begins", "created", "by", "last used (to the hour)", "state"];
    print(answer, table(headings, rows, "no tokens besides ADMIN_TOKEN"));
  },
});

const revokeToken = command("revoke <name>", {
  says: "revoke a token; its name cannot be used again",
  options: { yes: option.YES },
  async run(call, _, name: string) {
    await call.confirm(`Revoke the token of ${name} permanently?`);
    const path = `/admin/tokens/${encodeURIComponent(name)}/revoke`;
    const token = await call.client.post(wire.tokenSummarySchema, path, { repeatable: true });
    call.print(token, `The token of ${token.name} was revoked at ${token.revokedAt}.`);
  },
});

export const token = group(
  "token",
  "create, list and revoke operators' tokens, in addition to the secret ADMIN_TOKEN",
  [issueToken, listTokens, revokeToken],
);

/** A refused row of the file with the reason, which never quotes a key. */
interface RefusedRow {
  line: number;
  reason: string;
}

interface KeyFile {
  rows: { line: number; row: wire.KeyImportRow }[];
  refused: RefusedRow[];
}

/** Parses the file's text. Throws `CommandFailure` if the heading lacks a column; lists invalid rows as refused. */
export function parseKeyFile(text: string, name: string): KeyFile {
  const [heading, ...records] = parseCsv(text);
  const names = heading?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const absent = ["account", "plan", "start", "end"].filter((column) => !names.includes(column));
  if (absent.length > 0 || !(names.includes("key") || names.includes("sha256"))) {
    throw new CommandFailure(
      `${name} needs a heading with key or sha256, account, plan, start, end; it lacks ${absent.join(", ") || "key or sha256"}.`,
    );
  }
  const file: KeyFile = { rows: [], refused: [] };
  for (const { line, cells } of records) {
    const row = keyRow((column) => (cells[names.indexOf(column)] ?? "").trim());
    if (row.ok) file.rows.push({ line, row: row.value });
    else file.refused.push({ line, reason: row.refusal });
  }
  return file;
}

/** Returns the row, or a clause that says why it is refused. */
function keyRow(cell: (column: string) => string): Result<wire.KeyImportRow, string> {
  const [start, end] = [parseInstant(cell("start")), parseInstant(cell("end"))];
  if (start === null) return refused("start is neither a date (20260312) nor RFC 3339 with an offset");
  if (end === null) return refused("end is neither a date (20260312) nor RFC 3339 with an offset");
  const row = {
    ...(cell("key") === "" ? {} : { key: cell("key") }),
    ...(cell("sha256") === "" ? {} : { sha256: cell("sha256") }),
    account: cell("account"),
    plan: cell("plan").toLowerCase(),
    start,
    end,
  };
  const checked = wire.keyImportRowSchema.safeParse(row);
  if (checked.success) return ok(checked.data);
  const [issue] = checked.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  return refused(`${where}${issue?.message ?? "not understood"}`);
}

/** Sends the rows in as few requests as possible. Idempotent. */
export async function importKeys(
  client: AdminClient,
  file: KeyFile,
  { allowShort = false } = {},
): Promise<{ imported: number; unchanged: number; refused: RefusedRow[] }> {
  const result = { imported: 0, unchanged: 0, refused: [...file.refused] };
  for (let at = 0; at < file.rows.length; at += wire.KEY_IMPORT_MAX_ROWS) {
    const batch = file.rows.slice(at, at + wire.KEY_IMPORT_MAX_ROWS);
    const answer = await client.post(wire.keysImportedSchema, "/admin/keys/import", {
      body: { rows: batch.map(({ row }) => row), allowShort },
      repeatable: true,
    });
    result.imported += answer.imported;
    result.unchanged += answer.unchanged;
    for (const { row, error } of answer.refused) {
      result.refused.push({ line: batch[row - 1]?.line ?? 0, reason: error });
    }
  }
  result.refused.sort((a, b) => a.line - b.line);
  return result;
}

/**
 * Returns the rows of a CSV text (RFC 4180; a byte order mark is skipped) without empty lines. `line` is the one on which
 * the row begins, from 1.
 */
function parseCsv(text: string) {
  const rows: { line: number; cells: string[] }[] = [];
  let [cells, cell, quoted, line, begun] = [[] as string[], "", false, 1, 1];
  const endRow = () => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== "")) rows.push({ line: begun, cells });
    [cells, cell, begun] = [[], "", line];
  };
  const source = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === "\n") line++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[at + 1] === '"') cell += source[++at];
      else quoted = false;
    } else if (char === '"' && cell.trim() === "") [quoted, cell] = [true, ""];
    else if (char === ",") [cells, cell] = [[...cells, cell], ""];
    else if (char === "\n") endRow();
    else if (char !== "\r") cell += char;
  }
  endRow();
  return rows;
}
