/**
 * Serves the history of a dataset, such as `level2_order_history` (contract 3, 4, 5, 6): the rows of one security on
 * one trading day, as JSON pages or one Parquet file. Performs steps 5 to 11 of contract 2.1 in that order.
 */
import { answerMemory, type MemoryRefusal, partOfAccount, type Reservation } from "../../base/memory.ts";
import { ok, type Result } from "../../base/result.ts";
import { orderDayStatement } from "../../catalog/order-day.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import type { Settings } from "../../env.ts";
import { spendGrant, takeSlot } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import { beginPaging, continuePaging, type Paging, readCursor } from "../../orders/query/cursor.ts";
import { type HistoryQuery, parseHistoryQuery } from "../../orders/query/history-query.ts";
import { fileBytes, pageBytes } from "../../packs/answer-bytes.ts";
import { type Call, firstByteMs, type Operation, type Scope } from "../operation.ts";
import { answerWithSlot, beginRead, pageAskOf } from "./answer.ts";
import { explainHistory } from "./explain.ts";
import type { Asked, Found } from "./find-section.ts";
import { askedFor, findSection, gateDenial, holderOf, keptFor } from "./find-section.ts";

/** The previous cursor secret is accepted for this long after a rotation (contract 5.2). */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** Returns the operation that serves `dataset`. */
export function historyOf(dataset: DatasetName): Operation {
  return {
    apiname: DATASETS[dataset].apiname,
    prepare(envelope, scope) {
      const { settings, env } = scope;
      const parsed = parseHistoryQuery(envelope, settings.UNKNOWN_PARAMETERS, dataset);
      if (!parsed.ok) return parsed;
      const query = parsed.value;
      const begun = pagingOf(dataset, query, scope);
      if (!begun.ok) return begun;
      const paging = begun.value;

      const asked = askedFor(dataset, query, paging, scope);
      const kept = keptFor(asked.question, paging, scope);
      const read = orderDayStatement(env.DB, asked.question);
      return ok({
        reads: kept === null ? [read] : [],
        about: { symbol: query.symbol, tradedate: paging.tradedate },
        run: (call) => run(call, { ...asked, kept }),
        explain: (call) => explainHistory({ ...call, read: async () => [await read.all()] }, asked),
      });
    },
  };
}

async function run(call: Call, asked: Asked): Promise<Response> {
  const { query, question } = asked;
  call.log.note({ symbol: query.symbol, tradedate: question.tradedate ?? "" });

  // Steps 6 and 7: plan and window, then the data. Nothing is charged yet.
  const found = await findSection(call, asked);
  if (!found.ok) return call.refuse(found.refusal.denial);

  // Reserves the answer's memory before any store is called and before the charge.
  const memory = await call.log.stage("memory", () => reserveFor(call, asked, found.value));
  if (!memory.ok) return refuseWithoutMemory(call, memory.refusal);
  try {
    return await answerWithin(memory.value, { ...asked, call, found: found.value });
  } finally {
    memory.value.endUnsent();
  }
}

/**
 * Performs steps 8 to 10: takes the slot, checks the quota and charges the request. No other code charges. The read of
 * a page's bytes may begin before the gate has answered.
 */
async function answerWithin(
  memory: Reservation,
  asked: Asked & { call: Call; found: Found },
): Promise<Response> {
  const { call, query, found } = asked;
  const isEarly = query.format === "json" && spendGrant(holderOf(call, asked));
  const begun = isEarly ? beginRead(call, asked, found) : null;
  const { env, settings, ctx, requestId, signal } = call;
  const place = { namespace: env.GATE, locationHint: settings.LOCATION_HINT, ctx };
  const kind = query.format;
  const request = { requestId, boundMs: boundOf(query, settings), kind, limits: found.grant.limits };
  const slot = await call.log.stage("gate", () =>
    takeSlot(place, { ...holderOf(call, asked), request, signal }),
  );
  if (!slot.ok) return call.refuse(gateDenial(slot.refusal, asked));

  // Step 11: read, encode and send the answer.
  return answerWithSlot({ ...asked, slot: slot.value, memory, begun });
}

function pagingOf(
  dataset: DatasetName,
  query: HistoryQuery,
  { settings, nowMs }: Pick<Scope, "settings" | "nowMs">,
): Result<Paging, Denial> {
  if (query.cursor === null) return ok(beginPaging(query));
  const { CURSOR_SECRET: current, CURSOR_SECRET_PREVIOUS: secret, CURSOR_SECRET_ROTATED_AT: at } = settings;
  const isRotated = secret !== undefined && at !== undefined;
  const previous = isRotated ? { secret, acceptedUntilMs: Date.parse(at) + PREVIOUS_SECRET_MS } : undefined;
  const cursor = readCursor({ current, previous }, query.cursor, nowMs);
  return cursor.ok ? continuePaging(query, cursor.value, dataset) : cursor;
}

/** The part of the time to the first byte for which a request may wait for memory; its work needs the rest. */
const WAIT_SHARE = 2 / 3;

/** Returns the longest duration of the request in milliseconds, after which its slot is freed and its body aborted. */
function boundOf({ format }: HistoryQuery, settings: Settings): number {
  return format === "json" ? settings.JSON_BOUND_MS : settings.PARQUET_BOUND_MS;
}

/** Reserves an upper bound of the answer's memory: a page's bytes and its JSON, or the pieces of a file in flight. */
function reserveFor(
  call: Call,
  { query, paging, question }: Asked,
  { entry }: Found,
): Promise<Result<Reservation, MemoryRefusal>> {
  const { settings, principal, signal } = call;
  const fields = query.columns.map(({ field }) => field);
  const dataset = DATASETS[question.dataset];
  const bytes =
    query.format === "json" ? pageBytes(entry, pageAskOf(query, paging), fields, dataset) : fileBytes(entry);
  return answerMemory.reserve({
    bytes,
    parts: [partOfAccount(principal.accountId)],
    waitMs: firstByteMs(call) * WAIT_SHARE,
    holdMs: settings.FIRST_BYTE_MS + boundOf(query, settings),
    signal,
  });
}

/** Refuses a request for lack of memory; nothing was charged or read, and the gate was not called. */
function refuseWithoutMemory({ log, refuse }: Call, refusal: MemoryRefusal): Response {
  if (refusal === "client_gone") {
    log.note({ ended: "client_gone" });
    return new Response(null);
  }
  // The account's memory is held by answers to its other requests. The gate was not asked whether the slot is free. It
  // has a slot per interface, so it could have accepted this request if the others use a different interface. The
  // request is nevertheless refused like one that finds the slot taken.
  if (refusal === "part_busy") return refuse({ reason: "slot_busy", lacks: "memory" });
  const unread = refusal === "part_full";
  log.note({ lacking: unread ? "memory_of_account" : "memory" });
  return refuse({ reason: "unavailable", unread });
}
