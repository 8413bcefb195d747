/** Checks that cited documents are in the repository: `contract 3.4` is a clause of `src/CONTRACT.md`. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../support/sources.ts";

/** The files that may contain citations: no binaries and no lockfile. */
const texts = projectFiles().filter((path) =>
  /\.(tsx?|m?js|py|sql|css|html|md|toml|ya?ml|sh)$|^\.ci\//.test(path),
);
const OWN = "test/shape/citations.test.ts";

const contract = readFileSync("src/CONTRACT.md", "utf8");
/** `## 3. Parameters` is section 3; a paragraph that begins with `**3.4 ` is clause 3.4. */
const clauses = new Set(
  [...contract.matchAll(/^(?:## (\d+)\. |\*\*(\d+\.\d+) )/gm)].map(
    ([, section, clause]) => section ?? clause,
  ),
);

const NUMBER = String.raw`\d+(?:\.\d+)?`;
const CITATION = new RegExp(String.raw`\bcontract (${NUMBER}(?:(?:, | and | to )${NUMBER})*)`, "gi");
/** Matches references to documents that are not in the repository, by name and number or by file. */
const ELSEWHERE = /\b(?:decisions?|spec|design|issue)(?: ?\d|\.md\b|,? section \d)|\(issue: /gi;

/** Returns the text in one line, because a citation can wrap in the middle of a comment. */
const unwrapped = (text: string) => text.replaceAll(/\s*\n[ \t]*(?:\*(?!\*)|\/\/|--|#)?[ \t]*/g, " ");

/** Returns the clauses of the contract that a text cites. */
function cited(text: string): string[] {
  return [...unwrapped(text).matchAll(CITATION)].flatMap(
    ([, list = ""]) => list.match(new RegExp(NUMBER, "g")) ?? [],
  );
}

describe("citations", () => {
  it("of the contract give the number of an existing section or clause", () => {
    expect(clauses.size).toBeGreaterThan(50);
    const found = texts
      .filter((path) => path !== OWN)
      .flatMap((path) => cited(readFileSync(path, "utf8")).map((number) => ({ path, number })));
    expect(found.length).toBeGreaterThan(200);
    expect(found.filter(({ number }) => !clauses.has(number))).toEqual([]);
  });

  it("in the table of the conformance tests name existing clauses", () => {
    const table = readFileSync("test/conformance/README.md", "utf8");
    const numbers = [...table.matchAll(/^\| ([\d., to]+) \|/gm)].flatMap(
      ([, list = ""]) => list.match(new RegExp(NUMBER, "g")) ?? [],
    );
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.filter((number) => !clauses.has(number))).toEqual([]);
  });

  it("name no document outside the repository", () => {
    const found = texts
      .filter((path) => path !== OWN)
      .flatMap((path) =>
        [...unwrapped(readFileSync(path, "utf8")).matchAll(ELSEWHERE)].map(([text]) => `${path}: ${text}`),
      );
    expect(found).toEqual([]);
  });

  it("are found across the lines of a comment, and in lists", () => {
    expect(cited("/**\n * As (contract\n * 2.1, 3.4 and 5) says; contract 7.1 to 7.3.\n */")).toEqual([
      "2.1",
      "3.4",
      "5",
      "7.1",
      "7.3",
    ]);
  });
});
