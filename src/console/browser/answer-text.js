/** Answers as texts: JSON for people, CSV for spreadsheets. Pure. */

/** JSON with a line for each member, and for each list of plain values: a page's record is one line. */
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

/** Rows as CSV (RFC 4180) with a line of names; every text in quotes that would need them. */
export function csvText(fields, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [fields, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
