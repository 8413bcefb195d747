import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../support/sources.ts";

const files = projectFiles();
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

describe("the checkout", () => {
  it("has only the project's top-level entries, apart from dotfiles", () => {
    const entries = new Set(files.map((path) => path.split("/")[0] ?? ""));
    const visible = [...entries].filter((entry) => !entry.startsWith(".")).sort();
    expect(visible).toEqual(
      [
        "LICENSE",
        "README.md",
        "package-lock.json",
        "package.json",
        "src",
        "test",
        "tsconfig.json",
        "wrangler.toml",
      ].sort(),
    );
  });

  it("has no source or test file of more than 500 lines", () => {
    const sources = files.filter((path) => /\.(ts|tsx|js|mjs|sql|css|html|py|sh)$/.test(path));
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter((path) => linesOf(path).length > 500)).toEqual([]);
  });

  it("has no file of more than 1 MB under version control", () => {
    expect(files.filter((path) => statSync(path).size > 1_000_000)).toEqual([]);
  });

  it("has a README of at most 150 lines, with one picture under 200 kB", () => {
    expect(linesOf("README.md").length).toBeLessThanOrEqual(150);
    const pictures = [...readFileSync("README.md", "utf8").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)];
    expect(pictures).toHaveLength(1);
    for (const [, path = ""] of pictures) expect(statSync(path).size).toBeLessThan(200_000);
  });

  it("has no relative link in Markdown to a missing file", () => {
    const broken = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        [...readFileSync(path, "utf8").matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)]
          .map(([, link = ""]) => join(dirname(path), link))
          .filter((target) => !existsSync(target))
          .map((target) => `${path}: ${target}`),
      );
    expect(broken).toEqual([]);
  });

  it("has a README of at most nine headings", () => {
    let fenced = false;
    const headings = linesOf("README.md").filter((line) => {
      if (line.startsWith("```")) fenced = !fenced;
      return !fenced && /^#{1,6} /.test(line);
    });
    expect(headings.length).toBeLessThanOrEqual(9);
  });

  it("has folders in test/unit only for existing modules", () => {
    const modules = new Set(
      files.filter((path) => path.startsWith("src/")).map((path) => path.split("/")[1]),
    );
    const tested = files.filter((path) => path.startsWith("test/unit/")).map((path) => path.split("/")[2]);
    expect(tested.filter((module) => !modules.has(module))).toEqual([]);
  });
});
