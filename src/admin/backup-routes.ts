/** `/admin/backup`: the catalog, page by page, for a file that the operator keeps. */
import { Hono } from "hono";
import * as z from "zod";
import { backupMoment, backupPage } from "../catalog/backup.ts";
import { BACKUP_TABLES } from "../catalog/backup-tables.ts";
import { VERSION } from "../env.ts";
import { type AdminContext, type AdminEnv, answer, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { BackupPage, BackupPlan } from "./wire.ts";

const afterSchema = z
  .string()
  .transform((text, context) => {
    const key = keySchema.safeParse(jsonOf(text));
    if (key.success) return key.data;
    context.addIssue({ code: "custom", message: "expected the key of a row as JSON" });
    return z.NEVER;
  })
  .optional();
const keySchema = z.array(z.union([z.string(), z.number()])).min(1);

/** The routes below `/admin/backup`. */
export function backupRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await plan(c)))
    .get("/:table", async (c) => answer(c, await page(c)));
}

async function plan(c: AdminContext): Promise<BackupPlan> {
  return {
    version: VERSION,
    moment: await backupMoment(c.env.DB),
    // Backwards: what is read refers to rows that are read later, and those are never deleted.
    order: BACKUP_TABLES.map(({ name }) => name).reverse(),
    tables: Object.fromEntries(BACKUP_TABLES.map(({ name, columns }) => [name, [...columns]])),
  };
}

async function page(c: AdminContext): Promise<BackupPage | AdminRefusal> {
  const name = c.req.param("table");
  const table = BACKUP_TABLES.find((each) => each.name === name);
  if (table === undefined) return { reason: "absent", what: "such table in a backup" };
  const after = parsed(z.object({ after: afterSchema }), c.req.query(), "The query");
  if (isRefusal(after)) return after;
  if (after.after !== undefined && after.after.length !== table.key.length) {
    return {
      reason: "malformed",
      what: "after",
      place: "",
      problem: `the key has ${table.key.length} values`,
    };
  }
  return backupPage(c.env.DB, table, after.after ?? null);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
