/** `/admin/plans`: daily limits by plan, in force within 30 s of a change. */
import { Hono } from "hono";
import { planLimits, setPlanLimits } from "../catalog/plans.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type PlanList, planListSchema } from "./wire.ts";

/** The routes below `/admin/plans`. */
export function planRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, { plans: await planLimits(c.env.DB) }))
    .put("/", async (c) => answer(c, await setPlans(c)));
}

async function setPlans(c: AdminContext): Promise<PlanList | AdminRefusal> {
  const change = await bodyOf(c, planListSchema);
  if (isRefusal(change)) return change;
  await setPlanLimits(c.env.DB, { plans: change.plans, ...byOf(c) });
  return { plans: await planLimits(c.env.DB) };
}
