import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import { projectFiles } from "../support/sources.ts";

/**
 * Files that may list columns because they are written by hand for each dataset: row parsers, source layouts, sample
 * days.
 */
const BY_HAND = [
  "src/pack-builder/layouts/orders.ts",
  "src/pack-builder/layouts/quotes.ts",
  "src/pack-builder/layouts/trades.ts",
  "src/pack-builder/parse/order-parser.ts",
  "src/pack-builder/parse/trade-parser.ts",
  "src/pack-builder/sample/columns.ts",
  "src/pack-builder/sample/shanghai.ts",
  "src/pack-builder/sample/shenzhen.ts",
  "src/pack-builder/sample/shenzhen-trades.ts",
  "src/pack-builder/sample/snapshots.ts",
  "src/pack-builder/sample/tape.ts",
  "src/pack-builder/sample/vendor-csv.ts",
];

/** The number of columns that a file may name before it counts as a list of columns. */
const FEW = 4;

/** Column names that this test ignores, because kinds of value or methods of files have the same names. */
const ELSEWHERE = new Set<string>([
  ...Object.values(DATASETS).flatMap(({ columns }) => columns.map(({ kind }) => kind)),
  "open",
  "close",
]);

const codeOf = (path: string) =>
  readFileSync(path, "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "");

describe("the columns of a dataset", () => {
  const files = projectFiles().filter((path) =>
    /^src\/(catalog|http|operations|orders|packs|pack-builder)\/.*\.ts$/.test(path),
  );

  it.each(Object.values(DATASETS))("($name) are listed only in its description", ({ columns }) => {
    const lists = files.filter((path) => {
      const code = codeOf(path);
      const named = columns.filter((column) => {
        const names = "key" in column ? [column.name, column.key] : [column.name];
        return names.some((name) => new RegExp(String.raw`\b${name}\b`).test(code));
      });
      const own = named.filter(({ name }) => !ELSEWHERE.has(name));
      return named.length > FEW && own.length > 1;
    });
    expect(lists.filter((path) => !BY_HAND.includes(path))).toEqual([]);
  });

  it("may be listed elsewhere only in certain files, and each of these files exists", () => {
    expect(BY_HAND.filter((path) => !files.includes(path))).toEqual([]);
  });
});
