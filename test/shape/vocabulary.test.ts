/** Checks the project's terms: sources, tests and documents use no term that the glossary replaces. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../support/sources.ts";

interface Term {
  write: string;
  insteadOf: RegExp;
}

/** Returns a pattern for a word in prose or in an identifier, in any case: `door`, `Doors`, `openDoor`, `DOOR_MS`. */
function word(text: string): RegExp {
  const [capital, upper] = [text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()];
  return new RegExp(
    `(?<![A-Za-z])${text}s?(?![a-z])|(?<![A-Z])${capital}s?(?![a-z])|(?<![A-Z])${upper}S?(?![A-Z])`,
    "g",
  );
}

const TERMS: readonly Term[] = [
  { write: "page through, paging, reader, client", insteadOf: /(?<!\b(?:os|fs|ast)\.)walk/gi },
  { write: "sign-in page, or the thing itself", insteadOf: word("door") },
  { write: "operator, customer, caller, no one", insteadOf: /nobody|whoever|\b(?:he|him|his|himself)\b/gi },
  { write: "module; of bytes: space", insteadOf: word("room") },
  { write: "corrupt, damaged, invalid", insteadOf: /spoil|disappoint/gi },
  { write: "messages, text", insteadOf: word("words") },
  {
    write: "permit, place in the queue",
    insteadOf:
      /\b(?:an?|its|the|no|takes?|taken in|by) turns?\b|Turns?\b|\bturns?\b(?=[.(,:)]| [=<])|day turns/g,
  },
  { write: "row accounting", insteadOf: /(?<!order )\bbooks\b|Books(?![a-z])/g },
  { write: "again, re-encrypt", insteadOf: /\banew\b/gi },
  { write: "external share", insteadOf: /drives? elsewhere/gi },
  { write: "is refused, returns 503", insteadOf: /\btold `?(?:[1-5]\d\d|[a-z]+_[a-z]+)\b/g },
  {
    write: "credited, refunded, returned, released",
    insteadOf: /giv(?:e|es|en|ing)(?: (?:it|them|up to it))? back|givenBack|GIVEN_BACK/g,
  },
  { write: "expired, revoked, ended; without end", insteadOf: /\b(?:has|have|had) died\b|\bfor ever\b/gi },
  { write: "decrement, floor at zero", insteadOf: /as far as there are/gi },
  { write: "concurrent request", insteadOf: /second (?:one|request) at once/gi },
  { write: "resume", insteadOf: /tak(?:e|es|ing|en) up where/gi },
  { write: "deadline, timeout", insteadOf: /time that is left/gi },
  { write: "another base URL, another deployment", insteadOf: /\b(?:another|other|dead) line\b(?! of)/gi },
];

/** Uses that are allowed, because applied migrations and published formats do not change. */
const KEPT: readonly RegExp[] = [
  /^src\/catalog\/migrations\//,
  // A property of the build report's JSON.
  /^src\/pack-builder\/(?:defect-book|build-report)\.ts:\d+: words /,
];

const OWN = "test/shape/vocabulary.test.ts";
const texts = projectFiles().filter(
  (path) => /\.(tsx?|m?js|py|sql|css|html|md|sh)$|^\.ci\//.test(path) && path !== OWN,
);
/** Returns every use of a replaced term, as `path:line: use (write …)`. */
function found(path: string, text: string): string[] {
  return TERMS.flatMap(({ write, insteadOf }) =>
    [...text.matchAll(insteadOf)].map((match) => {
      const line = text.slice(0, match.index).split("\n").length;
      return `${path}:${line}: ${match[0]} (write ${write})`;
    }),
  );
}

describe("the vocabulary", () => {
  it("of sources, tests and documents contains no term that the glossary replaces", () => {
    const uses = texts.flatMap((path) => found(path, readFileSync(path, "utf8")));
    expect(uses.filter((use) => !KEPT.some((kept) => kept.test(use)))).toEqual([]);
  });
});

describe("the vocabulary check", () => {
  it("finds a replaced term in prose and in identifiers, but not inside other words", () => {
    expect(found("a.ts", "const openDoor = walk(nobody); // the rooms' words")).toHaveLength(5);
    expect(found("a.ts", "indoors, keywords, passwords, returns, order books; it turns red")).toEqual([]);
  });
});
