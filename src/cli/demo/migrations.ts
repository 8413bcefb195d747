/**
 * Applies the catalog's migrations to a local D1 and records them as `wrangler d1 migrations apply` does. Wrangler
 * itself takes several seconds to load and makes a call for each statement.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "../../..");
const FOLDER = join(CHECKOUT, "src/catalog/migrations");

/** All migrations in order. */
export const MIGRATIONS: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".sql"))
  .sort();

/** Returns the digest of the migrations in the checkout, to compare with the stored one; null without a database. */
export function migrationsDigest(stateDir: string): string | null {
  if (!existsSync(join(stateDir, "v3/d1"))) return null;
  const hash = createHash("sha256");
  for (const name of MIGRATIONS) hash.update(name).update(readFileSync(join(FOLDER, name)));
  return hash.digest("hex");
}

/**
 * Migrates a dev server's database, whose id is in `wrangler.toml`. Call it before the server's first request, at which
 * the server opens the database.
 */
export async function migrateState(stateDir: string): Promise<void> {
  const configuration = readFileSync(join(CHECKOUT, "wrangler.toml"), "utf8");
  const databaseId = /^database_id = "([^"]+)"$/m.exec(configuration)?.[1];
  if (databaseId === undefined) throw new Error("wrangler.toml names no database");
  await migrateFolder({ DB: databaseId }, join(stateDir, "v3"));
}

/**
 * Migrates the database `DB` in a folder where Miniflare stores `databases`. `databases` maps bindings to ids, or lists
 * bindings.
 */
export async function migrateFolder(
  databases: Record<string, string> | string[],
  folder: string,
): Promise<void> {
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      cf: false,
      telemetry: { enabled: false },
      d1Databases: databases,
      resourcePersistencePath: folder,
    }),
  );
  try {
    await applyMigrations(await runtime.getD1Database("DB"));
  } finally {
    await runtime.dispose();
  }
}

/** Applies the migrations in `names` that `db` lacks, in order. */
export async function applyMigrations(db: D1Database, names: readonly string[] = MIGRATIONS): Promise<void> {
  await db.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const known = await appliedMigrations(db);
  const lines = names
    .filter((name) => !known.includes(name))
    .flatMap((name) => [...statementsOf(name), `INSERT INTO d1_migrations (name) VALUES ('${name}')`]);
  // All statements are sent in one call: separate calls would take longer than the statements themselves.
  if (lines.length > 0) await db.exec(lines.join("\n"));
}

/** Returns the applied migrations in order. */
export async function appliedMigrations(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** Returns the statements of a migration, each on one line and without a semicolon. */
function statementsOf(name: string): string[] {
  return readFileSync(join(FOLDER, name), "utf8")
    .replaceAll(/--[^\n]*/g, "")
    .split(/;\s*(?:\n|$)/)
    .map((text) => text.trim().replaceAll(/\s+/g, " "))
    .filter((text) => text !== "");
}
