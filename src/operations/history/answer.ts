/**
 * Step 11 of contract 2.1: answers a charged request that holds the slot, with a JSON page (contract 5.1) or a Parquet
 * file (contract 6). From here the slot is always released, and the charge is credited for a fault of the service.
 */

import { inTime } from "../../base/in-time.ts";
import type { Reservation } from "../../base/memory.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { forgetOrderDay } from "../../catalog/kept-days.ts";
import { markDamaged } from "../../catalog/publish-day.ts";
import { DATASETS } from "../../datasets/registry.ts";
import { type BodyEnd, holdBody, type ReadyBody } from "../../gate/hold-body.ts";
import type { RequestOutcome } from "../../gate/protocol.ts";
import type { Slot } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import { outcomeOf } from "../../http/outcome.ts";
import { type AnswerFacts, jsonHeaders, pageBody, parquetHeaders } from "../../http/respond.ts";
import { type Paging, packMark, signCursor } from "../../orders/query/cursor.ts";
import { areAllColumns } from "../../orders/query/fields.ts";
import type { HistoryQuery } from "../../orders/query/history-query.ts";
import type { PageAsk, Position } from "../../orders/query/page-plan.ts";
import { PackReadError } from "../../packs/errors.ts";
import { beginOrderPage, type OrderPageRead, readOrderPage } from "../../packs/order-page.ts";
import { openParquetAnswer } from "../../packs/parquet-answer.ts";
import { type Call, firstByteMs } from "../operation.ts";
import { type Asked, type Found, findAgain } from "./find-section.ts";
import { pagePermits } from "./page-permits.ts";

/** An accepted request. */
interface Accepted extends Asked {
  call: Call;
  slot: Slot;
  found: Found;
  /** The reserved memory of the answer. */
  memory: Reservation;
  /** The read of the page, if it has begun; used by the first attempt only. */
  begun: OrderPageRead | null;
}

/** Serves or refuses the accepted request. On a fault, credits the charge and throws. */
export async function answerWithSlot(accepted: Accepted): Promise<Response> {
  const { call, slot } = accepted;
  try {
    const answer = await inTime(secondLook(accepted), firstByteMs(call));
    return answer.ok ? answer.value : await refuse(accepted, answer.refusal);
  } catch (error) {
    // The body is not sent; the client gets the fault instead.
    await slot.release({ credit: true, outcome: outcomeFor(accepted, outcomeOf({ reason: "unavailable" })) });
    call.log.note({ credited: true });
    throw error;
  }
}

/**
 * Answers the request, with a second attempt when the pack could not be read. Only a second failure counts as damage: a
 * missing or changed object may have been replaced since the catalog was read, and bytes with a wrong checksum may have
 * been corrupted in transit. An error of the reader on valid bytes is a fault of the service.
 */
async function secondLook(accepted: Accepted): Promise<Result<Response, Denial>> {
  try {
    return await answerOnce(accepted);
  } catch (error) {
    if (!(error instanceof PackReadError) || error.kind === "unreadable") throw error;
    // The index in the isolate's memory may be out of date, so it is read again.
    forgetOrderDay(accepted.question, accepted.found.day);
    const found = await findAgain(accepted.call, accepted);
    if (!found.ok) return found;
    return answerAgain({ ...accepted, found: { ...accepted.found, ...found.value }, begun: null });
  }
}

async function answerAgain(accepted: Accepted): Promise<Result<Response, Denial>> {
  try {
    return await answerOnce(accepted);
  } catch (error) {
    if (!(error instanceof PackReadError && error.kind === "damaged")) throw error;
    accepted.call.log.note({ fault: error.message });
    await markDay(accepted, error);
    const { dataset } = accepted.question;
    return refused({ reason: "day_damaged", dataset, tradedate: accepted.found.day.pack.tradedate });
  }
}

/** Marks the day's revision as damaged. */
function markDay({ call, question, found }: Accepted, { message: note }: PackReadError): Promise<void> {
  const { revision, pack } = found.day;
  const { dataset } = question;
  return markDamaged(call.env.DB, { dataset, tradedate: pack.tradedate, revision, note }, call.nowMs);
}

function answerOnce(accepted: Accepted): Promise<Result<Response, Denial>> {
  return accepted.query.format === "json" ? answerPage(accepted) : answerFile(accepted);
}

/**
 * Refuses an accepted request. Credits the charge, except for a cursor that skips more rows than its millisecond has.
 * Such a cursor is the caller's error, but only a read of the pack detects it. The request stays charged, so that the
 * daily limit bounds such reads.
 */
async function refuse(accepted: Accepted, denial: Denial): Promise<Response> {
  const { call, slot } = accepted;
  const credit = denial.reason !== "cursor_invalid";
  await slot.release({ credit, outcome: outcomeFor(accepted, outcomeOf(denial)) });
  if (credit) call.log.note({ credited: true });
  return call.refuse(denial);
}

const SERVED = { code: 200, reason: "success" };

/** Returns the entry of the request in the account's list of last requests; `rows` is the number of rows served. */
function outcomeFor(
  { call, query, found }: Accepted,
  { code, reason }: Pick<RequestOutcome, "code" | "reason">,
  rows = 0,
): RequestOutcome {
  const { requestId, nowMs: atMs } = call;
  return { atMs, requestId, code, reason, symbol: query.symbol, tradedate: found.day.pack.tradedate, rows };
}

/** Returns the facts that the headers of the answer state. */
function factsOf({ call, query, slot, found }: Accepted, rows: number): AnswerFacts {
  return {
    requestId: call.requestId,
    quota: { kind: query.format, limits: found.grant.limits, use: slot.use },
    revision: found.day.revision,
    buildId: found.day.pack.buildId,
    rows,
    unknownParameters: query.unknownParameters,
  };
}

/** Begins to read the page. Its memory must be reserved already. */
export function beginRead(call: Call, { query, paging }: Asked, { day, entry }: Found): OrderPageRead {
  return beginOrderPage(call.env.PACKS, day.pack, entry, pageAskOf(query, paging));
}

export function pageAskOf({ end, pageSize }: HistoryQuery, { position }: Paging): PageAsk {
  return { position, endTime: end, pageSize };
}

/** Makes one page and sends it while the slot is released. Refuses a position beyond the rows of its millisecond. */
async function answerPage(accepted: Accepted): Promise<Result<Response, Denial>> {
  const { call, query, slot, found, memory } = accepted;
  const { log, ctx, signal } = call;

  // A permit is taken only for computing, so that a page that waits for R2 does not delay others. `makePage` throws the
  // error of a failed read.
  const read = accepted.begun ?? beginRead(call, accepted, found);
  await log.stage("r2", () => read.bytes.catch(() => undefined));
  const leave = await log.stage("queue", () => pagePermits.enter({ ms: firstByteMs(call), signal }));
  if (leave === null) {
    log.note({ ended: "client_gone" });
    return ok(new Response(null));
  }
  const page = await makePage(accepted, read).finally(leave);
  if (!page.ok) return page;

  const { body, rows, hasMore } = page.value;
  const bytes = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  log.note({ ...SERVED, rows, bytes });
  const written = log.holdOpen();
  const onEnd = ({ how }: BodyEnd) => {
    log.note({ ended: how });
    written();
  };
  const outcome = outcomeFor(accepted, SERVED, rows);
  const { start, end } = query;
  const headers = jsonHeaders({ ...factsOf(accepted, rows), window: { start, end } });
  return ok(
    new Response(holdBody(slot, body, { ctx, signal, outcome, memory, onEnd, hasMore }), { headers }),
  );
}

/** Decodes the page and writes its body. */
async function makePage(
  { call, query, paging, question, found }: Accepted,
  read: OrderPageRead,
): Promise<Result<{ body: ReadyBody; rows: number; hasMore: boolean }, Denial>> {
  const { env, settings, log } = call;
  const { entry, day } = found;
  const { pack, revision } = day;
  const { start, end, pageSize, columns } = query;
  const { dataset } = question;
  const ask = { ...pageAskOf(query, paging), columns };
  const options = { dataset: DATASETS[dataset], read };
  const page = await log.stage("r2", () => readOrderPage(env.PACKS, pack, entry, ask, options));
  if (!page.ok) return refused({ reason: "cursor_invalid", problem: "offset" });
  const { items, rows, next, read: readFacts } = page.value;
  log.note({ r2Operations: readFacts.operations, r2Bytes: readFacts.bytes });

  const { symbol, market } = entry;
  const { tradedate } = pack;
  const sign = (position: Position) =>
    signCursor(settings.CURSOR_SECRET, {
      dataset,
      tradedate,
      symbol,
      market,
      start,
      end,
      revision,
      packMark: packMark(pack.sha256),
      position,
    });
  const nextCursor = next === null ? null : sign(next);
  const fields = columns.map(({ name }) => name);
  const body = pageBody({ fields, items, tradedate, pageSize, nextCursor });
  return ok({ body, rows, hasMore: nextCursor !== null });
}

/** Opens the section and streams it while the slot is held. A fault during the stream aborts the connection. */
async function answerFile(accepted: Accepted): Promise<Result<Response, Denial>> {
  const { call, slot, found, memory } = accepted;
  const { log, ctx, signal } = call;
  const { symbol, market, rows } = found.entry;
  const file = await log.stage("r2", () => openFile(accepted));

  log.note({ ...SERVED, rows, bytes: file.sizeBytes });
  log.note({ r2Operations: 1, r2Bytes: file.readBytes });
  const written = log.holdOpen();
  const onEnd = async ({ how, error, bytesSent }: BodyEnd) => {
    log.note({ ended: how, bytes: bytesSent });
    if (how === "fault") log.note({ code: 503, reason: "unavailable", fault: String(error), credited: true });
    written();
    if (error instanceof PackReadError && error.kind === "damaged") await confirmDamage(accepted);
  };
  const outcome = outcomeFor(accepted, SERVED, rows);
  const fileName = `${symbol}.${market}_${found.day.pack.tradedate}_${accepted.question.dataset}.parquet`;
  const headers = parquetHeaders(factsOf(accepted, rows), fileName);
  return ok(new Response(holdBody(slot, file, { ctx, signal, outcome, memory, onEnd }), { headers }));
}

function openFile({ call, query, question: { dataset }, found }: Accepted) {
  const columns = areAllColumns(query.columns, dataset) ? null : query.columns;
  return openParquetAnswer(call.env.PACKS, found.day.pack, found.entry, columns, DATASETS[dataset]);
}

/** Reads the section again and discards it, because only a second failure counts as damage. */
async function confirmDamage(accepted: Accepted) {
  forgetOrderDay(accepted.question, accepted.found.day);
  try {
    const file = await openFile(accepted);
    await file.pump(new WritableStream<Uint8Array>().getWriter(), async () => undefined);
  } catch (error) {
    if (error instanceof PackReadError && error.kind === "damaged") await markDay(accepted, error);
  }
}
