/**
 * `level2_order_history` (contract 3, 4, 5, 6): the order records of one security on one trading day, as JSON pages
 * or one Parquet file. Steps 5 to 11 of contract 2.1 in their order, and how they would go, for the operator.
 */
import type { Reservation } from "../../base/memory.ts";
import { ok, type Result } from "../../base/result.ts";
import { beijingDate } from "../../calendar/beijing.ts";
import { orderDayStatement } from "../../catalog/order-day.ts";
import type { Grant } from "../../entitlement/entitle.ts";
import { windowOf } from "../../entitlement/standing.ts";
import type { Settings } from "../../env.ts";
import { verdictOf } from "../../gate/lease.ts";
import type { GateRefusal } from "../../gate/protocol.ts";
import { gateOf, type Slot, spendGrant, takeSlot } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import type { Envelope } from "../../http/envelope.ts";
import { type CursorSecrets, readCursor } from "../../orders/query/cursor.ts";
import { type OrderQuery, parseOrderQuery } from "../../orders/query/order-query.ts";
import { beginPaging, continuePaging, type Paging } from "../../orders/query/paging.ts";
import type { Call, Operation, Prepared, Scope, Step } from "../operation.ts";
import { answerWithSlot, beginRead } from "./answer.ts";
import { boundOf, refuseWithoutMemory, reserveFor } from "./answer-memory.ts";
import { type Asked, type Found, findOrders, keptFor, ORDER_HISTORY } from "./find-orders.ts";

/** The previous cursor secret counts for this long after a rotation (contract 5.2). */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

export const orderHistory: Operation = { apiname: ORDER_HISTORY, prepare };

async function prepare(envelope: Envelope, scope: Scope): Promise<Result<Prepared, Denial>> {
  const { settings, nowMs, env } = scope;
  const parsed = parseOrderQuery(envelope, {
    unknownParameters: settings.UNKNOWN_PARAMETERS === "warn" ? "warn" : "refuse",
  });
  if (!parsed.ok) return parsed;
  const query = parsed.value;
  const begun = await pagingOf(query, settings, nowMs);
  if (!begun.ok) return begun;
  const paging = begun.value;

  const question = { tradedate: paging.tradedate, symbol: query.symbol, today: beijingDate(nowMs) };
  const kept = keptFor(question, paging, scope);
  const read = orderDayStatement(env.DB, question);
  return ok({
    reads: kept === null ? [read] : [],
    about: { symbol: query.symbol, tradedate: paging.tradedate },
    run: (call) => run(call, { query, paging, question, kept }),
    explain: (call) => {
      const readNow = async () => [await read.all()];
      return explain({ ...call, read: readNow }, { query, paging, question, kept: null });
    },
  });
}

async function run(call: Call, asked: Asked): Promise<Response> {
  const { query, question } = asked;
  call.log.note({ symbol: query.symbol, tradedate: question.tradedate ?? "" });

  // 6 and 7. Plan and window, then the data. Nothing is charged yet.
  const found = await findOrders(call, asked);
  if (!found.ok) return call.refuse(found.refusal.denial);

  // What the answer may hold in memory, before anything is asked of a store and before the charge.
  const memory = await call.log.stage("memory", () => reserveFor(call, asked, found.value));
  if (!memory.ok) return refuseWithoutMemory(call, memory.refusal);
  try {
    return await answerWithin(memory.value, { ...asked, call, found: found.value });
  } finally {
    memory.value.endUnsent();
  }
}

/** 8 to 10. The slot, then the quota; charged once, here. A page's bytes may be read meanwhile. */
async function answerWithin(
  memory: Reservation,
  asked: Asked & { call: Call; found: Found },
): Promise<Response> {
  const { call, query, found } = asked;
  const isEarly = query.format === "json" && spendGrant(slotOf(call));
  const begun = isEarly ? beginRead(call, asked, found) : null;
  const slot = await call.log.stage("gate", () => askForSlot(call, query, found.grant));
  if (!slot.ok) return call.refuse(denialOf(slot.refusal));

  // 11. Read, encode, send.
  return answerWithSlot({ ...asked, slot: slot.value, memory, begun });
}

function slotOf({ principal }: Call): { accountId: string; interface: string } {
  return { accountId: principal.accountId, interface: ORDER_HISTORY };
}

function askForSlot(call: Call, query: OrderQuery, grant: Grant): Promise<Result<Slot, GateRefusal>> {
  const { env, settings, ctx, requestId, signal } = call;
  const boundMs = boundOf(query, settings);
  return takeSlot(
    { namespace: env.GATE, locationHint: settings.LOCATION_HINT, ctx },
    {
      ...slotOf(call),
      request: { requestId, boundMs, kind: query.format, limits: grant.limits },
      signal,
    },
  );
}

/** The gate's refusal as the caller gets it: a used-up quota names the interface that it belongs to. */
function denialOf(refusal: GateRefusal): Denial {
  return refusal.reason === "quota_used" ? { ...refusal, interface: ORDER_HISTORY } : refusal;
}

async function pagingOf(
  query: OrderQuery,
  settings: Settings,
  nowMs: number,
): Promise<Result<Paging, Denial>> {
  if (query.cursor === null) return ok(beginPaging(query));
  const cursor = await readCursor(cursorSecrets(settings), query.cursor, nowMs);
  return cursor.ok ? continuePaging(query, cursor.value) : cursor;
}

function cursorSecrets(settings: Settings): CursorSecrets {
  const { CURSOR_SECRET: current, CURSOR_SECRET_PREVIOUS: secret, CURSOR_SECRET_ROTATED_AT: at } = settings;
  if (secret === undefined || at === undefined) return { current };
  return { current, previous: { secret, acceptedUntilMs: Date.parse(at) + PREVIOUS_SECRET_MS } };
}

/** How steps 6 to 10 would go now, up to the first refusal, without taking the slot or being counted. */
async function explain(call: Call, asked: Asked): Promise<Step[]> {
  const found = await findOrders(call, asked);
  const denial = found.ok ? null : found.refusal.denial;
  const { grant } = found.ok ? found.value : found.refusal;
  if (grant === null) return [{ step: 6, about: "plan and window", denial, detail: "" }];
  const from = windowOf(grant.plan, "order_history", call.nowMs)?.from ?? "all history";
  const covers = `the ${grant.plan} plan covers ${from} to today`;
  const covered: Step = { step: 6, about: "plan and window", denial: null, detail: covers };
  if (!found.ok) return [covered, { step: 7, about: "data", denial, detail: "" }];
  const { entry, day } = found.value;
  const detail = `${entry.symbol}.${entry.market} has ${entry.rows} orders on ${day.pack.tradedate}, revision ${day.revision}`;
  const held: Step = { step: 7, about: "data", denial: null, detail };
  return [covered, held, ...(await explainGate(call, asked.query, grant))];
}

async function explainGate(call: Call, query: OrderQuery, { limits }: Grant): Promise<Step[]> {
  const { env, settings, principal } = call;
  const home = { namespace: env.GATE, locationHint: settings.LOCATION_HINT };
  const state = await gateOf(home, principal.accountId, ORDER_HISTORY).state();
  const { use, holder } = state;
  const refusal = verdictOf(state, query.format, limits);
  const denial = refusal === null ? null : denialOf(refusal);
  if (denial?.reason === "slot_busy") {
    return [{ step: 8, about: "slot", denial, detail: `request ${holder?.requestId} holds it now` }];
  }
  const limit = (count: number | null) => (count === null ? "unlimited" : `of ${count}`);
  const used = `${use.requests} ${limit(limits.requests)} requests and ${use.files} ${limit(limits.files)} files are used today`;
  const free: Step = { step: 8, about: "slot", denial: null, detail: "free" };
  if (denial !== null) return [free, { step: 9, about: "quota", denial, detail: used }];
  const charge = query.format === "json" ? "one request" : "one request and one file";
  return [
    free,
    { step: 9, about: "quota", denial: null, detail: used },
    { step: 10, about: "charge", denial: null, detail: `${charge} would be counted` },
  ];
}
