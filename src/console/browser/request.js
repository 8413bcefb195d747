/** The request that a form makes, and programs that send the same request. Pure. */

/**
 * @typedef {object} Body
 * @property {string} apiname
 * @property {string} apikey
 * @property {Record<string, string | number>} params
 * @property {string | number} [fields]
 */
/** @typedef {{ name: string, value: string, numeric?: boolean, beside?: boolean }} FieldValue */

/** The placeholder for the key in a request body. The programs replace it with an environment variable. */
const KEY = "$EDGETAPE_KEY";

/**
 * Returns the body for `POST /api`. `values` are the form's fields in order; empty ones are omitted. A numeric field
 * that is not a whole number stays text, which the service refuses.
 *
 * @param {string} apiname
 * @param {readonly FieldValue[]} values
 */
export function bodyOf(apiname, values) {
  /** @type {Body} */
  const body = { apiname, apikey: KEY, params: {} };
  for (const { name, value, numeric, beside } of values) {
    const text = value.trim();
    if (text === "") continue;
    const given = numeric && /^\d{1,15}$/.test(text) ? Number(text) : text;
    if (beside) Object.assign(body, { [name]: given });
    else body.params[name] = given;
  }
  return body;
}

/**
 * Returns the name, without extension, of a file for the rows that `body` requests.
 *
 * @param {Body} body
 */
export function nameOfRows({ apiname, params }) {
  const [, row = "order"] = /^level2_([a-z]+)_history$/.exec(apiname) ?? [];
  const dataset = `${row}s`;
  return `${params.symbol ?? dataset}_${params.tradedate ?? "latest"}_${dataset}`;
}

/**
 * Returns the name of the file that answers `body`, or null when the answer is not a file.
 *
 * @param {Body} body
 */
export function fileOf(body) {
  return body.params.format === "parquet" ? `${nameOfRows(body)}.parquet` : null;
}

/**
 * Returns the request as a program in each language.
 *
 * @param {Body} body
 * @param {string} url
 */
export function programs(body, url) {
  return { curl: curl(body, url), python: python(body, url), typescript: typescript(body, url) };
}

/**
 * @param {Body} body
 * @param {string} url
 */
function curl(body, url) {
  // The shell interprets nothing inside single quotes, so they are closed and reopened around the key's variable.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replace(`"${KEY}"`, `"'"${KEY}"'"`);
  const file = fileOf(body);
  const output = file === null ? " --compressed" : ` \\\n  --fail-with-body -o ${quoted(file)}`;
  return `curl -sS ${url}${output} \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`;
}

/**
 * @param {Body} body
 * @param {string} url
 */
function python(body, url) {
  const lines = ["import os", "import requests", ""];
  const json = pythonValue(body, "").replace(`"${KEY}"`, 'os.environ["EDGETAPE_KEY"]');
  lines.push(`answer = requests.post("${url}", timeout=310, json=${json})`);
  const file = fileOf(body);
  if (file === null) return [...lines, "print(answer.json())"].join("\n");
  return [
    ...lines,
    "answer.raise_for_status()",
    `open(${JSON.stringify(file)}, "wb").write(answer.content)`,
  ].join("\n");
}

/**
 * @param {Body} body
 * @param {string} url
 */
function typescript(body, url) {
  const json = JSON.stringify(body, null, 2)
    .replace(`"${KEY}"`, "process.env.EDGETAPE_KEY")
    .replaceAll(/^([ \t]*)"(\w+)":/gm, "$1$2:");
  const file = fileOf(body);
  const head = file === null ? "" : 'import { writeFile } from "node:fs/promises";\n\n';
  const ask = `const answer = await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),
});`;
  if (file === null) return `${head}${ask}\nconsole.log(await answer.json());`;
  return `${head}${ask}
if (!answer.ok) throw new Error(await answer.text());
await writeFile(${JSON.stringify(file)}, new Uint8Array(await answer.arrayBuffer()));`;
}

/**
 * Returns a value as Python text. JSON is valid Python except for true, false and null, which a form cannot create.
 *
 * @param {object | string | number} value
 * @param {string} indent
 * @returns {string}
 */
function pythonValue(value, indent) {
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const inner = `${indent}    `;
  const lines = entries.map(([name, each]) => `${inner}"${name}": ${pythonValue(each, inner)},`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** @param {string} text */
function quoted(text) {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
