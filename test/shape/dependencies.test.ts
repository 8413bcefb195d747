import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importsOf, projectFiles } from "../support/sources.ts";

interface Manifest {
  license: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const sources = projectFiles().filter((path) => /^src\/.*\.tsx?$/.test(path));
const isNodeModule = (path: string) => /^src\/(pack-builder|cli|client)\//.test(path);

/** Returns the package of a bare import; `""` for relative imports, the platform's own modules, and this package. */
function packageOf(name: string): string {
  if (/^(\.|node:|cloudflare:|edgetape-client$)/.test(name)) return "";
  const [first = "", second = ""] = name.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

const packagesOf = (paths: string[]) =>
  [...new Set(paths.flatMap(importsOf).map(packageOf))].filter((name) => name !== "").sort();

describe("the dependencies", () => {
  it("of the worker are fzstd, hono, hyparquet, hyparquet-writer, uplot and zod", () => {
    const planned = ["fzstd", "hono", "hyparquet", "hyparquet-writer", "uplot", "zod"];
    expect(Object.keys(manifest.dependencies).sort()).toEqual(planned);
    const used = packagesOf(sources.filter((path) => !isNodeModule(path)));
    expect(used.filter((name) => !planned.includes(name))).toEqual([]);
  });

  it("in package.json include every package that a source or test imports", () => {
    const declared = { ...manifest.dependencies, ...manifest.devDependencies };
    const tests = projectFiles().filter((path) => /^test\/.*\.tsx?$/.test(path));
    expect(packagesOf([...sources, ...tests]).filter((name) => !(name in declared))).toEqual([]);
  });

  it("have exact versions", () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it("include zod only as a namespace import, which keeps the worker small", () => {
    const wrong = sources.filter((path) =>
      /import\s*\{[^}]*\}\s*from\s*"zod"/.test(readFileSync(path, "utf8")),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the project's package.json", () => {
  it("declares the `edgetape` command, the usual scripts and the MIT licence", () => {
    expect(manifest.license).toBe("MIT");
    expect(Object.keys(manifest.bin)).toEqual(["edgetape"]);
    expect(Object.keys(manifest.scripts)).toEqual(
      expect.arrayContaining(["start", "test", "lint", "types", "bench", "deploy"]),
    );
  });
});
