/** The terms of the project: what a source, a test or a document calls things, and what it does not call them. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../support/sources.ts";

interface Term {
  write: string;
  insteadOf: RegExp;
}

/** A word in prose or in an identifier, in any case: `door`, `Doors`, `openDoor`, `DOOR_MS`. */
function word(text: string): RegExp {
  const [capital, upper] = [text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()];
  return new RegExp(
    `(?<![A-Za-z])${text}s?(?![a-z])|(?<![A-Z])${capital}s?(?![a-z])|(?<![A-Z])${upper}S?(?![A-Z])`,
    "g",
  );
}

const TERMS: readonly Term[] = [
  { write: "page through, paging, reader, client", insteadOf: /(?<!\b(?:os|fs)\.)walk/gi },
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

/** Counts that may only fall: a folder leaves the list when it has none left. */
const NOT_YET_CLEAN: Readonly<Record<string, number>> = {
  ".ci/run": 1,
  "src/CONTRACT.md": 2,
  "src/admin": 7,
  "src/app.ts": 3,
  "src/base": 4,
  "src/catalog": 20,
  "src/cli": 30,
  "src/client": 32,
  "src/console": 11,
  "src/docs": 15,
  "src/entitlement": 2,
  "src/env.ts": 2,
  "src/gate": 21,
  "src/http": 14,
  "src/operations": 22,
  "src/orders": 16,
  "src/pack-builder": 15,
  "src/packs": 7,
  "src/shares": 7,
  "src/upkeep": 1,
  "test/bench": 11,
  "test/conformance": 36,
  "test/fault": 20,
  "test/interop": 31,
  "test/property": 6,
  "test/shape": 28,
  "test/support": 9,
  "test/unit/access": 7,
  "test/unit/admin": 9,
  "test/unit/base": 5,
  "test/unit/cli": 3,
  "test/unit/client": 28,
  "test/unit/console": 1,
  "test/unit/entitlement": 2,
  "test/unit/gate": 10,
  "test/unit/http": 2,
  "test/unit/operations": 3,
  "test/unit/orders": 1,
  "test/unit/packs": 3,
};

const OWN = "test/shape/vocabulary.test.ts";
const texts = projectFiles().filter(
  (path) => /\.(tsx?|m?js|py|sql|css|html|md|sh)$|^\.ci\//.test(path) && path !== OWN,
);
const folderOf = (use: string) => {
  const parts = (use.split(":")[0] ?? "").split("/");
  return parts.slice(0, use.startsWith("test/unit") ? 3 : 2).join("/");
};

/** Every use of a term that the project does not use, as `path:line: use (write …)`. */
function found(path: string, text: string): string[] {
  return TERMS.flatMap(({ write, insteadOf }) =>
    [...text.matchAll(insteadOf)].map((match) => {
      const line = text.slice(0, match.index).split("\n").length;
      return `${path}:${line}: ${match[0]} (write ${write})`;
    }),
  );
}

describe("the vocabulary", () => {
  it("of sources, tests and documents has none of the terms that the glossary replaces", () => {
    const byFolder = Map.groupBy(
      texts.flatMap((path) => found(path, readFileSync(path, "utf8"))),
      folderOf,
    );
    const beyond = [...byFolder].filter(([folder, uses]) => uses.length > (NOT_YET_CLEAN[folder] ?? 0));
    expect(beyond.flatMap(([, uses]) => uses)).toEqual([]);
  });

  it("finds a term in prose and in identifiers, and no other word", () => {
    expect(found("a.ts", "const openDoor = walk(nobody); // the rooms' words")).toHaveLength(5);
    expect(found("a.ts", "indoors, keywords, passwords, returns, order books; it turns red")).toEqual([]);
  });
});
