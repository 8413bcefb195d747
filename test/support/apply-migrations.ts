/** Gives every worker test file empty stores and a migrated D1, because the files share one runtime. */
import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

const { DB, TEST_MIGRATIONS } = env as unknown as { DB: D1Database; TEST_MIGRATIONS: D1Migration[] };
await reset();
await applyD1Migrations(DB, TEST_MIGRATIONS);
