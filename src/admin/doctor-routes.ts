/** `/admin/doctor`: what is wrong with this deployment, and what can be put right without anybody's loss. */
import { Hono } from "hono";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type IndexedPack, servedPack } from "../catalog/index-rows.ts";
import { isLoopback, settingsOf } from "../env.ts";
import { checkIndex, rebuildIndex } from "./doctor-index.ts";
import { deleteStrangers, unknownObjects } from "./doctor-objects.ts";
import { doctorReport, doctorsPlace, repair } from "./doctor-report.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { storesOf } from "./upload-exchange.ts";
import { watch } from "./watch.ts";
import {
  deleteObjectsSchema,
  type FindingList,
  type IndexReport,
  runScheduledSchema,
  type ScheduledRun,
} from "./wire.ts";
import { beijingDateSchema } from "./wire-fields.ts";

/** The routes below `/admin/doctor`. */
export function doctorRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await doctorReport(c.env, { isLocal: isLocal(c) })))
    .post("/repair", async (c) => answer(c, { findings: await repair(c.env, c.var.operator.actor) }))
    .get("/objects", async (c) => answer(c, await unknownObjects(doctorsPlace(c.env))))
    .post("/objects/delete", async (c) => answer(c, await deleteObjects(c)))
    .post("/scheduled", async (c) => answer(c, await scheduled(c)))
    .get("/index/:date", async (c) => answer(c, await indexOf(c)))
    .post("/index/:date/repair", async (c) => answer(c, await repairIndex(c)));
}

/** Whether only this machine reaches the deployment: the demo, or one that is asked at a loopback address. */
function isLocal(c: AdminContext): boolean {
  return settingsOf(c.env).ENVIRONMENT === "demo" || isLoopback(new URL(c.req.url).hostname);
}

async function deleteObjects(c: AdminContext): Promise<FindingList | AdminRefusal> {
  const body = await bodyOf(c, deleteObjectsSchema);
  if (isRefusal(body)) return body;
  return { findings: await deleteStrangers(doctorsPlace(c.env), body.keys) };
}

async function scheduled(c: AdminContext): Promise<ScheduledRun | AdminRefusal> {
  const body = await bodyOf(c, runScheduledSchema);
  return isRefusal(body) ? body : watch(c.env, body);
}

async function indexOf(c: AdminContext): Promise<IndexReport | AdminRefusal> {
  const served = await servedOf(c);
  if (isRefusal(served)) return served;
  const { tradedate, pack } = served;
  return { tradedate, revision: pack.revision, ...(await checkIndex(storesOf(c), tradedate, pack)) };
}

/** Makes the index rows anew where they are wrong; what still is wrong then is told. */
async function repairIndex(c: AdminContext): Promise<IndexReport | AdminRefusal> {
  const served = await servedOf(c);
  if (isRefusal(served)) return served;
  const before = await indexOf(c);
  if (isRefusal(before) || before.findings.length === 0) return before;
  const { tradedate, pack } = served;
  await rebuildIndex(storesOf(c), pack);
  const after = await indexOf(c);
  if (isRefusal(after) || after.findings.length > 0) return after;
  const sentence = `The index rows of ${tradedate} were made anew from its pack.`;
  const done = { check: "index", level: "done", subject: tradedate, sentence, advice: "" } as const;
  return { ...after, findings: [done] };
}

async function servedOf(
  c: AdminContext,
): Promise<{ tradedate: BeijingDate; pack: IndexedPack & { revision: number } } | AdminRefusal> {
  const tradedate = parsed(beijingDateSchema, c.req.param("date"), "The date in the path");
  if (typeof tradedate !== "string") return tradedate;
  const pack = await servedPack(c.env.DB, tradedate);
  return pack === null ? { reason: "absent", what: `loaded day ${tradedate}` } : { tradedate, pack };
}
