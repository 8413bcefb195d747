/**
 * Builds the package's two files: `dist/index.js`, the client, and `dist/index.d.ts`, all declarations that the public
 * names need. Declarations come from the sources of client and server, so no type is written twice; only types are
 * taken from the server. Types that follow from a dataset's description or from the schema of an answer are written out
 * with the meaning of each column and member.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as z from "zod";
import { LEADING } from "../../datasets/columns.ts";
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { orders } from "../../datasets/orders.ts";
import { quotes } from "../../datasets/quotes.ts";
import { DATASET_NAMES } from "../../datasets/registry.ts";
import { trades } from "../../datasets/trades.ts";
import { DATA_TYPES } from "../../entitlement/data-types.ts";
import { REASONS } from "../../http/outcome.ts";
import { partSchemas } from "../../operations/wire.ts";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(FOLDER, "../../..");

/**
 * Internal properties, whose names the bundle shortens. The build stops if the declarations contain one of these names,
 * so no public name is shortened.
 */
const HIDDEN = `
  atOnce baseUrl begun bounded cursors failures fallback fallbacks hidesLast isAnew isComplete
  isForeign newPatience nextCursor onPiece overlap patience pieces position progressed
  receive resetsInMs restartTimer part selection skip thrown ticks times touched unseen waitFailed
  waitMs waitTold way
`
  .trim()
  .split(/\s+/);

/** The public types that are unions of string literals. */
const ALIASES: readonly (readonly [name: string, text: string])[] = [
  ["DatasetName", oneOf(DATASET_NAMES)],
  ["DataType", oneOf(DATA_TYPES)],
  ["Market", oneOf(["SH", "SZ"])],
];

/** Matches between two top-level statements; a statement begins with its comment. */
const BETWEEN = /^(?=\/\*\*|(?<!\*\/\n)(?:import|export|declare|interface|type|class)\b)/m;
const DECLARATION = /^(export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/m;
const EXPORTS = /^export (?:type )?(?:\*|\{([^{}]*)\})(?: from "(.+)\.ts")?;$/m;

const { metafile } = await build({
  entryPoints: [join(FOLDER, "index.ts")],
  outfile: join(FOLDER, "dist/index.js"),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  mangleProps: new RegExp(`^(?:${HIDDEN.join("|")})$`),
  mangleQuoted: true,
  metafile: true,
});
/** The names that exist when the client runs; the other public names are types only. */
const values = Object.values(metafile.outputs).flatMap(({ exports }) => exports);
const scratch = mkdtempSync(join(tmpdir(), "edgetape-declarations-"));
try {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--project", FOLDER, "--outDir", scratch];
  execFileSync(process.execPath, [compiler, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  const declarations = joined(join(scratch, relative(join(ROOT, "src"), FOLDER)));
  const names = new Set(withoutComments(declarations).split(/\W+/));
  const seen = HIDDEN.find((name) => names.has(name));
  if (seen !== undefined) throw new Error(`${seen} is public, so the bundle must not shorten it`);
  writeFileSync(join(FOLDER, "dist/index.d.ts"), declarations);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Returns the declarations that replace computed types, because computed types would not help a reader. */
function writtenOut(): Map<string, string> {
  return new Map([
    ...partTexts(),
    ...ALIASES.map(([name, text]): [string, string] => [name, `type ${name} = ${text};`]),
    [
      "Reason",
      `/** The reasons of the service's refusals (contract 1.7). */\ntype Reason = ${oneOf(REASONS)};`,
    ],
    ["OrderRecord", `${recordText("OrderRecord", orders)}\ninterface Leading {\n${membersText(LEADING)}}`],
    ["TradeRecord", recordText("TradeRecord", trades)],
    ["QuoteRecord", recordText("QuoteRecord", quotes)],
    ["Field", "type Field = keyof OrderStandard;"],
    ["TradeField", "type TradeField = keyof TradeStandard;"],
    ["QuoteField", "type QuoteField = keyof QuoteStandard;"],
  ]);
}

/** Returns the name and the source text of an interface for each named part of the answers. */
function partTexts(): [name: string, text: string][] {
  const parts = Object.entries(partSchemas()).map(
    ([key, schema]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, schema] as const,
  );
  const names = new Map<z.core.$ZodType, string>(parts.map(([name, schema]) => [schema, name]));
  return parts.map(([name, schema]) => {
    const others = new Map([...names].filter(([, other]) => other !== name));
    const base = parts.find(([other, each]) => other !== name && isPartOf(each, schema));
    const head = `${noteOf(schema, "")}interface ${name}`;
    if (base === undefined) return [name, `${head} ${typeText(schema, others)}`];
    const inherited = Object.keys(shapeOf(base[1]));
    const own = Object.entries(shapeOf(schema)).filter(([key]) => !inherited.includes(key));
    return [name, `${head} extends ${base[0]} ${typeText(z.object(Object.fromEntries(own)), others)}`];
  });
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "object" ? def.shape : {};
}

/** Returns whether `part` has at least two members and all of them are also members of `whole`. */
function isPartOf(part: z.core.$ZodType, whole: z.core.$ZodType): boolean {
  const [members, all] = [Object.entries(shapeOf(part)), shapeOf(whole)];
  return members.length > 1 && members.every(([key, each]) => all[key] === each);
}

/** Returns the type that `schema` infers; parts with a name in `names` are written as that name. */
function typeText(schema: z.core.$ZodType, names: ReadonlyMap<z.core.$ZodType, string>, indent = ""): string {
  // A schema with an additional description is a copy. Its parent is the named schema.
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
      throw new Error(`the build cannot declare a schema of the type ${def.type}`);
  }
}

/** Returns the description of `schema` as a comment on a separate line. */
function noteOf(schema: z.core.$ZodType, indent: string): string {
  const { description } = z.globalRegistry.get(schema) ?? {};
  return description === undefined ? "" : `${indent}/** ${description} */\n`;
}

function oneOf(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(" | ");
}

/**
 * Returns the declarations of a record and of the interface that it extends. That interface has the standard columns.
 * The record adds the legacy names and the on-request columns.
 */
function recordText(name: string, { columns }: Dataset): string {
  const standard = name.replace("Record", "Standard");
  const own = columns.slice(LEADING.length).filter((column) => levelOf(column) === null);
  const others = columns.flatMap(({ name: of, legacyName, ...column }) =>
    legacyName === undefined ? [] : [memberText(legacyName, column, `Another name of \`${of}\`.`)],
  );
  const asked = membersText(own.filter(({ onRequest }) => onRequest));
  return `interface ${name} extends ${standard} {\n${others.join("")}${asked}}
interface ${standard} extends Leading${levelsText(columns)} {\n${membersText(own.filter(({ onRequest }) => !onRequest))}}`;
}

function membersText(columns: readonly Column[]): string {
  return columns.map((column) => memberText(column.name, column, commentOf(column))).join("");
}

function memberText(name: string, { type }: Pick<Column, "type">, comment: string): string {
  return `    /** ${comment} */\n    ${name}: ${type === "BYTE_ARRAY" ? "string" : "number"};\n`;
}

/** Splits the name of a column that holds one level of the book, such as `bid_vol7`. Returns null for other columns. */
function levelOf({ name }: Column): { name: string; level: number } | null {
  const [, column, digits] = /^([a-z_]+)(\d+)$/.exec(name) ?? [];
  return column === undefined ? null : { name: column, level: Number(digits) };
}

/** Returns the type that declares the columns of the book's levels, all of them numbers. The record extends it. */
function levelsText(columns: readonly Column[]): string {
  const found = columns.map(levelOf).filter((each) => each !== null);
  if (found.length === 0) return "";
  const names = oneOf([...new Set(found.map(({ name }) => name))]);
  const levels = [...new Set(found.map(({ level }) => level))].join(" | ");
  return `, Record<\`\${${names}}\${${levels}}\`, number>`;
}

function commentOf({ description, unit }: Column): string {
  return description.en + (unit === null ? "" : ` In ${unit.en}.`);
}

/** Removes blanks: indents with tabs, writes each comment on one line, and closes empty bodies. */
function packed(text: string): string {
  return (
    text
      .replaceAll(/^( *)\/\*\*\n((?: *\* \S.*\n)+) *\*\//gm, (whole, indent: string, lines: string) => {
        if (lines.includes("@example")) return whole;
        return `${indent}/** ${lines
          .trim()
          .replaceAll(/^ *\* /gm, "")
          .replaceAll("\n", " ")} */`;
      })
      .replaceAll(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))
      // TypeScript compares types by their members, so the clause is not needed.
      .replaceAll(/ implements AsyncIterable<\w+>/g, "")
      .replaceAll("{\n}", "{}")
  );
}

function withoutComments(text: string): string {
  return text
    .split("/**")
    .map((piece, place) => (place === 0 ? piece : piece.slice(piece.indexOf("*/") + 2)))
    .join("");
}

/**
 * Returns the text of one file with the public declarations of the compiled client in `folder`, and all declarations
 * that they need. The server's declarations are replaced by those of `writtenOut`.
 */
function joined(folder: string): string {
  const declared = new Map<string, string>();
  for (const text of readdirSync(folder).flatMap((file) => statementsOf(join(folder, file)))) {
    const name = DECLARATION.exec(text)?.[2];
    if (name === undefined) continue;
    if (declared.has(name)) throw new Error(`${name} is declared twice`);
    declared.set(name, text.trimEnd().replace(/^export /m, ""));
  }
  for (const [name, text] of writtenOut()) declared.set(name, text);
  const taken = new Map<string, string>();
  const take = (name: string) => {
    const text = declared.get(name);
    if (text === undefined || taken.has(name)) return;
    taken.set(name, text);
    const code = withoutComments(text).replaceAll(/"[^"\n]*"/g, "");
    for (const [word] of code.matchAll(/\b[A-Z]\w*/g)) take(word);
  };
  const publicNames = publicNamesOf(join(folder, "index.d.ts"));
  for (const name of publicNames.keys()) {
    if (!declared.has(name)) throw new Error(`${name} is exported and not declared`);
    take(name);
  }
  // A class that the entry point exports as a type only must not be declared as a value.
  const typesOfClasses = [...publicNames.keys()].filter(
    (name) => !values.includes(name) && /^declare (?:abstract )?class /m.test(taken.get(name) ?? ""),
  );
  const texts = [...taken].map(([name, text]) =>
    publicNames.has(name) && !typesOfClasses.includes(name) ? exported(text) : text,
  );
  const all = texts.join("\n").replaceAll(/\b[A-Z]\w*\b/g, (name) => publicNames.get(name) ?? name);
  // Without this statement, declarations without `export` would be public as well.
  return packed(`${all}\nexport type { ${typesOfClasses.join(", ")} };\n`);
}

/** Returns a declaration with `export` instead of `declare`. */
function exported(text: string): string {
  return text.replace(/^(?:declare )?(?=(?:abstract )?(?:class|interface|type|const|function) )/m, "export ");
}

/** Returns the public names that the file exports, by the names of their declarations. */
function publicNamesOf(path: string): Map<string, string> {
  const found = statementsOf(path).flatMap((text): [declared: string, name: string][] => {
    const [statement, names, from] = EXPORTS.exec(text) ?? [];
    if (statement === undefined) {
      const [, isExported, name] = DECLARATION.exec(text) ?? [];
      return isExported === undefined || name === undefined ? [] : [[name, name]];
    }
    if (names === undefined) return [...publicNamesOf(join(dirname(path), `${from}.d.ts`))];
    const listed = names.matchAll(/(?:\btype )?(\w+)(?: as (\w+))?/g);
    return Array.from(listed, ([, declared = "", name = declared]) => [declared, name]);
  });
  return new Map(found);
}

function statementsOf(path: string): string[] {
  return readFileSync(path, "utf8").split(BETWEEN);
}
