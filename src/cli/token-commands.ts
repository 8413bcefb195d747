/** `edgetape token` and `edgetape audit`: who the operators are, and what they did. */
import { type Command, Option } from "commander";
import {
  ACTOR_KINDS,
  auditListSchema,
  issuedTokenSchema,
  TOKEN_SCOPES,
  type TokenScope,
  tokenListSchema,
  tokenSummarySchema,
} from "../admin/wire.ts";
import { countArgument, instantArgument } from "./arguments.ts";
import { auditLines } from "./audit-lines.ts";
import { type ConfirmOptions, confirm, YES_OPTION } from "./confirm.ts";
import { print, type ServiceOptions, serviceOf, table, withService } from "./service-options.ts";

/** Registers `token …`. */
export function registerTokens(program: Command): void {
  const token = program.command("token").description("operators' own tokens, beside the secret ADMIN_TOKEN");
  withService(
    token
      .command("issue")
      .description("make a token for an operator; it is shown this one time only")
      .argument("<name>", "who holds it: the audit speaks of this name")
      .addOption(
        new Option(
          "--scope <scope>",
          "read: looks and changes nothing; publish: days and files, what nightly needs, nothing of customers; admin: all",
        )
          .choices(TOKEN_SCOPES)
          .default("read"),
      ),
  ).action(issue);
  withService(token.command("list").description("all tokens, revoked ones too")).action(list);
  withService(
    token
      .command("revoke")
      .description("refuse a token from now on; its name is not given again")
      .argument("<name>")
      .option(...YES_OPTION),
  ).action(revoke);
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
  withService(
    program
      .command("audit")
      .description("who changed what, newest first")
      .option("--subject <text>", "of one day, account, key id or token name")
      .option("--actor <name>", "by the holder of this token, this account, ADMIN_TOKEN or service")
      .addOption(
        new Option("--kind <kind>", "by actors of this kind: bootstrap is ADMIN_TOKEN").choices(ACTOR_KINDS),
      )
      .option("--action <name>", "such as day.publish, or day for all of them")
      .option(
        "--since <instant>",
        "from a day (its beginning in Beijing), today, yesterday or RFC 3339 on",
        instantArgument,
      )
      .option("--before <id>", "older than this entry", countArgument)
      .option("--limit <count>", "at most so many, up to 500 (100 when absent)", countArgument),
  ).action(audit);
}

async function issue(name: string, options: ServiceOptions & { scope: TokenScope }): Promise<void> {
  const client = serviceOf(options);
  const body = { name, scope: options.scope };
  const issued = await client.request(issuedTokenSchema, "POST", "/admin/tokens", { body });
  print(options, issued, [
    issued.token,
    `The token of ${issued.name} with the scope ${issued.scope}; it cannot be shown again.`,
  ]);
}

async function list(options: ServiceOptions): Promise<void> {
  const answer = await serviceOf(options).request(tokenListSchema, "GET", "/admin/tokens");
  const lines =
    answer.tokens.length === 0
      ? "no tokens beside ADMIN_TOKEN"
      : table(
          ["name", "scope", "begins", "made", "by", "last used", "state"],
          answer.tokens.map((each) => [
            each.name,
            each.scope,
            each.firstCharacters,
            each.createdAt,
            each.createdBy,
            each.lastUsedAt ?? "never",
            each.revokedAt === null ? "in force" : `revoked ${each.revokedAt}`,
          ]),
        );
  print(options, answer, lines);
}

async function revoke(name: string, options: ServiceOptions & ConfirmOptions): Promise<void> {
  await confirm(`Refuse the token of ${name} for good?`, options);
  const path = `/admin/tokens/${encodeURIComponent(name)}/revoke`;
  const token = await serviceOf(options).request(tokenSummarySchema, "POST", path, { repeatable: true });
  print(options, token, `The token of ${token.name} is revoked since ${token.revokedAt}.`);
}

async function audit(options: AuditOptions): Promise<void> {
  const { subject, actor, kind, action, before, limit } = options;
  const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ subject, actor, kind, action, since, before, limit })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const answer = await serviceOf(options).request(auditListSchema, "GET", `/admin/audit?${query}`);
  print(options, answer, answer.entries.length === 0 ? "no entries" : auditLines(answer));
}
