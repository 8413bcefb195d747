/** The `fields` member of a query: which columns, under which names, in which order (contract 3.10). */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import { DATASETS, type DatasetName, perDataset } from "../../datasets/registry.ts";
import { nearestName } from "./nearest-name.ts";
import { lazily } from "./parameters.ts";
import { excerptOf, invalid, type QueryDenial } from "./query-denial.ts";

/** A column of the answer: its field and the requested name. */
export interface AskedColumn {
  field: string;
  name: string;
}

const FIELDS = perDataset("name", (dataset) => lazily(() => makeFields(dataset)));

/**
 * Returns the columns of `dataset` that `fields` can name: the standard ones in order, the fields that are returned only
 * when `fields` names them, the legacy names, and all names. `schema` parses a comma-separated string or an array of
 * column names; blank means the standard columns.
 */
export function fieldsOf(dataset: DatasetName): ReturnType<typeof makeFields> {
  return FIELDS[dataset]();
}

function makeFields(dataset: DatasetName) {
  const { columns } = DATASETS[dataset];
  const all: AskedColumn[] = columns.map(({ name }) => ({ field: name, name }));
  const legacy: AskedColumn[] = columns.flatMap(({ name, legacyName }) =>
    legacyName === undefined ? [] : [{ field: name, name: legacyName }],
  );
  const onRequest = columns.filter((column) => column.onRequest).map(({ name }) => name);
  const standard = all.filter(({ name }) => !onRequest.includes(name));
  const byName = new Map([...all, ...legacy].map((column) => [column.name, column]));
  const names = [...byName.keys()];

  // Matches one optional name with blanks around it. The pattern is unambiguous, so that long runs of blanks do not
  // cause backtracking.
  const piece = String.raw`\s*((${names.join("|")})\s*)?`;
  const accepted = [standard.map(({ name }) => name).join(", ")];
  if (onRequest.length > 0) accepted.push(`on request ${onRequest.join(", ")}`);
  const older = legacy.map(({ name, field }) => `${name} (${field})`);
  if (older.length > 0) accepted.push(`the legacy names ${older.join(" and ")}`);
  const schema = z
    .union([
      z.string().regex(new RegExp(`^${piece}(,${piece})*$`)),
      z.array(z.string().regex(new RegExp(`^${piece}$`))),
    ])
    .nullish()
    .meta({
      description: `Columns in the order wanted, as a comma-separated string or an array: ${accepted.join(", and ")}. When omitted, the ${standard.length} standard ones.`,
      examples: [["time", "price", "close", "volume"].filter((name) => byName.has(name)).join(",")],
    })
    .transform((fields) => {
      const asked = (namesIn(fields) ?? []).flatMap((name) => byName.get(name) ?? []);
      return asked.length === 0 ? [...standard] : asked;
    });
  return { standard, onRequest, legacy, names, schema };
}

/**
 * Returns whether `columns` are all columns of the dataset's pack in order, so that a Parquet answer is a plain copy.
 */
export function areAllColumns(columns: readonly AskedColumn[], dataset: DatasetName): boolean {
  const all = DATASETS[dataset].columns;
  return columns.length === all.length && columns.every(({ name }, place) => name === all[place]?.name);
}

/**
 * Returns the columns of `dataset` that `fields` selects (contract 3.10). When `fields` is absent or blank, returns the
 * standard columns. Otherwise `fields` is a comma-separated string or an array of strings, and the columns are returned
 * in the order of its names. Blanks around names, empty pieces and repeats are ignored; names are case-sensitive. A
 * column requested by its legacy name is returned under that name, and its new name can be requested too. Refuses any
 * other type (`param_invalid`) and the first unknown name (`field_unknown`).
 *
 * @example parseFields("time,side", "orders") // [{field: "time", name: "time"}, {field: "order_code", name: "side"}]
 */
export function parseFields(fields: unknown, dataset: DatasetName): Result<AskedColumn[], QueryDenial> {
  const { schema, names } = fieldsOf(dataset);
  const parsed = schema.safeParse(fields);
  if (parsed.success) return ok(parsed.data);
  const unknown = (namesIn(fields) ?? []).find((name) => !names.includes(name));
  if (unknown === undefined) return refused(invalid("fields", "fields_form", fields));
  const nearest = nearestName(unknown, names);
  const pieces = unknown.split(SEPARATORS).filter(Boolean);
  const separated = pieces.length > 1 ? { separated: excerptOf(pieces.join(",")) } : {};
  return refused({ reason: "field_unknown", dataset, field: excerptOf(unknown), nearest, ...separated });
}

/** Separators that callers use instead of a comma. */
const SEPARATORS = /[，、；;|\s]+/;

/**
 * Returns the distinct non-empty names in a string or an array of strings, in the requested order. Returns an empty
 * list for an absent value and null for any other type.
 */
function namesIn(fields: unknown): string[] | null {
  if (fields === undefined || fields === null) return [];
  const pieces = typeof fields === "string" ? fields.split(",") : fields;
  if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === "string")) return null;
  return [...new Set(pieces.map((piece) => piece.trim()))].filter((piece) => piece !== "");
}
