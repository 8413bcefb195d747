/** The JSON answer: one page of order records (spec 2.5). */
import { type BodyEnd, holdBody } from "../../gate/hold-body.ts";
import type { Denial } from "../../http/denial.ts";
import { jsonHeaders, orderPageBody } from "../../http/respond.ts";
import { packMark, signCursor } from "../../orders/cursor.ts";
import { readOrderPage } from "../../packs/order-page.ts";
import type { Accepted } from "./answer.ts";

/** Reads one page and sends it while the slot is given back. A position beyond its millisecond is no cursor. */
export async function answerPage(accepted: Accepted): Promise<Response | Denial> {
  const { call, query, walk, slot, grant, found } = accepted;
  const { env, settings, log, requestId, nowMs, ctx, signal } = call;
  const { entry, day } = found;
  const { pack, revision } = day;

  const page = await log.stage("r2", () =>
    readOrderPage(env.PACKS, pack, entry, {
      position: walk.position,
      endTime: query.end,
      pageSize: query.pageSize,
      columns: query.columns,
    }),
  );
  if ("reason" in page) return { reason: "cursor_invalid" };

  const { symbol, market } = entry;
  const { tradedate } = pack;
  const { start, end, pageSize, columns } = query;
  const nextCursor =
    page.next === null
      ? null
      : await signCursor(settings.CURSOR_SECRET, {
          tradedate,
          symbol,
          market,
          start,
          end,
          revision,
          packMark: packMark(pack.sha256),
          position: page.next,
        });
  const fields = columns.map(({ name }) => name);
  const body = orderPageBody({ fields, items: page.items, tradedate, pageSize, nextCursor });

  log.note({ code: 200, reason: "success", rows: page.rows, bytes: body.byteLength });
  log.note({ r2Operations: page.read.operations, r2Bytes: page.read.bytes });
  const written = log.holdOpen();
  const onEnd = ({ how }: BodyEnd) => {
    log.note({ ended: how });
    written();
  };
  const outcome = {
    atMs: nowMs,
    requestId,
    code: 200,
    reason: "success",
    symbol,
    tradedate,
    rows: page.rows,
  };
  return new Response(holdBody(slot, body, { ctx, signal, outcome, onEnd, hasMore: nextCursor !== null }), {
    headers: jsonHeaders({
      requestId,
      quota: { kind: "json", limits: grant.limits, use: slot.use },
      window: { start, end },
      revision,
      rows: page.rows,
      unknownParameters: query.unknownParameters,
    }),
  });
}
