/**
 * Checks with `recheck` that no regular expression of the service, its tools and its clients can be made slow. Patterns
 * that match only the project's own text are checked too, so that no list of exceptions is needed.
 */
import { readFileSync } from "node:fs";
import { checkSync } from "recheck";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { projectFiles } from "../support/sources.ts";

interface Pattern {
  source: string;
  flags: string;
  path: string;
}

const SCRIPT = /^src\/.*\.(ts|tsx|js|mjs)$/;
const PYTHON = /^src\/client\/python\/.*\.py$/;
/** Matches a call of a function of Python's `re` with a raw string literal as the first argument. */
const PYTHON_CALL = /\bre\.(\w+)\(\s*r(f?)"([^"]*)"|\bre\.(\w+)\(\s*r(f?)'([^']*)'/g;

/** Files that combine patterns from constants. The client's build joins names of its own code, which need no check. */
const COMPOSED = [
  "src/client/typescript/build.ts",
  "src/orders/query/symbol.ts",
  "src/orders/query/time-window.ts",
  "src/orders/query/fields.ts",
];

function scriptPatterns(path: string): Pattern[] {
  const lang = path.endsWith("tsx") ? "tsx" : path.endsWith("ts") ? "ts" : "js";
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === "Literal" && regex !== undefined) {
      found.push({ source: regex.pattern, flags: regex.flags, path });
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(readFileSync(path, "utf8"), { lang }));
  return found;
}

function pythonPatterns(path: string): Pattern[] {
  return [...readFileSync(path, "utf8").matchAll(PYTHON_CALL)].map((match) => {
    const [call, formatted, text] = match[1] === undefined ? match.slice(4) : match.slice(1);
    // The clients escape each value that an f-string inserts, so the letter x can replace it here.
    const source = (text ?? "").replaceAll(formatted === "f" ? /\{[^{}]+\}/g : /(?!)/g, "x");
    return { source: call === "fullmatch" ? `^(?:${source})$` : source, flags: "", path };
  });
}

/** Returns the patterns that `work` compiles with `new RegExp`. */
async function composedBy(work: () => Promise<unknown>, path: string): Promise<Pattern[]> {
  const made: Pattern[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, [source, flags], newTarget) {
      made.push({ source: String((source as RegExp).source ?? source), flags: flags ?? "", path });
      return Reflect.construct(target, [source, flags], newTarget);
    },
  });
  try {
    await work();
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

async function allPatterns(): Promise<Pattern[]> {
  const files = projectFiles();
  const composed = await composedBy(async () => {
    await import("../../src/orders/query/symbol.ts");
    await import("../../src/orders/query/time-window.ts");
    const { DATASET_NAMES } = await import("../../src/datasets/registry.ts");
    const { fieldsOf } = await import("../../src/orders/query/fields.ts");
    for (const dataset of DATASET_NAMES) fieldsOf(dataset);
  }, "composed");
  return [
    ...files.filter((path) => SCRIPT.test(path)).flatMap(scriptPatterns),
    ...files.filter((path) => PYTHON.test(path)).flatMap(pythonPatterns),
    ...composed,
  ];
}

/**
 * Returns the verdict of `recheck`. A pattern that is too large for its fast method is checked with the slower method,
 * which always ends.
 */
function statusOf({ source, flags }: Pattern): string {
  const { status } = checkSync(source, flags, { timeout: 3_000 });
  return status === "unknown"
    ? checkSync(source, flags, { timeout: null, checker: "automaton" }).status
    : status;
}

describe("the regular expressions of the project", () => {
  it("each take time linear in the length of their input", async () => {
    const patterns = await allPatterns();
    expect(patterns.length).toBeGreaterThan(150);
    const distinct = new Map(patterns.map((each) => [`/${each.source}/${each.flags}`, each]));
    const slow = [...distinct].filter(([, pattern]) => statusOf(pattern) !== "safe");
    expect(slow.map(([text, { path }]) => `${path}: ${text}`)).toEqual([]);
  });

  it("are literals, except where constants are combined", () => {
    const composing = projectFiles()
      .filter((path) => SCRIPT.test(path))
      .filter((path) => /\bRegExp\(/.test(readFileSync(path, "utf8")));
    expect(composing.sort()).toEqual([...COMPOSED].sort());
  });
});

describe("the check of regular expressions", () => {
  it("finds patterns that backtrack", () => {
    for (const slow of [
      String.raw`^\s*q\s*=\s*(\S*)\s*$`,
      String.raw`^\s*Basic\s+([A-Za-z0-9+/]*={0,2})\s*$`,
    ]) {
      expect(checkSync(slow, "i", { checker: "automaton" }).status).toBe("vulnerable");
    }
  });
});
