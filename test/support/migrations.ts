/** The catalog's migrations as the platform's own tool applies them: each file one transaction, its name in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "src/catalog/migrations";

/** All migrations in their order. */
export const MIGRATIONS: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".sql"))
  .sort();

/** Applies those of `names` that the database has not had yet, in their order. */
export async function applyMigrations(db: D1Database, names: readonly string[] = MIGRATIONS): Promise<void> {
  await db.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const known = await appliedMigrations(db);
  for (const name of names) {
    if (known.includes(name)) continue;
    const statements = readFileSync(join(FOLDER, name), "utf8")
      .replaceAll(/--[^\n]*/g, "")
      .split(/;\s*(?:\n|$)/)
      .filter((text) => text.trim() !== "");
    const noted = db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    await db.batch([...statements.map((text) => db.prepare(text)), noted]);
  }
}

/** The migrations that the database has had, in the order they were applied. */
export async function appliedMigrations(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>();
  return results.map(({ name }) => name);
}
