/**
 * `edgetape audit`, `usage`, `changes` and `explain`: who changed what, what customers used, how the served days
 * changed, and why a request was answered as it was.
 */
import * as wire from "../admin/wire.ts";
import { beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import { type Call, command } from "./command.ts";
import { countArgument, countText, sizeText, table } from "./command-line.ts";
import { datasetsOf, inDataset } from "./dataset-days.ts";
import { EXIT, UsageFailure } from "./exit.ts";
import { readOperatorText } from "./operator-text.ts";
import * as option from "./option.ts";

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

export const usage = command("usage", {
  says: "show requests, files and bytes of each account in a month, by interface",
  options: {
    month: option.month("the month to report, in Beijing time (default: the current month)"),
    csv: option.flag("print CSV for billing: account,service,requests,files,bytes"),
  },
  help:
    "\nRequests of every kind count, including those for whole files; credited requests do not. Bytes are those of the\n" +
    "answers' bodies. Accounts without requests are omitted. The last ten minutes may be missing.",
  async run({ client, print }, { csv, ...options }) {
    const current = beijingDate(Date.now()).slice(0, 6);
    const { month = current } = options;
    const answer = await client.get(wire.usageListSchema, `/admin/usage?month=${month}`);
    print(answer, csv ? usageCsv(answer) : usageTable(answer));
    if (month === current) {
      process.stderr.write(`${month} is not over, and requests of the last ten minutes may be missing.\n`);
    }
  },
});

const USAGE_COLUMNS = ["account", "service", "requests", "files", "bytes"];

/** Returns RFC 4180 lines: a header, then one for each account and service, with plain digits. */
export function usageCsv({ usage }: wire.UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) =>
    [accountId, service, requests, files, bytes].map((value) => quoted(String(value))).join(","),
  );
  return [USAGE_COLUMNS.join(","), ...rows];
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function usageTable({ month, usage }: wire.UsageList): string[] {
  const rows = usage.map(({ accountId, service, requests, files, bytes }) => [
    accountId,
    service,
    countText(requests),
    countText(files),
    sizeText(bytes),
  ]);
  return table(USAGE_COLUMNS, rows, `no requests in ${month}`);
}

const SHOWN_CODES = 5;

export const changes = command("changes", {
  says: "list which days were published, restored, withdrawn or damaged, and which securities differ",
  options: {
    since: option.instant(
      "only changes at or after this instant: a day (its beginning in Beijing), today, yesterday or RFC 3339",
    ),
    after: option.parsed("<number>", countArgument)("only changes after the one with this number"),
    dataset: option.dataset("only this dataset (default: all)"),
  },
  async run({ client, print }, { since, after = 0, ...of }) {
    const changes: wire.Change[] = [];
    let nextAfter = after;
    for (const dataset of datasetsOf(of)) {
      let page: wire.ChangeList | undefined;
      do {
        const query = new URLSearchParams({ after: String(page?.nextAfter ?? after) });
        if (since !== undefined) query.set("since", new Date(since).toISOString());
        page = await client.get(wire.changeListSchema, inDataset(`/admin/changes?${query}`, dataset));
        changes.push(...page.changes);
      } while (page.hasMore);
      nextAfter = Math.max(nextAfter, page.nextAfter);
    }
    changes.sort((a, b) => a.change - b.change);
    const rows = changes.map((each) => [
      String(each.change),
      each.at,
      dayName(each.tradedate, each.dataset ?? "orders"),
      each.kind,
      each.previous === null ? String(each.revision) : `${each.previous} → ${each.revision}`,
      differences(each),
    ]);
    const headings = ["change", "at", "day", "what", "revision", "securities that differ"];
    print({ changes, nextAfter }, table(headings, rows, "Nothing has changed."));
  },
});

function differences({ securities }: wire.Change): string {
  if (securities === null) return "-";
  const { added, removed, changed } = securities;
  const told = Object.entries({ added, removed, changed })
    .filter(([, codes]) => codes.length > 0)
    .map(([what, codes]) => {
      const more = codes.length - SHOWN_CODES;
      return `${codes.slice(0, SHOWN_CODES).join(" ")}${more <= 0 ? "" : ` and ${more} more`} ${what}`;
    });
  return told.length === 0 ? "none" : told.join(", ");
}

export const explain = command("explain", {
  says: "explain why a request was answered as it was, or how it would be answered now; nothing is charged",
  args: {
    "[request id]":
      "the id at the end of a message or in X-Request-Id; the command prints a text for the customer",
  },
  options: {
    request: option.text(
      "<json>",
      "instead of an id: the body of a request, or @ and the path of a file that contains it",
    ),
    key: option.text(
      "<key>",
      "explain --request as if it were sent with this key (prefer EDGETAPE_KEY: other users can see command lines)",
    ),
    keyId: option.text("<id>", "explain --request as if it were sent by the holder of this key"),
    account: option.text(
      "<account>",
      "explain --request as if it were sent by this account, or search only this account for the id",
    ),
  },
  async run(call, { request, account, key, keyId }, requestId?: string) {
    if (requestId !== undefined && request === undefined) return explainMade(call, requestId, account);
    if (requestId !== undefined || request === undefined) {
      throw new UsageFailure("Give either a request id or --request.");
    }
    const isNamed = keyId !== undefined || account !== undefined;
    await explainWhatIf(call, {
      request: request.startsWith("@") ? await readOperatorText(request.slice(1)) : request,
      key: key ?? (isNamed ? undefined : process.env.EDGETAPE_KEY),
      keyId,
      account,
    });
  },
});

async function explainMade({ client, print }: Call, requestId: string, account?: string): Promise<void> {
  const query = account === undefined ? "" : `?account=${encodeURIComponent(account)}`;
  const path = `/admin/explain/${encodeURIComponent(requestId)}${query}`;
  const explained = await client.get(wire.explainedRequestSchema, path);
  const { accountId, keyId, text, state } = explained;
  print(explained, [
    ...(accountId === null ? [] : [`account ${accountId}${keyId === null ? "" : `, key ${keyId}`}`, ""]),
    text.zh,
    text.en,
  ]);
  if (state === "unknown") process.exitCode = EXIT.failed;
}

async function explainWhatIf({ client, print }: Call, body: wire.Explain): Promise<void> {
  const request = { body, repeatable: true };
  const explanation = await client.post(wire.explanationSchema, "/admin/explain", request);
  const { steps, code, reason, httpStatus, message } = explanation;
  print(explanation, [
    ...table(
      ["step", "about", "", "what was found"],
      steps.map(({ step, about, result, detail }) => [String(step), about, result.replace("_", " "), detail]),
    ),
    "",
    `code ${code} (${reason}), HTTP ${httpStatus}`,
    message.zh,
    message.en,
  ]);
}
