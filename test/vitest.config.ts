/**
 * Three kinds of tests: `*.worker.test.ts` run inside workerd with the project's own bindings; those of
 * `SERVICE` run in Node and reach the whole service over HTTP, bundled once for the run; all others run in
 * Node alone.
 *
 * Two tiers: the quick one runs everything but `*.long.test.ts`, and every `*.proof.test.ts` at a tenth of its
 * size; the long one (`EDGETAPE_TIER=long`) runs `*.long.test.ts`, and every `*.proof.test.ts` in full.
 */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { textModules } from "./support/text-modules.ts";
import { isLong } from "./support/tier.ts";

const NODE = ["unit", "shape"];
const SERVICE = ["conformance", "property", "fault", "interop"];

const tier = isLong ? ".{long,proof}" : "";

/** The tests of `folders` that belong to the tier of this run. */
const testsIn = (folders: string[], ending = ".test.ts") =>
  folders.map((folder) => `test/${folder}/**/*${tier}${ending}`);

const workerTests = "test/**/*.worker.test.ts";
const longTests = "test/**/*.long{,.worker}.test.ts";
const notHere = isLong ? [] : [longTests];

/** A bound against hanging: several times what the longest test takes on a busy machine. */
const HANGING_MS = 1_200_000;

const testSecrets = {
  ENVIRONMENT: "test",
  CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
  ADMIN_TOKEN: "test-admin-token-test-admin-token",
  SHARE_SECRET: "1:test-share-secret-test-share-secret",
  BACKUP_SECRET: "1:test-backup-secret-test-backup-secret",
  RATE_LIMIT: "off",
  DAY_CACHE_MS: "0",
};

/** What of the environment the tests inside workerd need. */
const ownVariables = () =>
  Object.fromEntries(
    ["EDGETAPE_SEED", "EDGETAPE_TIER"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

// Tests do not see what people export for a service of their own, as the README tells them to: a test would send
// their key to it and invented evenings to their webhook.
for (const name of Object.keys(process.env)) {
  if (/^EDGETAPE_(KEY|URL|TOKEN|EXTERNAL_PASSWORD|WEBHOOK_.*)$/.test(name)) delete process.env[name];
}

export default defineConfig({
  test: {
    // For two cores: many tests wait for a program, for a runtime of their own or for 30 s to pass.
    maxWorkers: 3,
    projects: [
      {
        plugins: [textModules()],
        test: {
          name: "node",
          isolate: false,
          include: testsIn(NODE),
          exclude: [workerTests, ...notHere],
          testTimeout: HANGING_MS,
          hookTimeout: HANGING_MS,
        },
      },
      {
        // Some tests ask the routers themselves which routes there are.
        plugins: [textModules()],
        test: {
          name: "service",
          include: testsIn(SERVICE),
          exclude: [workerTests, ...notHere],
          globalSetup: ["test/support/bundle.ts"],
          // The files of a worker process share modules, and so the services of `oncePerWorker`.
          isolate: false,
          // Concurrent tests are those that only wait.
          maxConcurrency: 20,
          testTimeout: HANGING_MS,
          hookTimeout: HANGING_MS,
        },
      },
      {
        plugins: [
          textModules(),
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            remoteBindings: false,
            miniflare: {
              bindings: {
                ...testSecrets,
                // So that a random test inside workerd can be repeated too, and knows its size.
                ...ownVariables(),
                TEST_MIGRATIONS: await readD1Migrations("./src/catalog/migrations"),
              },
              cf: false,
            },
          })),
        ],
        test: {
          name: "worker",
          // One file after the other: all files share one runtime and its stores, which the setup empties. A number of
          // workers of its own wants a group of its own; `run.ts` runs this project beside the others.
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: testsIn([...NODE, ...SERVICE], ".worker.test.ts"),
          exclude: notHere,
          setupFiles: ["test/support/apply-migrations.ts"],
          testTimeout: HANGING_MS,
        },
      },
    ],
  },
});
