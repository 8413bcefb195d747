/**
 * `level2_order_history` (contract 3, 4, 5, 6): the order records of one security on one trading day, as JSON pages
 * or one Parquet file. Steps 5 to 11 of contract 2.1, in their order.
 */
import { beijingDate } from "../../calendar/beijing.ts";
import { type OrderDayQuestion, orderDayOf, orderDayStatement } from "../../catalog/order-day.ts";
import { entitleOrderHistory, type Grant } from "../../entitlement/entitle.ts";
import type { Settings } from "../../env.ts";
import type { GateRefusal } from "../../gate/protocol.ts";
import { type Slot, takeSlot } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import type { Envelope } from "../../http/envelope.ts";
import { type CursorSecrets, readCursor } from "../../orders/cursor.ts";
import { type OrderQuery, parseOrderQuery } from "../../orders/query.ts";
import { beginWalk, continueWalk, type Walk } from "../../orders/walk.ts";
import type { Call, Operation, Prepared, Scope } from "../operation.ts";
import { answerWithSlot } from "./answer.ts";
import { explainOrderHistory } from "./explain.ts";
import { locate } from "./locate.ts";
import { denialOf, ORDER_HISTORY } from "./name.ts";

/** The previous cursor secret counts for this long after a rotation (contract 5.2). */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

export const orderHistory: Operation = { apiname: ORDER_HISTORY, prepare };

async function prepare(envelope: Envelope, scope: Scope): Promise<Prepared | Denial> {
  const { settings, nowMs, env } = scope;
  const query = parseOrderQuery(envelope, {
    unknownParameters: settings.UNKNOWN_PARAMETERS === "warn" ? "warn" : "refuse",
  });
  if ("reason" in query) return query;
  const walk = await walkOf(query, settings, nowMs);
  if ("reason" in walk) return walk;

  const question = { tradedate: walk.tradedate, symbol: query.symbol, today: beijingDate(nowMs) };
  return {
    reads: [orderDayStatement(env.DB, question)],
    about: { symbol: query.symbol, tradedate: walk.tradedate },
    run: (call) => run(call, query, walk, question),
    explain: (call) => explainOrderHistory(call, query, walk, question),
  };
}

async function run(call: Call, query: OrderQuery, walk: Walk, question: OrderDayQuestion): Promise<Response> {
  const { principal, nowMs, log } = call;
  log.note({ symbol: query.symbol, tradedate: question.tradedate ?? "" });

  // 6. Without a date, today stands for the newest trading day: whoever may not read today is told so
  // before the calendar is looked at.
  const early = entitleOrderHistory(principal, question.tradedate ?? question.today, nowMs);
  if ("reason" in early) return call.refuse(early);

  const [result] = await call.read();
  if (result === undefined) throw new Error("the order day was not read");
  const orderDay = orderDayOf(result, question);
  log.note({ tradedate: orderDay.tradedate });
  const grant = entitleOrderHistory(principal, orderDay.tradedate, nowMs);
  if ("reason" in grant) return call.refuse(grant);

  // 7. Is the day loaded, and does it hold the security? Nothing is charged yet.
  const found = locate(call, query, walk, orderDay);
  if ("reason" in found) return call.refuse(found);

  // 8 to 10. The slot, then the quota; charged once, here.
  const slot = await log.stage("gate", () => askForSlot(call, query, grant));
  if ("reason" in slot) return call.refuse(denialOf(slot));

  // 11. Read, encode, send.
  return answerWithSlot({ call, query, walk, slot, grant, question, found });
}

function askForSlot(call: Call, query: OrderQuery, grant: Grant): Promise<Slot | GateRefusal> {
  const { env, settings, ctx, requestId, principal, signal } = call;
  const boundMs = query.format === "json" ? settings.JSON_BOUND_MS : settings.PARQUET_BOUND_MS;
  return takeSlot(
    { namespace: env.GATE, locationHint: settings.LOCATION_HINT, ctx },
    {
      accountId: principal.accountId,
      interface: ORDER_HISTORY,
      request: { requestId, boundMs, kind: query.format, limits: grant.limits },
      signal,
    },
  );
}

async function walkOf(query: OrderQuery, settings: Settings, nowMs: number): Promise<Walk | Denial> {
  if (query.cursor === null) return beginWalk(query);
  const cursor = await readCursor(cursorSecrets(settings), query.cursor, nowMs);
  return "reason" in cursor ? cursor : continueWalk(query, cursor);
}

function cursorSecrets(settings: Settings): CursorSecrets {
  const { CURSOR_SECRET: current, CURSOR_SECRET_PREVIOUS: secret, CURSOR_SECRET_ROTATED_AT: at } = settings;
  if (secret === undefined || at === undefined) return { current };
  return { current, previous: { secret, acceptedUntilMs: Date.parse(at) + PREVIOUS_SECRET_MS } };
}
