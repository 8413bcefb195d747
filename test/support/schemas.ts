/** The declared schema of the catalog, at present and after each migration. */
import { applyMigrations, MIGRATIONS } from "../../src/cli/demo/migrations.ts";
import type { Service } from "./service.ts";

/** Returns the declaration of every table, index, view and trigger. */
export async function schemaOf(service: Service): Promise<string> {
  const db = await service.mf.getD1Database("DB");
  const sql = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name";
  return JSON.stringify((await db.prepare(sql).all()).results);
}

/** The schema after a number of migrations, and the duration of the last one. */
export interface SchemaVersion {
  schema: string;
  tookMs: number;
}

/** Applies all migrations to an empty catalog, one by one. Returns the schemas by the number of applied migrations. */
export async function schemaVersions(service: Service): Promise<SchemaVersion[]> {
  const db = await service.mf.getD1Database("DB");
  const versions: SchemaVersion[] = [];
  for (let count = 0; count <= MIGRATIONS.length; count++) {
    const startedMs = performance.now();
    await applyMigrations(db, MIGRATIONS.slice(0, count));
    versions.push({ tookMs: performance.now() - startedMs, schema: await schemaOf(service) });
  }
  return versions;
}
