import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, projectFiles } from "../support/sources.ts";

const PURE = ["auction", "base", "calendar", "datasets", "entitlement", "orders"];
const BELOW_OPERATIONS = [...PURE, "http", "gate", "catalog", "access", "packs", "pages", "shares"];

/**
 * The modules that each module may import besides itself, as in the table of `src/README.md`. A path allows only that
 * file.
 */
const MAY_IMPORT: Record<string, string[]> = {
  auction: ["calendar", "datasets"],
  base: ["calendar"],
  calendar: [],
  datasets: [],
  entitlement: ["base", "calendar"],
  orders: ["base", "calendar", "datasets"],
  http: PURE,
  gate: ["catalog", ...PURE],
  catalog: PURE,
  access: ["catalog", ...PURE],
  packs: PURE,
  quality: ["auction", "base", "calendar", "datasets", "orders"],
  pages: ["base", "calendar"],
  shares: ["catalog", "http", "packs", "pages", ...PURE],
  upkeep: ["catalog", "packs", ...PURE],
  operations: BELOW_OPERATIONS,
  admin: [...BELOW_OPERATIONS, "operations", "upkeep"],
  console: [...BELOW_OPERATIONS, "operations", "quality"],
  "pack-builder": ["auction", "base", "calendar", "datasets", "orders", "packs", "quality"],
  cli: [
    "package.json",
    "admin/wire.ts",
    "pack-builder",
    "quality",
    "auction",
    "base",
    "calendar",
    "datasets",
  ],
  docs: [...BELOW_OPERATIONS, "operations"],
  // Many modules import `env.ts`, so it may import little itself.
  "env.ts": ["package.json", "base", "gate/gate-object.ts", "shares/guard-object.ts", "shares/secrets.ts"],
  // A caller's bundle must contain no server code: the client imports only types, and `build.ts` runs beforehand.
  client: [
    "datasets",
    "entitlement/data-types.ts",
    "http/denial.ts",
    "http/outcome.ts",
    "operations/wire.ts",
    "orders/record.ts",
  ],
};

/** Modules that may import the types in `env.ts`, because their functions receive bindings or parsed settings. */
const MAY_IMPORT_ENV = [
  "http",
  "gate",
  "catalog",
  "access",
  "packs",
  "shares",
  "operations",
  "admin",
  "console",
  "docs",
];

/** The common parts of operations: their interface, the step before a day is read, the types of answers. */
const CONTRACT = ["operation.ts", "wire.ts"];

const ROOTS = ["worker.ts", "app.ts", "api.ts"];
const sources = projectFiles().filter((path) => /^src\/.*\.tsx?$/.test(path));

/** Returns the path below `src/` of a relative import in `path`. */
const target = (path: string, name: string) => join(dirname(path), name).replace(/^src\//, "");

describe("the imports between modules (src/README.md)", () => {
  it("cover every module", () => {
    const modules = new Set(sources.map((path) => path.split("/")[1] ?? ""));
    expect([...modules].filter((module) => !(module in MAY_IMPORT) && !ROOTS.includes(module))).toEqual([]);
  });

  it("follow the table of modules", () => {
    const wrong: string[] = [];
    for (const path of sources) {
      const module = path.split("/")[1] ?? "";
      if (ROOTS.includes(module)) continue;
      const allowed = MAY_IMPORT[module] ?? [];
      for (const name of importsOf(path).filter((each) => each.startsWith("."))) {
        const to = target(path, name);
        const toModule = to.split("/")[0] ?? "";
        const fine =
          toModule === module ||
          allowed.includes(toModule) ||
          allowed.includes(to) ||
          (to === "env.ts" && MAY_IMPORT_ENV.includes(module));
        if (!fine) wrong.push(`${path} imports ${to}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("never connect two operations, which share only their common interface", () => {
    const wrong: string[] = [];
    for (const path of sources.filter((each) => each.startsWith("src/operations/"))) {
      // The pipeline and the registry import all operations.
      if (/\/(registry|serve-api)\.ts$/.test(path)) continue;
      const own = /^src\/operations\/([^/]+)\//.exec(path)?.[1];
      for (const name of importsOf(path).filter((each) => each.startsWith("."))) {
        const [module, place] = target(path, name).split("/");
        if (module === "operations" && place !== own && !CONTRACT.includes(place ?? ""))
          wrong.push(`${path} imports ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("contain the file's extension, so that Node runs the sources unchanged", () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((name) => name.startsWith(".") && !/\.(tsx?|json|sql|css|md|js)$/.test(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
