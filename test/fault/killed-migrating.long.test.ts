/**
 * Kills the runtime while it migrates existing data from any earlier schema. Each migration is applied fully or not at
 * all, and applying the migrations again completes them. The account, key, day and upload of the first version still
 * work.
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appliedMigrations, applyMigrations, MIGRATIONS } from "../../src/cli/demo/migrations.ts";
import { day, randomSecurity } from "../support/builders.ts";
import { MOMENTS, startKillable } from "../support/killable.ts";
import { publish } from "../support/operator.ts";
import { readAllPages } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { FIRST_KEY, fillFirstSchema, schemaOf, schemaVersions } from "../support/schema-rows.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";

const random = printedRandom("killed in mid-migration");
const loaded = day({
  tradedate: TRADEDATE,
  securities: [randomSecurity(random, { symbol: SYMBOL, rows: 300 })],
});
const rebuilt = day({
  tradedate: TRADEDATE,
  securities: [randomSecurity(random, { symbol: SYMBOL, rows: 200 })],
});

const root = testFolder("edgetape-migrating-");
/** The state folder of a deployment that has the first schema version and contains data. */
const first = join(root, "first");
{
  await using service = await startService({ persistDir: first, migrations: MIGRATIONS.slice(0, 1) });
  await fillFirstSchema(service, loaded);
}
/** For each n, the schema after the first n migrations, and how long the n-th took on this machine. */
const versions = await (async () => {
  await using service = await startService({ migrations: [] });
  return await schemaVersions(service);
})();

/** Expects that the first version's data is served and can be changed. */
async function expectFirstData(service: Service): Promise<void> {
  const request = { apikey: FIRST_KEY, params: { symbol: SYMBOL, tradedate: TRADEDATE } };
  expect((await readAllPages(service, request)).rows).toEqual(loaded.rowsOf(SYMBOL));
  expect((await publish(service, rebuilt)).day.revision).toBe(2);
  expect((await readAllPages(service, request)).rows).toEqual(rebuilt.rowsOf(SYMBOL));
}

describe("the migrations", () => {
  it(`killed at ${MOMENTS} random moments are each applied fully or not at all, and complete when they run again`, async () => {
    const seen = new Map<string, number>();
    for (let round = 0; round < MOMENTS; round++) {
      const from = random.integer(0, MIGRATIONS.length - 1);
      const folder = join(root, `killed-${round}`);
      if (from > 0) await cp(first, folder, { recursive: true });
      await using killable = await startKillable(folder, { migrations: MIGRATIONS.slice(0, from) });
      const migrateMs = versions.slice(from + 1).reduce((sum, { tookMs }) => sum + tookMs, 0);
      void applyMigrations(await killable.service.mf.getD1Database("DB")).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, random.next() * migrateMs));
      await killable.kill();

      const service = await killable.restart(0);
      const applied = await appliedMigrations(await service.mf.getD1Database("DB"));
      expect(applied).toEqual(MIGRATIONS.slice(0, applied.length));
      expect(await schemaOf(service)).toBe(versions[applied.length]?.schema);
      seen.set(`${applied.length - from} done`, (seen.get(`${applied.length - from} done`) ?? 0) + 1);

      await applyMigrations(await service.mf.getD1Database("DB"));
      expect(await schemaOf(service)).toBe(versions.at(-1)?.schema);
      if (from > 0) await expectFirstData(service);
      await rm(folder, { recursive: true, force: true });
    }
    console.log("migrations of killed runs:", Object.fromEntries(seen));
  });
});
