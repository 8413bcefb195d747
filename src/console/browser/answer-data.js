/** Converts an answer of any operation to readable JSON, to CSV and to tables. Pure. */

/** @typedef {string | number | null} Cell */
/** @typedef {Cell[]} Row */
/** @typedef {{ name: string, fields: string[], rows: Row[] }} Table */

/**
 * Returns `value` as indented JSON. A list of plain values, such as a row of a page, stays on one line.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function prettyText(value, indent = "") {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isFlat = Object.values(value).every((each) => typeof each !== "object" || each === null);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const entries = Object.entries(value);
  const inner = `${indent}  `;
  const texts = entries.map(([name, each]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(name)}: `;
    return label + prettyText(each, inner);
  });
  if (entries.length === 0 || (isFlat && Array.isArray(value))) return open + texts.join(", ") + close;
  return `${open}\n${texts.map((text) => inner + text).join(",\n")}\n${indent}${close}`;
}

/**
 * Returns rows as CSV (RFC 4180) with a header line. Only values that need quotes are quoted.
 *
 * @param {readonly string[]} fields
 * @param {readonly (readonly unknown[])[]} rows
 */
export function csvText(fields, rows) {
  /** @param {unknown} value */
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [fields, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/**
 * Returns the tables of an answer of any operation. An answer with `fields` and `items` has one table. Any other answer
 * has a table for each list of objects and, before these, a table `data` with the other members.
 *
 * @param {object} data
 * @returns {Table[]}
 */
export function tablesOf(data) {
  const { fields, items } = /** @type {{ fields?: string[], items?: Row[] }} */ (data);
  if (Array.isArray(fields) && Array.isArray(items)) return [{ name: "items", fields, rows: items }];
  /** @type {Table[]} */
  const tables = [];
  /** @type {Record<string, unknown>} */
  const rest = {};
  for (const [name, value] of Object.entries(data)) {
    if (Array.isArray(value) && typeof value[0] === "object") tables.push(tableOf(name, value));
    else rest[name] = value;
  }
  const members = membersOf(rest);
  if (members.length > 0) tables.unshift({ name: "data", fields: ["member", "value"], rows: members });
  return tables;
}

/**
 * Returns a list of objects as a table. Its columns are the members of the first object.
 *
 * @param {string} name
 * @param {Record<string, Cell>[]} list
 * @returns {Table}
 */
function tableOf(name, list) {
  const fields = Object.keys(list[0] ?? {});
  return { name, fields, rows: list.map((each) => fields.map((field) => each[field] ?? null)) };
}

/**
 * Returns one row for each member of `value`, with the member's path and value. Members of nested objects have paths
 * such as `plan.name`.
 *
 * @param {object} value
 * @returns {Row[]}
 */
function membersOf(value, path = "") {
  return Object.entries(value).flatMap(([name, each]) => {
    const to = path === "" ? name : `${path}.${name}`;
    const isNested = typeof each === "object" && each !== null && !Array.isArray(each);
    return isNested ? membersOf(each, to) : [[to, each]];
  });
}
