/**
 * Prints 40 comments, 20 messages and 20 test names, drawn at random: `npx node test/support/sample-prose.ts [SEED]`.
 * Comments and messages are printed with the lines of code around them, as their readers see them. A reader rewrites
 * each text that needs a second reading, and draws again until a whole sample passes.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { randomFrom } from "./random.ts";
import { projectFiles } from "./sources.ts";

export type ProseKind = "comment" | "message" | "test name";

export interface Prose {
  kind: ProseKind;
  place: string;
  text: string;
  /** The lines of code that a comment describes, or that surround a message. Empty for a test name. */
  code: string[];
}

const CODE_LINES = 4;

/** A comment follows a blank, `(`, `{` or the start of a line. This excludes the `/*` in a text such as `src/*`. */
const COMMENT = /(?<=^|[\s({])\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)/gm;
const PYTHON_COMMENT = /^[ \t]*"""([\s\S]*?)"""|((?:^[ \t]*# .*\n)+)/gm;
/**
 * A name can also follow the line that ends the table of an `each`. It then belongs to the last `it` or `describe` with
 * the same indent.
 */
const TEST_NAME =
  /^( *)(?:(it|describe)(?:\.\w+)*(?:\((?!["`])[^\n]*?\))?|[\])}]+\))\(\s*(?:"((?:[^"\\\n]|\\.)+)"|`([^`]+)`)/gm;
const MESSAGE =
  /(?:\b(?:en|message|advice|sentence|error|says): |\b(?:sentence|advice) =|\bnew \w*(?:Error|Failure)\(|\b(?:description|failed|skipped|finding)\(|\b(?:option|argument)\(\s*"[^"]*",|"after",)\s*(?:"((?:[^"\\\n]|\\.){20,})"|`([^`]{20,})`)/g;

/** Returns the comments, messages and test names of a source file that have at least three blanks. */
export function proseOf(path: string, source: string): Prose[] {
  const placeOf = ({ index }: RegExpMatchArray) => `${path}:${source.slice(0, index).split("\n").length}`;
  const lines = source.split("\n");
  const found = (kind: ProseKind, pattern: RegExp) =>
    [...source.matchAll(pattern)].map((match) => ({
      kind,
      place: placeOf(match),
      code: codeOf(lines, kind, match),
      text: (match[1] ?? match[2] ?? "")
        .replaceAll(/^\s*(?:\*|\/\/|#) ?/gm, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    }));
  const others = path.startsWith("test/") ? testNames(source, placeOf) : found("message", MESSAGE);
  return [...found("comment", path.endsWith(".py") ? PYTHON_COMMENT : COMMENT), ...others].filter(
    ({ text }) => text.split(" ").length >= 4,
  );
}

function codeOf(
  lines: readonly string[],
  kind: ProseKind,
  { index, input = "", 0: whole }: RegExpMatchArray,
) {
  const line = input.slice(0, index).split("\n").length;
  // A docstring follows the definition that it describes. The condition under which a message appears precedes it.
  const isBelow = kind === "message" || whole.trimStart().startsWith('"""');
  const first = isBelow ? Math.max(0, line - 3) : line - 1 + whole.trimEnd().split("\n").length;
  return lines.slice(first, first + CODE_LINES).filter((line) => line.trim() !== "");
}

/** Returns the full name of each test, as a run prints it: the names of the groups around it, then its own name. */
function testNames(source: string, placeOf: (match: RegExpMatchArray) => string): Prose[] {
  const groups: { indent: number; name: string }[] = [];
  return [...source.matchAll(TEST_NAME)].flatMap((match): Prose[] => {
    const indent = match[1]?.length ?? 0;
    const name = match[3] ?? match[4] ?? "";
    while ((groups.at(-1)?.indent ?? -1) >= indent) groups.pop();
    if ((match[2] ?? beginningOf(source.slice(0, match.index), indent)) === "describe") {
      groups.push({ indent, name });
      return [];
    }
    return [
      {
        kind: "test name",
        place: placeOf(match),
        code: [],
        text: [...groups.map((group) => group.name), name].join(" "),
      },
    ];
  });
}

/** Returns which function, `it` or `describe`, is called with the table at the end of `before`, by the call's indent. */
function beginningOf(before: string, indent: number): string | undefined {
  return [...before.matchAll(/^( *)(it|describe)\b/gm)].findLast((match) => match[1]?.length === indent)?.[2];
}

/** Draws `count` different texts of a kind, or all of them when there are fewer. */
export function drawn(texts: readonly Prose[], kind: ProseKind, count: number, seed: number): Prose[] {
  const random = randomFrom(seed);
  const left = texts.filter((each) => each.kind === kind);
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [taken] = left.splice(random.integer(0, left.length - 1), 1);
    return taken as Prose;
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
  const texts = projectFiles()
    .filter((path) => /^(?:src|test)\/.*\.(?:tsx?|m?js|py)$/.test(path))
    .flatMap((path) => proseOf(path, readFileSync(path, "utf8")));
  console.log(`seed ${seed}`);
  for (const [kind, count] of [
    ["comment", 40],
    ["message", 20],
    ["test name", 20],
  ] as const) {
    console.log(`\n${kind}s`);
    for (const { place, text, code } of drawn(texts, kind, count, seed)) {
      console.log([`- ${text}`, `  ${place}`, ...code.map((line) => `  | ${line}`)].join("\n"));
    }
  }
}
