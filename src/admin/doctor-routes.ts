/** `/admin/doctor`: what is wrong with this deployment, and what can be put right without anybody's loss. */
import { Hono } from "hono";
import { type AdminContext, type AdminEnv, answer, bodyOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { watch } from "./watch.ts";
import { runScheduledSchema, type ScheduledRun } from "./wire.ts";

/** The routes below `/admin/doctor`. */
export function doctorRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>().post("/scheduled", async (c) => answer(c, await scheduled(c)));
}

async function scheduled(c: AdminContext): Promise<ScheduledRun | AdminRefusal> {
  const body = await bodyOf(c, runScheduledSchema);
  return isRefusal(body) ? body : watch(c.env, body);
}
