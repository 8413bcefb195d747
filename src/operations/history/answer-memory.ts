/** Reserves the memory of an answer, in order of arrival, before the gate is called and the pack is read. */
import { answerMemory, type MemoryRefusal, partOfAccount, type Reservation } from "../../base/memory.ts";
import type { Result } from "../../base/result.ts";
import { DATASETS } from "../../datasets/registry.ts";
import type { Settings } from "../../env.ts";
import type { HistoryQuery } from "../../orders/query/history-query.ts";
import { fileBytes, pageBytes } from "../../packs/answer-bytes.ts";
import { type Call, firstByteMs } from "../operation.ts";
import { pageAskOf } from "./answer.ts";
import type { Asked, Found } from "./find-section.ts";

/**
 * The part of the time to the first byte that a request may spend waiting for memory. Reading and computing need the
 * rest.
 */
const WAIT_SHARE = 2 / 3;

/** Returns the longest duration of the request in milliseconds, after which its slot is freed and its body aborted. */
export function boundOf({ format }: HistoryQuery, settings: Settings): number {
  return format === "json" ? settings.JSON_BOUND_MS : settings.PARQUET_BOUND_MS;
}

/** Reserves an upper bound of the answer's memory: a page's bytes and its JSON, or the pieces of a file in flight. */
export function reserveFor(
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
export function refuseWithoutMemory({ log, refuse }: Call, refusal: MemoryRefusal): Response {
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
