import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../support/sources.ts";

/** Files whose exports are used outside `src`: the entry files of worker and client, and the scripts of pages. */
const ENTRIES =
  /^src\/(worker|app)\.ts$|^src\/client\/typescript\/index\.ts$|^src\/console\/browser\/|^src\/(docs|shares|pages)\/.*browser|\.d\.ts$/;

/** Exports that are not imported yet, and why they stay. */
const WANTED: Record<string, string> = {};

const sources = projectFiles().filter((path) => /^src\/.*\.tsx?$/.test(path));
const codeOf = new Map(
  sources.map((path) => [path, readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")]),
);

/** One import or re-export of a file: the names, whether they are types only, and the target file. */
interface Taken {
  names: string[];
  all: boolean;
  typesOnly: boolean;
  of: string;
}

function takenBy(path: string): Taken[] {
  const code = codeOf.get(path) ?? "";
  const statements = /^(?:import|export)\b([^"';]*?)\bfrom\s*"(\.[^"\n]+)"/gm;
  const expressions = /(?:\{([^}]*)\}\s*=\s*await\s*)?\bimport\(\s*"(\.[^"\n]+)"/g;
  const read = (clause: string, name: string, isLater: boolean): Taken => {
    const listed = (/\{([^}]*)\}/.exec(clause)?.[1] ?? (isLater ? clause : "")).split(",");
    const each = listed.map((item) => item.trim()).filter(Boolean);
    const outside = clause.replace(/\{[^}]*\}/, "").trim();
    const space = /\*\s*as\s+(\w+)/.exec(outside)?.[1];
    const members = space === undefined ? [] : [...code.matchAll(new RegExp(`\\b${space}\\.(\\w+)`, "g"))];
    return {
      names: members
        .map(([, member = ""]) => member)
        .concat(each.map((item) => /^(?:type\s+)?([\w$]+)/.exec(item)?.[1] ?? "")),
      all: (outside.includes("*") && space === undefined) || (isLater && each.length === 0),
      typesOnly:
        isLater ||
        /^type\b/.test(clause.trim()) ||
        (outside === "" && each.length > 0 && each.every((item) => item.startsWith("type "))),
      of: join(dirname(path), name),
    };
  };
  return [
    ...[...code.matchAll(statements)].map(([, clause = "", name = ""]) => read(clause, name, false)),
    ...[...code.matchAll(expressions)].map(([, clause = "", name = ""]) => read(clause, name, true)),
  ];
}

function exportsOf(path: string): string[] {
  const code = codeOf.get(path) ?? "";
  const declared =
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+([\w$]+)/gm;
  return [...code.matchAll(declared)].map(([, name = ""]) => name);
}

const tests = projectFiles()
  .filter((path) => /^test\/.*\.m?tsx?$/.test(path))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

/**
 * Returns whether an export that no source imports is allowed: a type if its own file or a test uses it, a value if a
 * test uses it.
 */
function isWanted(path: string, name: string): boolean {
  const code = codeOf.get(path) ?? "";
  const isMentioned = (text: string, times: number) =>
    [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length >= times;
  const isType = new RegExp(`^export (?:type|interface) ${name}\\b`, "m").test(code);
  return isType ? isMentioned(code, 2) || isMentioned(tests, 1) : isMentioned(tests, 1);
}

const taken = new Map(sources.map((path) => [path, takenBy(path)]));

describe("an export of a file", () => {
  it("is imported by another file or a test, or is a type that another export uses", () => {
    const used = new Set<string>();
    for (const each of [...taken.values()].flat()) {
      for (const name of each.all ? exportsOf(each.of) : each.names) used.add(`${each.of}: ${name}`);
    }
    const unused = sources
      .filter((path) => !ENTRIES.test(path))
      .flatMap((path) => exportsOf(path).map((name) => ({ path, name })))
      .filter(({ path, name }) => !used.has(`${path}: ${name}`) && !isWanted(path, name))
      .map(({ path, name }) => `${path}: ${name}`)
      .filter((each) => !(each in WANTED));
    expect(unused).toEqual([]);
  });
});

describe("the runtime imports between files", () => {
  it("never form a cycle", () => {
    const circles: string[] = [];
    const state = new Map<string, "open" | "done">();
    const visit = (path: string, through: string[]) => {
      state.set(path, "open");
      for (const { of, typesOnly } of taken.get(path) ?? []) {
        if (typesOnly || !taken.has(of)) continue;
        if (state.get(of) === "open") circles.push([...through, path, of].join(" -> "));
        else if (!state.has(of)) visit(of, [...through, path]);
      }
      state.set(path, "done");
    };
    for (const path of sources) if (!state.has(path)) visit(path, []);
    expect(circles).toEqual([]);
  });
});
