/** `edgetape token` and `edgetape audit`: operators' tokens, and the list of changes. */
import * as wire from "../admin/wire.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { command, group } from "./command.ts";
import { countArgument, table } from "./command-line.ts";
import * as option from "./option.ts";

const issue = command("issue", {
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

const list = command("list", {
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

const revoke = command("revoke <name>", {
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
  [issue, list, revoke],
);

export const audit = command("audit", {
  says: "list who changed what, newest first",
  options: {
    subject: option.text(
      "<text>",
      "entries about this day with all its datasets and files, or this account, key id or token name",
    ),
    actor: option.text("<name>", "changes by this actor: a token's name, an account, ADMIN_TOKEN or service"),
    kind: option.choice(
      "<kind>",
      wire.ACTOR_KINDS,
      "changes by actors of this kind; bootstrap is ADMIN_TOKEN",
    ),
    action: option.text(
      "<name>",
      "only this action, such as day.publish; day stands for all actions on days",
    ),
    since: option.instant(
      "entries at or after this instant: a day (its beginning in Beijing), today, yesterday or RFC 3339",
    ),
    before: option.parsed("<id>", countArgument)("entries older than the one with this id"),
    limit: option.count("maximum number of entries, up to 500 (default: 100)"),
  },
  async run({ client, print }, { subject, actor, kind, action, since: sinceMs, before, limit }) {
    const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString();
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ subject, actor, kind, action, since, before, limit })) {
      if (value !== undefined) query.set(name, String(value));
    }
    const answer = await client.get(wire.auditListSchema, `/admin/audit?${query}`);
    print(answer, auditLines(answer));
  },
});

/** The maximum number of characters of a change that are shown. */
const SHOWN_CHARACTERS = 120;
/** The maximum number of items in a list that is shown item by item. For a longer list, only the number is shown. */
const SHOWN_ITEMS = 4;

/** Returns the entries as a table in their order. */
export function auditLines({ entries }: wire.AuditList): string[] {
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

/** Returns a change as text, with instants in Beijing time; of objects only the fields that differ. */
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
