/**
 * There are three kinds of tests. `*.worker.test.ts` run inside workerd with the project's own bindings. Tests in the
 * folders of `SERVICE` run in Node and reach the whole service, which is bundled once per run, over HTTP. All other
 * tests run in Node alone.
 *
 * There are two tiers. The quick tier runs everything but `*.long.test.ts`, and each `*.proof.test.ts` at a tenth of
 * its size. The long tier (`EDGETAPE_TIER=long`) runs `*.long.test.ts`, and each `*.proof.test.ts` in full.
 */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./support/longest-first.ts";
import { textModules } from "./support/text-modules.ts";
import { isLong } from "./support/tier.ts";

const NODE = ["unit", "shape"];
const SERVICE = ["conformance", "property", "fault", "interop"];

const tier = isLong ? ".{long,proof}" : "";

/** Returns the tests of `folders` that belong to the tier of this run. */
const testsIn = (folders: string[], ending = ".test.ts") =>
  folders.map((folder) => `test/${folder}/**/*${tier}${ending}`);

const workerTests = "test/**/*.worker.test.ts";
const longTests = "test/**/*.long{,.worker}.test.ts";
const notHere = isLong ? [] : [longTests];

/** The time limit that ends a hanging test: several times the duration of the longest test on a busy machine. */
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

/** Returns the environment variables that the tests inside workerd need. */
const ownVariables = () =>
  Object.fromEntries(
    ["EDGETAPE_SEED", "EDGETAPE_TIER"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

// Removes the variables that the README tells users to export for their own service. With these variables, tests would
// send the user's key to that service and synthetic notices to the user's webhook.
for (const name of Object.keys(process.env)) {
  if (/^EDGETAPE_(KEY|URL|TOKEN|EXTERNAL_PASSWORD|WEBHOOK_.*)$/.test(name)) delete process.env[name];
}

export default defineConfig({
  test: {
    // Three workers suit two cores, because many tests only wait: for a program, for their own runtime or for 30 s to
    // pass.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
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
        // Some tests import the service's routers, whose pages import files as text.
        plugins: [textModules()],
        test: {
          name: "service",
          include: testsIn(SERVICE),
          exclude: [workerTests, ...notHere],
          globalSetup: ["test/support/bundle.ts"],
          // Test files that run in the same process share modules, and therefore also the services of `oncePerWorker`.
          isolate: false,
          // Only tests that mostly wait are concurrent.
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
                // Passes the seed and the tier to workerd: the seed repeats a random test, and the tier sets its size.
                ...ownVariables(),
                TEST_MIGRATIONS: await readD1Migrations("./src/catalog/migrations"),
              },
              cf: false,
            },
          })),
        ],
        test: {
          name: "worker",
          // The project runs one file after the other, because all files share one runtime and its stores, which the
          // setup empties. A project with its own number of workers needs its own group. `run.ts` runs this project
          // concurrently with the other projects.
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
