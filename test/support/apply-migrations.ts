/** Gives every worker test file empty stores and a migrated D1, because the files share one runtime. */
import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

const { DB, PACKS, TEST_MIGRATIONS } = env as unknown as {
  DB: D1Database;
  PACKS: R2Bucket;
  TEST_MIGRATIONS: D1Migration[];
};

async function areStoresEmpty(): Promise<boolean> {
  const tables = await DB.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name NOT LIKE '_cf%'").first(
    "n",
  );
  return tables === 0 && (await PACKS.list({ limit: 1 })).objects.length === 0;
}

await reset();
// On a busy machine, a reset can leave data of the previous test file, so it is repeated until the stores are empty.
for (let tries = 1; !(await areStoresEmpty()); tries += 1) {
  if (tries === 20) throw new Error("after 20 resets the stores still hold data of the previous test file");
  await new Promise((resolve) => setTimeout(resolve, 250));
  await reset();
}
await applyD1Migrations(DB, TEST_MIGRATIONS);
