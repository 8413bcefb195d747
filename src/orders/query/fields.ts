/** The `fields` member of an order query: which columns, under which names, in which order (contract 3.10). */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import { FIELDS, type Field, LEGACY_NAMES } from "../record.ts";
import { nearestName } from "./nearest-name.ts";
import { lazily } from "./parameters.ts";
import { excerptOf, invalid, type QueryDenial } from "./query-denial.ts";

/** A column of the answer: the field it holds and the name it was asked by. */
export interface AskedColumn {
  field: Field;
  name: string;
}

/** The ten standard fields in their order: the answer without `fields`. */
const STANDARD_COLUMNS: readonly AskedColumn[] = FIELDS.map((field) => ({ field, name: field }));

const FIELD_BY_NAME: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...FIELDS.map((field): [string, Field] => [field, field]),
  ...Object.entries(LEGACY_NAMES),
]);

/** Whether `columns` are the standard ones in their order, so that a Parquet answer is a plain copy. */
export function areStandardColumns(columns: readonly AskedColumn[]): boolean {
  return columns.length === FIELDS.length && columns.every(({ name }, index) => name === FIELDS[index]);
}

/** One name or none, blanks around it; each blank can be read in one way only, or long ones would take forever. */
const PIECE = String.raw`\s*((${[...FIELD_BY_NAME.keys()].join("|")})\s*)?`;

/** A comma-separated string or an array of strings that name columns; nothing and blanks name the standard ones. */
export const fieldsSchema = lazily(() =>
  z
    .union([
      z.string().regex(new RegExp(`^${PIECE}(,${PIECE})*$`)),
      z.array(z.string().regex(new RegExp(`^${PIECE}$`))),
    ])
    .nullish()
    .meta({
      description: `Columns in the order wanted, as a comma-separated string or an array: ${FIELDS.join(", ")}, and the legacy names order_no (exchange_order_id) and side (order_code). Left out: the ten standard ones.`,
      examples: ["time,price,volume"],
    })
    .transform(columnsOf),
);

/**
 * The columns that `fields` asks for (contract 3.10): absent, blank or naming nothing → the standard ones; a
 * comma-separated string or an array of strings → those in the order asked, blanks trimmed, empty pieces
 * and repeats dropped, names case-sensitive. A legacy name keeps its name and may stand beside the new one.
 * Refuses any other type (`param_invalid`) and the first unknown name (`field_unknown`).
 *
 * @example parseFields("time,side") // [{field: "time", name: "time"}, {field: "order_code", name: "side"}]
 */
export function parseFields(fields: unknown): Result<AskedColumn[], QueryDenial> {
  const parsed = fieldsSchema().safeParse(fields);
  if (parsed.success) return ok(parsed.data);
  const unknown = (namesIn(fields) ?? []).find((name) => !FIELD_BY_NAME.has(name));
  if (unknown === undefined) return refused(invalid("fields", "fields_form", fields));
  const nearest = nearestName(unknown, [...FIELD_BY_NAME.keys()]);
  const pieces = unknown.split(SEPARATORS).filter(Boolean);
  const separated = pieces.length > 1 ? { separated: excerptOf(pieces.join(",")) } : {};
  return refused({ reason: "field_unknown", field: excerptOf(unknown), nearest, ...separated });
}

/** What people write between names instead of a comma. */
const SEPARATORS = /[，、；;|\s]+/;

function columnsOf(fields: string | string[] | null | undefined): AskedColumn[] {
  const columns = (namesIn(fields) ?? []).flatMap((name) => {
    const field = FIELD_BY_NAME.get(name);
    return field === undefined ? [] : [{ field, name }];
  });
  return columns.length === 0 ? [...STANDARD_COLUMNS] : columns;
}

/** The distinct non-empty names in the order asked, or `null` for a value of another type. */
function namesIn(fields: unknown): string[] | null {
  if (fields === undefined || fields === null) return [];
  const pieces = typeof fields === "string" ? fields.split(",") : fields;
  if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === "string")) return null;
  return [...new Set(pieces.map((piece) => piece.trim()))].filter((piece) => piece !== "");
}
