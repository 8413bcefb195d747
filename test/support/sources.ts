/** Lists and parses the project's own files for the shape tests. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns the paths of the files that git tracks or would track, relative to the checkout, without deleted files. */
export function projectFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  const deleted = new Set(execFileSync("git", ["ls-files", "--deleted"], { encoding: "utf8" }).split("\n"));
  return listed.split("\n").filter((path) => path !== "" && !deleted.has(path));
}

/** Returns the module names that a TypeScript source imports or re-exports, including imports of types. */
export function importsOf(path: string): string[] {
  const code = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const statements = /^(?:import|export)\b(?:[^"';]*?\bfrom)?\s*"([^"\n]+)"/gm;
  const expressions = /\bimport\(\s*"([^"\n]+)"/g;
  return [...code.matchAll(statements), ...code.matchAll(expressions)].map((match) => match[1] ?? "");
}
