/** The request that a form makes, and the same request as a program sends it. Pure. */

/** What stands in the place of the key, here and in the programs. */
const KEY = "$EDGETAPE_KEY";

/**
 * The body for `POST /api`. `values` are the form's fields in their order: `{name, value, numeric, beside}`;
 * empty ones are left out, and what is not a whole number stays text, for the service to say so.
 */
export function bodyOf(apiname, values) {
  const body = { apiname, apikey: KEY, params: {} };
  for (const { name, value, numeric, beside } of values) {
    const text = value.trim();
    if (text === "") continue;
    const target = beside ? body : body.params;
    target[name] = numeric && /^\d{1,15}$/.test(text) ? Number(text) : text;
  }
  return body;
}

/** Whether the answer to `body` is a file; then its name, else null. */
export function fileOf(body) {
  if (body.params.format !== "parquet") return null;
  return `${body.params.symbol ?? "orders"}_${body.params.tradedate ?? "latest"}_orders.parquet`;
}

/** The request as programs in each language: `{curl, python, typescript}`. */
export function programs(body, url) {
  return { curl: curl(body, url), python: python(body, url), typescript: typescript(body, url) };
}

function curl(body, url) {
  // Inside single quotes nothing is special to the shell, so they are left once, for the key.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replace(`"${KEY}"`, `"'"${KEY}"'"`);
  const output = fileOf(body) === null ? "" : ` \\\n  --fail-with-body -o ${quoted(fileOf(body))}`;
  return `curl -sS ${url}${output} \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`;
}

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

/** JSON is Python where there is no true, false or null, which a form cannot make. */
function pythonValue(value, indent) {
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const inner = `${indent}    `;
  const lines = entries.map(([name, each]) => `${inner}"${name}": ${pythonValue(each, inner)},`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function quoted(text) {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
