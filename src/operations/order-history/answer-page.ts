/** The JSON answer: one page of order records (contract 5.1). */
import { type BodyEnd, holdBody } from "../../gate/hold-body.ts";
import type { Denial } from "../../http/denial.ts";
import { jsonHeaders, orderPageBody } from "../../http/respond.ts";
import { packMark, signCursor } from "../../orders/cursor.ts";
import type { Position } from "../../orders/page-plan.ts";
import { readOrderPage } from "../../packs/order-page.ts";
import { firstByteMs } from "../operation.ts";
import type { Accepted } from "./answer.ts";
import { pageTurns } from "./page-turns.ts";

interface MadePage {
  body: Uint8Array;
  rows: number;
  hasMore: boolean;
}

/** Makes one page and sends it while the slot is given back. A position beyond its millisecond is no cursor. */
export async function answerPage(accepted: Accepted): Promise<Response | Denial> {
  const { call, query, slot, grant, found } = accepted;
  const { log, requestId, nowMs, ctx, signal } = call;
  const { revision, pack } = found.day;

  const leave = await log.stage("turn", () => pageTurns.enter({ ms: firstByteMs(call), signal }));
  if (leave === null) {
    log.note({ ended: "client_gone" });
    return new Response(null);
  }
  const page = await makePage(accepted).finally(leave);
  if ("reason" in page) return page;

  const { body, rows, hasMore } = page;
  log.note({ code: 200, reason: "success", rows, bytes: body.byteLength });
  const written = log.holdOpen();
  const onEnd = ({ how }: BodyEnd) => {
    log.note({ ended: how });
    written();
  };
  const { symbol } = found.entry;
  const { tradedate } = pack;
  const outcome = { atMs: nowMs, requestId, code: 200, reason: "success", symbol, tradedate, rows };
  return new Response(holdBody(slot, body, { ctx, signal, outcome, onEnd, hasMore }), {
    headers: jsonHeaders({
      requestId,
      quota: { kind: "json", limits: grant.limits, use: slot.use },
      window: { start: query.start, end: query.end },
      revision,
      buildId: pack.buildId,
      rows,
      unknownParameters: query.unknownParameters,
    }),
  });
}

/** Reads the page and writes its body. */
async function makePage({ call, query, walk, found }: Accepted): Promise<MadePage | Denial> {
  const { env, settings, log } = call;
  const { entry, day } = found;
  const { pack, revision } = day;
  const { start, end, pageSize, columns } = query;
  const ask = { position: walk.position, endTime: end, pageSize, columns };
  const page = await log.stage("r2", () => readOrderPage(env.PACKS, pack, entry, ask));
  if ("reason" in page) return { reason: "cursor_invalid", problem: "offset" };
  log.note({ r2Operations: page.read.operations, r2Bytes: page.read.bytes });

  const { symbol, market } = entry;
  const { tradedate } = pack;
  const sign = (position: Position) =>
    signCursor(settings.CURSOR_SECRET, {
      tradedate,
      symbol,
      market,
      start,
      end,
      revision,
      packMark: packMark(pack.sha256),
      position,
    });
  const nextCursor = page.next === null ? null : await sign(page.next);
  const fields = columns.map(({ name }) => name);
  const body = orderPageBody({ fields, items: page.items, tradedate, pageSize, nextCursor });
  return { body, rows: page.rows, hasMore: nextCursor !== null };
}
