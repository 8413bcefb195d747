/** The catalog's migrations, noted by name as the platform's own tool does. */
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
  const lines = names
    .filter((name) => !known.includes(name))
    .flatMap((name) => [...statementsOf(name), `INSERT INTO d1_migrations (name) VALUES ('${name}')`]);
  // A call for each statement would take longer than all of them.
  if (lines.length > 0) await db.exec(lines.join("\n"));
}

/** Each in one line, without its semicolon. */
function statementsOf(name: string): string[] {
  return readFileSync(join(FOLDER, name), "utf8")
    .replaceAll(/--[^\n]*/g, "")
    .split(/;\s*(?:\n|$)/)
    .map((text) => text.trim().replaceAll(/\s+/g, " "))
    .filter((text) => text !== "");
}

/** The migrations that the database has had, in the order they were applied. */
export async function appliedMigrations(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>();
  return results.map(({ name }) => name);
}
