/**
 * Makes `import text from "./x.css" with { type: "text" }` give a string in tests. The bundler that deploys the worker
 * supports such imports. Vite does not support them yet and passes no attributes to plugins, so this plugin recognises
 * the modules by their paths.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "vitest/config";

/** Both mark a module's id. Because of `ENDING`, Vite does not handle the module as a style sheet or a script. */
const PREFIX = "\0text:";
const ENDING = ".text";

/** The files that pages import as text: their style sheets, texts in Markdown, and scripts that run in the browser. */
const TEXT = /\.(?:css|md)$|\/browser\/[\w-]+\.js$|\/uPlot\.iife\.min\.js$/;

/** Returns a Vite plugin that loads the files that pages import as text (see `TEXT`), unchanged. */
export function textModules(): Plugin {
  return {
    name: "text-modules",
    enforce: "pre",
    async resolveId(source, importer = "") {
      if (!TEXT.test(source) || !/\/src\/(?:console|docs|pages|shares\/page)\/[^/]+\.tsx?$/.test(importer))
        return null;
      const found = await this.resolve(source, importer);
      return found === null ? null : `${PREFIX}${found.id}${ENDING}`;
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const text = await readFile(id.slice(PREFIX.length, -ENDING.length), "utf8");
      return `export default ${JSON.stringify(text)};`;
    },
  };
}
