/** `/admin/backup`: the catalog, page by page, for a file that the operator keeps. */
import { Hono } from "hono";
import * as z from "zod";
import { randomBase62 } from "../access/key.ts";
import { backupMoment, backupPage } from "../catalog/backup.ts";
import { BACKUP_TABLES } from "../catalog/backup-tables.ts";
import { settingsOf, VERSION } from "../env.ts";
import { headText, pageText, sealOf } from "./backup-seals.ts";
import { type AdminContext, type AdminEnv, answer, byOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type BackupPage, type BackupPlan, backupIdentitySchema } from "./wire.ts";

const afterSchema = z
  .string()
  .transform((text, context) => {
    const key = keySchema.safeParse(jsonOf(text));
    if (key.success) return key.data;
    context.addIssue({ code: "custom", message: "expected the key of a row as JSON" });
    return z.NEVER;
  })
  .optional();
/** 24 base62 characters are 142 bits. */
const ID_LENGTH = 24;

const keySchema = z.array(z.union([z.string(), z.number()])).min(1);

const pageQuerySchema = z.object({ backup: backupIdentitySchema.shape.id.optional(), after: afterSchema });

/** The routes below `/admin/backup`. */
export function backupRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await plan(c)))
    .get("/:table", async (c) => answer(c, await page(c)));
}

async function plan(c: AdminContext): Promise<BackupPlan> {
  const tables = Object.fromEntries(BACKUP_TABLES.map(({ name, columns }) => [name, [...columns]]));
  const named = { id: randomBase62(ID_LENGTH), takenAtMs: byOf(c).nowMs };
  const seal = await sealOf(settingsOf(c.env).BACKUP_SECRET, headText(named, tables));
  return {
    version: VERSION,
    identity: { ...named, seal },
    moment: await backupMoment(c.env.DB),
    // Backwards: what is read refers to rows that are read later, and those are never deleted.
    order: BACKUP_TABLES.map(({ name }) => name).reverse(),
    tables,
  };
}

async function page(c: AdminContext): Promise<BackupPage | AdminRefusal> {
  const name = c.req.param("table");
  const table = BACKUP_TABLES.find((each) => each.name === name);
  if (table === undefined) return { reason: "absent", what: "such table in a backup" };
  const query = parsed(pageQuerySchema, c.req.query(), "The query");
  if (isRefusal(query)) return query;
  const { backup, after = null } = query;
  if (after !== null && after.length !== table.key.length) {
    return {
      reason: "malformed",
      what: "after",
      place: "",
      problem: `the key has ${table.key.length} values`,
    };
  }
  const page = await backupPage(c.env.DB, table, after);
  if (backup === undefined) return { ...page, seal: null };
  const text = pageText(backup, table.columns, { table: table.name, after, ...page });
  return { ...page, seal: await sealOf(settingsOf(c.env).BACKUP_SECRET, text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
