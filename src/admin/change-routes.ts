/** `/admin/changes`: every change of what days serve, in the order they happened. */
import { Hono } from "hono";
import * as z from "zod";
import { beijingTimestamp } from "../calendar/beijing.ts";
import { changesSince, type DayChange } from "../catalog/day-changes.ts";
import { type AdminContext, type AdminEnv, answer, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Change, ChangeList } from "./wire.ts";
import { instantTextSchema } from "./wire-fields.ts";

/** Changes in one answer, at most and unless asked otherwise. */
const MAX_CHANGES = 100;

const querySchema = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_CHANGES).default(MAX_CHANGES),
  since: instantTextSchema.default(0),
});

/** The routes below `/admin/changes`. */
export function changeRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>().get("/", async (c) => answer(c, await listChanges(c)));
}

async function listChanges(c: AdminContext): Promise<ChangeList | AdminRefusal> {
  const query = parsed(querySchema, c.req.query(), "The query");
  if (isRefusal(query)) return query;
  const { after, since, limit } = query;
  // One more than asked for tells whether more wait.
  const question = { changeId: after, sinceMs: since, from: null, count: limit + 1 };
  const found = await changesSince(c.env.DB, question);
  const shown = found.slice(0, limit);
  return {
    changes: shown.map(changeOf),
    nextAfter: shown.at(-1)?.changeId ?? after,
    hasMore: found.length > shown.length,
  };
}

function changeOf(change: DayChange): Change {
  const { changeId, atMs, tradedate, kind, revision, previous, added, removed, changed } = change;
  const securities =
    added === null || removed === null || changed === null ? null : { added, removed, changed };
  return { change: changeId, at: beijingTimestamp(atMs), tradedate, kind, revision, previous, securities };
}
