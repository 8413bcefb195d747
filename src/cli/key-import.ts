/** Existing customers' keys out of a CSV file: key (or its SHA-256), account, plan, start, end. */
import {
  KEY_IMPORT_MAX_ROWS,
  type KeyImportRow,
  keyImportRowSchema,
  keysImportedSchema,
} from "../admin/wire.ts";
import { parseInstant } from "../calendar/instant.ts";
import type { AdminClient } from "./admin-client.ts";
import { parseCsv } from "./csv.ts";
import { CommandFailure } from "./exit.ts";

const COLUMNS = ["key", "sha256", "account", "plan", "start", "end"] as const;
type ColumnName = (typeof COLUMNS)[number];

/** A row of the file that was not imported, and why. The reason never quotes a key. */
export interface RefusedRow {
  line: number;
  reason: string;
}

export interface KeyFile {
  rows: { line: number; row: KeyImportRow }[];
  refused: RefusedRow[];
}

/** Reads the file's text. A heading that lacks a column ends the command; a bad row is refused by itself. */
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
    if ("reason" in row) file.refused.push({ line, reason: row.reason });
    else file.rows.push({ line, row });
  }
  return file;
}

function keyRow(cell: (column: ColumnName) => string): KeyImportRow | { reason: string } {
  const [start, end] = [parseInstant(cell("start")), parseInstant(cell("end"))];
  if (start === null) return { reason: "start is neither a date (20260312) nor RFC 3339 with an offset" };
  if (end === null) return { reason: "end is neither a date (20260312) nor RFC 3339 with an offset" };
  const row = {
    ...(cell("key") === "" ? {} : { key: cell("key") }),
    ...(cell("sha256") === "" ? {} : { sha256: cell("sha256") }),
    account: cell("account"),
    plan: cell("plan").toLowerCase(),
    start,
    end,
  };
  const checked = keyImportRowSchema.safeParse(row);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  return { reason: `${where}${issue?.message ?? "not understood"}` };
}

/** Sends the rows, as many a request as the service takes. The same file again changes nothing. */
export async function importKeys(
  client: AdminClient,
  file: KeyFile,
  { allowShort = false } = {},
): Promise<{ imported: number; unchanged: number; refused: RefusedRow[] }> {
  const result = { imported: 0, unchanged: 0, refused: [...file.refused] };
  for (let at = 0; at < file.rows.length; at += KEY_IMPORT_MAX_ROWS) {
    const batch = file.rows.slice(at, at + KEY_IMPORT_MAX_ROWS);
    const answer = await client.request(keysImportedSchema, "POST", "/admin/keys/import", {
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
