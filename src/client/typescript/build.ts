/**
 * Builds the package's two files: `dist/index.js`, the client, and `dist/index.d.ts`, all declarations that its public
 * names need. Declarations come from the sources of client and server, so no type is written twice; only types are
 * taken from the server. Types that follow from a dataset's description or from the schema of an answer are written out
 * with the meaning of each column and member.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as z from "zod";
import { LEADING } from "../../datasets/columns.ts";
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { orders } from "../../datasets/orders.ts";
import { DATASET_NAMES } from "../../datasets/registry.ts";
import { trades } from "../../datasets/trades.ts";
import { DATA_TYPES } from "../../entitlement/data-types.ts";
import { partSchemas } from "../../operations/wire.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(FOLDER, "../../..");

/** The declaration of a class. */
const CLASS = /^declare (?:abstract )?class /m;

/**
 * Members that no caller sees, which the bundle shortens. The build stops when a declaration has one of these names, and
 * the service's own names are in the declarations.
 */
const HIDDEN = [
  ...["atOnce", "baseUrl", "begun", "bounded", "cursors", "failures", "fallback", "fallbacks", "hidesLast"],
  ...["isAborted", "isAnew", "isComplete", "isForeign", "newPatience", "nextCursor", "onPiece", "overlap"],
  ...["patience", "pieces", "position", "progressed", "receive", "refusal", "resetsInMs", "restartTimer"],
  ...["selection", "skip", "times", "touched", "unseen", "waitFailed", "waitMs", "waitTold"],
];

/** Names of the public types that are one of some texts. */
const ALIASES: readonly (readonly [name: string, text: string])[] = [
  ["DatasetName", oneOf(DATASET_NAMES)],
  ["DataType", oneOf(DATA_TYPES)],
  ["Market", oneOf(["SH", "SZ"])],
];

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
  charset: "utf8",
  mangleProps: new RegExp(`^(?:${HIDDEN.join("|")})$`),
  mangleQuoted: true,
});
const scratch = mkdtempSync(join(tmpdir(), "edgetape-declarations-"));
try {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--project", FOLDER, "--outDir", scratch];
  execFileSync(process.execPath, [compiler, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  const entry = join(scratch, relative(join(ROOT, "src"), FOLDER), "index.d.ts");
  const declarations = joined(entry);
  const seen = HIDDEN.find((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(declarations)));
  if (seen !== undefined) throw new Error(`${seen} is public, so the bundle must not shorten it`);
  writeFileSync(join(FOLDER, "dist/index.d.ts"), declarations);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The declarations that replace computed types, which would tell a reader little. */
function writtenOut(): Map<string, string> {
  return new Map([
    ...partTexts(),
    ...ALIASES.map(([name, text]): [string, string] => [name, `type ${name} = ${text};`]),
    ["OrderRecord", `${recordText("OrderRecord", orders)}\ninterface Leading {\n${membersText(LEADING)}}`],
    ["TradeRecord", recordText("TradeRecord", trades)],
    ["Field", standardText("Field", "OrderRecord", orders)],
    ["TradeField", standardText("TradeField", "TradeRecord", trades)],
  ]);
}

/** Returns an interface for each named part of the answers. */
function partTexts(): [name: string, text: string][] {
  const parts = Object.entries(partSchemas()).map(
    ([key, schema]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, schema] as const,
  );
  const names = new Map<z.core.$ZodType, string>(parts.map(([name, schema]) => [schema, name]));
  return parts.map(([name, schema]) => {
    const others = new Map([...names].filter(([, other]) => other !== name));
    return [name, `${noteOf(schema, "")}interface ${name} ${typeText(schema, others)}`];
  });
}

/** Returns the type that `schema` infers; parts that have a name in `names` are written by it. */
function typeText(schema: z.core.$ZodType, names: ReadonlyMap<z.core.$ZodType, string>, indent = ""): string {
  // A schema with a description of its own is a copy, whose parent is the part.
  const name = names.get(schema) ?? (schema._zod.parent && names.get(schema._zod.parent));
  if (name !== undefined) return name;
  const textOf = (each: z.core.$ZodType) => typeText(each, names, indent);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
      return def.type;
    case "enum": {
      const values = oneOf(Object.keys(def.entries));
      return ALIASES.find(([, text]) => text === values)?.[0] ?? values;
    }
    case "literal":
      return def.values.map((value) => JSON.stringify(value)).join(" | ");
    case "nullable":
      return `${textOf(def.innerType)} | null`;
    case "array":
      return `${textOf(def.element)}[]`;
    case "tuple":
      return `[${def.items.map(textOf).join(", ")}]`;
    case "union": {
      const options = def.options.map(textOf);
      return options.includes("string") ? "string" : options.join(" | ");
    }
    case "object": {
      const inner = `${indent}    `;
      const members = Object.entries(def.shape).map(([key, each]) => {
        const note = names.has(each) ? "" : noteOf(each, inner);
        return `${note}${inner}${key}: ${typeText(each, names, inner)};\n`;
      });
      return `{\n${members.join("")}${indent}}`;
    }
    default:
      throw new Error(`no declaration of a schema of the type ${def.type}`);
  }
}

/** Returns the description of `schema` as a comment on a line of its own. */
function noteOf(schema: z.core.$ZodType, indent: string): string {
  const { description } = z.globalRegistry.get(schema) ?? {};
  return description === undefined ? "" : `${indent}/** ${description} */\n`;
}

function oneOf(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(" | ");
}

/** Returns a dataset's record: what all datasets begin with, and its own columns. */
function recordText(name: string, { columns }: Dataset): string {
  return `interface ${name} extends Leading {\n${membersText(columns.slice(LEADING.length))}}`;
}

function membersText(columns: readonly Column[]): string {
  const members = columns.flatMap((column) => {
    const type = column.type === "BYTE_ARRAY" ? "string" : "number";
    const own = `    /** ${commentOf(column)} */\n    ${column.name}: ${type};\n`;
    if (column.legacyName === undefined) return [own];
    return [own, `    /** Legacy name of \`${column.name}\`. */\n    ${column.legacyName}: ${type};\n`];
  });
  return members.join("");
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
  return `type ${name} = Exclude<keyof ${record}, ${oneOf(others)}>;`;
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

function withoutComments(text: string): string {
  return text
    .split("/**")
    .map((piece, place) => (place === 0 ? piece : piece.slice(piece.indexOf("*/") + 2)))
    .join("");
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
  const publicNames = new Set<string>();
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
    for (const word of new Set(withoutComments(text).match(/[A-Za-z_]\w*/g))) {
      if (word === name || (!own.has(word) && !imports.has(word))) continue;
      const meant = take(path, word);
      if (meant !== word) taken.set(word, `type ${word} = ${meant};`);
    }
    return name;
  };
  const typesOfClasses: string[] = [];
  for (const [name, from] of load(entry).exports) {
    const meant = take(from.path, from.name);
    if (meant !== name) taken.set(name, `type ${name} = ${meant};`);
    // The bundle does not export these classes, only their types are public.
    if (from.isType && CLASS.test(taken.get(name) ?? "")) typesOfClasses.push(name);
    else publicNames.add(name);
  }
  const texts = [...taken].map(([name, text]) => (publicNames.has(name) ? exported(text) : text));
  // Without this statement everything that is not exported would be public as well.
  return packed(`${texts.join("\n")}\nexport type { ${typesOfClasses.join(", ")} };\n`);
}

/** Returns a declaration with `export`, which takes the place of `declare`. */
function exported(text: string): string {
  return text.replace(/^(?:declare )?(?=(?:abstract )?(?:class|interface|type|const|function) )/m, "export ");
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
