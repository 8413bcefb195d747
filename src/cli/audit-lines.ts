/** Entries of the audit as lines for people; `--json` has the values as they are. */
import type { AuditList } from "../admin/wire.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { table } from "./service-options.ts";

/** Characters of a change that a line shows. */
const SHOWN_CHARACTERS = 120;
/** Lists of more are counted, not shown: a year has 365 days. */
const SHOWN_ITEMS = 4;

/** The entries as a table, in their order. */
export function auditLines({ entries }: AuditList): string[] {
  return table(
    ["id", "at", "kind", "who", "what", "of", "change"],
    entries.map(({ id, at, actorKind, actor, action, subject, before, after }) => [
      String(id),
      at,
      actorKind,
      actor,
      action,
      subject,
      short(changeText(before, after)),
    ]),
  );
}

/** What changed, in words: of two objects only the members that differ; instants in Beijing time. */
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

/** `expiresAtMs` is `expires`: the value says what it is. */
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

function short(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
