/**
 * Builds the package's two files: `dist/index.js`, the client, and `dist/index.d.ts`, all declarations that its public
 * names need. Declarations come from the sources of client and server, so no type is written twice; only types are
 * taken from the server. Types that follow from a dataset's description are written out with the meaning of each
 * column.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { orders } from "../../datasets/orders.ts";
import { DATASET_NAMES } from "../../datasets/registry.ts";
import { trades } from "../../datasets/trades.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(FOLDER, "../../..");

/** A top-level declaration of a file, with its comment. */
interface Declaration {
  name: string;
  text: string;
}

/** One file of declarations: its own ones, and the origin of the names that it imports or re-exports. */
interface Declarations {
  own: Map<string, Declaration>;
  imports: Map<string, { path: string; name: string }>;
  /** Public names, declared here or re-exported. */
  exports: Map<string, { path: string; name: string; isType: boolean }>;
}

await build({
  entryPoints: [join(FOLDER, "index.ts")],
  outfile: join(FOLDER, "dist/index.js"),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
});
const scratch = mkdtempSync(join(tmpdir(), "edgetape-declarations-"));
try {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--project", FOLDER, "--outDir", scratch];
  execFileSync(process.execPath, [compiler, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  const entry = join(scratch, relative(join(ROOT, "src"), FOLDER), "index.d.ts");
  writeFileSync(join(FOLDER, "dist/index.d.ts"), joined(entry));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The declarations that replace those of `types.ts`, whose computed types would tell a reader little. */
function writtenOut(): Map<string, string> {
  return new Map([
    ["DatasetName", `type DatasetName = ${DATASET_NAMES.map((name) => `"${name}"`).join(" | ")};`],
    ["OrderRecord", recordText("OrderRecord", orders)],
    ["TradeRecord", recordText("TradeRecord", trades)],
    ["Field", standardText("Field", "OrderRecord", orders)],
    ["TradeField", standardText("TradeField", "TradeRecord", trades)],
  ]);
}

function recordText(name: string, { columns }: Dataset): string {
  const members = columns.flatMap((column) => {
    const type = ["integer", "price", "yuan", "amount"].includes(column.kind) ? "number" : "string";
    const own = `    /** ${commentOf(column)} */\n    ${column.name}: ${type};\n`;
    if (column.legacyName === undefined) return [own];
    return [own, `    /** Legacy name of \`${column.name}\`. */\n    ${column.legacyName}: ${type};\n`];
  });
  return `interface ${name} {\n${members.join("")}}`;
}

function commentOf({ description, unit, onRequest }: Column): string {
  const measured = unit === null ? "" : ` In ${unit.en}.`;
  return `${description.en}${measured}${onRequest ? " Only on request." : ""}`;
}

function standardText(name: string, record: string, { columns }: Dataset): string {
  const others = columns.flatMap(({ name: column, legacyName, onRequest }) => [
    ...(onRequest ? [column] : []),
    ...(legacyName === undefined ? [] : [legacyName]),
  ]);
  return `type ${name} = Exclude<keyof ${record}, ${others.map((each) => `"${each}"`).join(" | ")}>;`;
}

/**
 * Returns the text with tabs, comments on one line and empty bodies closed: a tenth of the compiler's text is blanks.
 */
function packed(text: string): string {
  return text
    .replaceAll(/^( *)\/\*\*\n((?: *\* \S.*\n)+) *\*\//gm, (whole, indent: string, lines: string) => {
      if (lines.includes("@example")) return whole;
      return `${indent}/** ${lines
        .trim()
        .replaceAll(/^ *\* /gm, "")
        .replaceAll("\n", " ")} */`;
    })
    .replaceAll(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))
    .replaceAll("{\n}", "{}");
}

/** Returns the public declarations of `entry` and what they need, as one file. */
function joined(entry: string): string {
  const files = new Map<string, Declarations>();
  const load = (path: string): Declarations => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const found = declarationsIn(path, load);
    files.set(path, found);
    return found;
  };
  const taken = new Map<string, string>();
  const replaced = writtenOut();
  /** Takes the declaration to which `name` refers in the file `path`, and those it needs; returns its own name. */
  const take = (path: string, name: string): string => {
    const { own, imports, exports } = load(path);
    const declaration = own.get(name);
    if (declaration === undefined) {
      const from = imports.get(name) ?? exports.get(name);
      if (from === undefined || (from.path === path && from.name === name))
        throw new Error(`${path} has no ${name}`);
      return take(from.path, from.name);
    }
    const text = replaced.get(name) ?? declaration.text.replaceAll(/^export /gm, "");
    const before = taken.get(name);
    if (before !== undefined && before !== text) throw new Error(`${name} is declared twice`);
    if (before !== undefined) return name;
    taken.set(name, text);
    const code = text
      .split("/**")
      .map((piece, place) => (place === 0 ? piece : piece.slice(piece.indexOf("*/") + 2)))
      .join("");
    for (const word of new Set(code.match(/[A-Za-z_]\w*/g))) {
      if (word === name || (!own.has(word) && !imports.has(word))) continue;
      const meant = take(path, word);
      if (meant !== word) taken.set(word, `type ${word} = ${meant};`);
    }
    return name;
  };
  const listed = [...load(entry).exports].map(([name, from]) => {
    const meant = take(from.path, from.name);
    return `${from.isType ? "type " : ""}${meant === name ? name : `${meant} as ${name}`}`;
  });
  return packed(`${[...taken.values()].join("\n")}\nexport { ${listed.join(", ")} };\n`);
}

function declarationsIn(path: string, load: (path: string) => Declarations): Declarations {
  const found: Declarations = { own: new Map(), imports: new Map(), exports: new Map() };
  const other = (name: string) => join(dirname(path), name.replace(/\.ts$/, ".d.ts"));
  for (const text of statementsOf(readFileSync(path, "utf8"))) {
    const [, keyword, isTypeOnly, names, from] =
      /^(import|export)( type)? (\*|\{[^{}]*\})(?: from "([^"]+)")?;$/m.exec(text) ?? [];
    if (keyword === undefined || names === undefined) {
      const [, exported, name = ""] =
        /^(export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/m.exec(text) ??
        [];
      if (name === "") continue;
      const before = found.own.get(name)?.text;
      found.own.set(name, { name, text: before === undefined ? text : `${before}\n${text}` });
      const isType = !/^(export )?declare (abstract )?(class|const|function) /m.test(text);
      if (exported !== undefined) found.exports.set(name, { path, name, isType });
      continue;
    }
    const source = from === undefined ? path : other(from);
    if (names === "*") {
      for (const [name, each] of load(source).exports) {
        found.exports.set(name, { ...each, isType: each.isType || isTypeOnly !== undefined });
      }
      continue;
    }
    for (const each of names.slice(1, -1).split(",")) {
      const [, type, name = "", alias = name] = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(each) ?? [];
      if (name === "") continue;
      const isType = isTypeOnly !== undefined || type !== undefined;
      if (keyword === "import") found.imports.set(alias, { path: source, name });
      else found.exports.set(alias, { path: source, name, isType });
    }
  }
  return found;
}

/** Returns the top-level statements, each with the comment before it. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let comment = "";
  for (const piece of text.split(/^(?=\/\*\*|(?:import|export|declare|interface|type|class)\b)/m)) {
    const isComment = piece.startsWith("/**");
    if (isComment && piece.trimEnd().endsWith("*/")) comment = piece;
    // A comment in the middle of a statement, such as one before a member of a union.
    else if (isComment) statements.push(`${statements.pop() ?? ""}${piece}`);
    else {
      statements.push(comment + piece);
      comment = "";
    }
  }
  return statements.map((each) => each.trimEnd());
}
