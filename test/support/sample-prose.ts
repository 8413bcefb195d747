/**
 * Prints 40 comments, 20 messages and 20 test names, drawn at random: `npx node test/support/sample-prose.ts [SEED]`. A
 * reader rewrites each text that needs a second reading, and draws again until a whole sample passes.
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
}

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)/gm;
const PYTHON_COMMENT = /^[ \t]*"""([\s\S]*?)"""|((?:^[ \t]*# .*\n)+)/gm;
const TEST_NAME = /\b(?:it|describe)(?:\.\w+)*(?:\([^"`\n]*\))?\(\s*(?:"((?:[^"\\\n]|\\.)+)"|`([^`]+)`)/g;
const MESSAGE =
  /\b(?:en: |new \w*Error\(|description\(|message: |advice: |sentence: )\s*(?:"((?:[^"\\\n]|\\.){20,})"|`([^`]{20,})`)/g;

/** Returns the comments, messages and test names of a source file that have at least three blanks. */
export function proseOf(path: string, source: string): Prose[] {
  const isTest = path.startsWith("test/");
  const comments = path.endsWith(".py") ? PYTHON_COMMENT : COMMENT;
  const patterns: [ProseKind, RegExp][] = [["comment", comments]];
  patterns.push(isTest ? ["test name", TEST_NAME] : ["message", MESSAGE]);
  return patterns
    .flatMap(([kind, pattern]) =>
      [...source.matchAll(pattern)].map((match) => ({
        kind,
        place: `${path}:${source.slice(0, match.index).split("\n").length}`,
        text: (match[1] ?? match[2] ?? "")
          .replaceAll(/^\s*(?:\*|\/\/|#) ?/gm, "")
          .replaceAll(/\s+/g, " ")
          .trim(),
      })),
    )
    .filter(({ text }) => text.split(" ").length >= 4);
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
    for (const { place, text } of drawn(texts, kind, count, seed)) console.log(`- ${text}\n  ${place}`);
  }
}
