/** `edgetape token` and `edgetape audit`: operators' tokens, and the list of changes. */
import { type Command, Option } from "commander";
import {
  ACTOR_KINDS,
  type AuditList,
  auditListSchema,
  issuedTokenSchema,
  TOKEN_SCOPES,
  type TokenScope,
  tokenListSchema,
  tokenSummarySchema,
} from "../admin/wire.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import {
  confirm,
  countArgument,
  instantArgument,
  print,
  type ServiceOptions,
  serviceCommand,
  serviceOf,
  table,
  YES_OPTION,
} from "./command-line.ts";

/** Registers `token …`. */
export function registerTokens(program: Command): void {
  const token = serviceCommand(program, "token").description(
    "create, list and revoke operators' tokens, in addition to the secret ADMIN_TOKEN",
  );
  token
    .command("issue")
    .description("create a token for an operator; it is shown only once")
    .argument("<name>", "the operator's name, as it appears in the audit")
    .addOption(
      new Option(
        "--scope <scope>",
        "read: only reading; publish: days and files, as nightly needs, but no customer data; admin: everything",
      )
        .choices(TOKEN_SCOPES)
        .default("read"),
    )
    .action(issue);
  token
    .command("list")
    .description("list all tokens, including revoked ones, with their last use (recorded once an hour)")
    .action(list);
  token
    .command("revoke <name>")
    .description("revoke a token; its name cannot be used again")
    .option(...YES_OPTION)
    .action(revoke);
}

interface AuditOptions extends ServiceOptions {
  subject?: string;
  actor?: string;
  kind?: string;
  action?: string;
  /** Unix milliseconds. */
  since?: number;
  before?: number;
  limit?: number;
}

/** Registers `audit`. */
export function registerAudit(program: Command): void {
  serviceCommand(program, "audit")
    .description("list who changed what, newest first")
    .option(
      "--subject <text>",
      "entries about this day with all its datasets and files, or this account, key id or token name",
    )
    .option("--actor <name>", "changes by this actor: a token's name, an account, ADMIN_TOKEN or service")
    .addOption(
      new Option("--kind <kind>", "changes by actors of this kind; bootstrap is ADMIN_TOKEN").choices(
        ACTOR_KINDS,
      ),
    )
    .option("--action <name>", "only this action, such as day.publish; day stands for all actions on days")
    .option(
      "--since <instant>",
      "entries at or after this instant: a day (its beginning in Beijing), today, yesterday or RFC 3339",
      instantArgument,
    )
    .option("--before <id>", "entries older than the one with this id", countArgument)
    .option("--limit <count>", "maximum number of entries, up to 500 (default: 100)", countArgument)
    .action(audit);
}

async function issue(name: string, options: ServiceOptions & { scope: TokenScope }): Promise<void> {
  const body = { name, scope: options.scope };
  const issued = await serviceOf(options).request(issuedTokenSchema, "POST", "/admin/tokens", { body });
  print(options, issued, [
    issued.token,
    `This is the token of ${issued.name} with scope ${issued.scope}; it cannot be shown again.`,
  ]);
}

async function list(options: ServiceOptions): Promise<void> {
  const answer = await serviceOf(options).request(tokenListSchema, "GET", "/admin/tokens");
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
  print(options, answer, table(headings, rows, "no tokens besides ADMIN_TOKEN"));
}

async function revoke(name: string, options: ServiceOptions): Promise<void> {
  await confirm(`Revoke the token of ${name} permanently?`, options);
  const path = `/admin/tokens/${encodeURIComponent(name)}/revoke`;
  const token = await serviceOf(options).request(tokenSummarySchema, "POST", path, { repeatable: true });
  print(options, token, `The token of ${token.name} was revoked at ${token.revokedAt}.`);
}

async function audit(options: AuditOptions): Promise<void> {
  const { subject, actor, kind, action, before, limit } = options;
  const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ subject, actor, kind, action, since, before, limit })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const answer = await serviceOf(options).request(auditListSchema, "GET", `/admin/audit?${query}`);
  print(options, answer, auditLines(answer));
}

/** The maximum number of characters shown of a change. */
const SHOWN_CHARACTERS = 120;
/** The maximum length of a list whose items are shown. Of a longer list, only the length is shown. */
const SHOWN_ITEMS = 4;

/** Returns the entries as a table in their order. */
export function auditLines({ entries }: AuditList): string[] {
  return table(
    ["id", "at", "kind", "actor", "action", "subject", "change"],
    entries.map(({ id, at, actorKind, actor, action, subject, before, after }) => [
      String(id),
      at,
      actorKind,
      actor,
      action,
      subject,
      shortened(changeText(before, after)),
    ]),
    "no entries",
  );
}

/**
 * Returns a change as text, with instants in Beijing time. For objects, the text contains only the fields that differ.
 */
export function changeText(before: unknown, after: unknown): string {
  if (before === null) return after === null ? "" : valueText(after);
  if (!isObject(before) || !isObject(after)) return `${valueText(before)} → ${valueText(after)}`;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${nameOf(name)} ${memberText(name, before[name])} → ${memberText(name, after[name])}`)
    .join(", ");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    return value.length > SHOWN_ITEMS ? `${value.length} entries` : value.map(valueText).join("; ");
  }
  if (!isObject(value)) return String(value ?? "-");
  return Object.entries(value)
    .filter(([, member]) => member !== "" && member !== null)
    .map(([name, member]) => `${nameOf(name)} ${memberText(name, member)}`)
    .join(", ");
}

/** Returns the display name of a field: `expires` for `expiresAtMs`. */
function nameOf(name: string): string {
  return name.replace(/(At)?Ms$/, "");
}

function memberText(name: string, value: unknown): string {
  if (typeof value === "number" && name.endsWith("Ms")) return beijingTimestamp(value);
  return valueText(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shortened(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
