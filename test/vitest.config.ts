/**
 * Three kinds of tests: `*.worker.test.ts` run inside workerd with the project's own bindings; those of
 * `serviceTests` run in Node and reach the whole service over HTTP, bundled once for the run; all others
 * run in Node alone.
 */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { textModules } from "./support/text-modules.ts";

const workerTests = "test/**/*.worker.test.ts";
const serviceTests = "test/{conformance,property,fault,interop}/**/*.test.ts";

const testSecrets = {
  CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
  ADMIN_TOKEN: "test-admin-token-test-admin-token",
  SHARE_SECRET: "1:test-share-secret-test-share-secret",
  RATE_LIMIT: "off",
};

// What people export for a service of their own, as the README tells them, is none of a test's: it would be asked
// with their key, and their webhook told of evenings that never were.
for (const name of Object.keys(process.env)) {
  if (/^EDGETAPE_(KEY|URL|TOKEN|EXTERNAL_PASSWORD|WEBHOOK_.*)$/.test(name)) delete process.env[name];
}

export default defineConfig({
  test: {
    // Many tests wait for a program or a runtime of their own; vitest would leave one of two cores idle.
    maxWorkers: 2,
    projects: [
      {
        plugins: [textModules()],
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: [workerTests, serviceTests],
          // As below: some of these start programs of their own too.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // Some tests ask the routers themselves which routes there are.
        plugins: [textModules()],
        test: {
          name: "service",
          include: [serviceTests],
          exclude: [workerTests],
          globalSetup: ["test/support/bundle.ts"],
          // Concurrent tests are those that only wait.
          maxConcurrency: 20,
          // A bound against hanging, far above what a busy machine needs.
          testTimeout: 300_000,
          hookTimeout: 300_000,
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
                // So that a random test inside workerd can be repeated too.
                ...(process.env.EDGETAPE_SEED === undefined
                  ? {}
                  : { EDGETAPE_SEED: process.env.EDGETAPE_SEED }),
                TEST_MIGRATIONS: await readD1Migrations("./src/catalog/migrations"),
              },
              cf: false,
            },
          })),
        ],
        test: {
          name: "worker",
          include: [workerTests],
          setupFiles: ["test/support/apply-migrations.ts"],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
