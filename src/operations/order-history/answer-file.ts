/** The Parquet answer: one file of one security and day, streamed from the pack (contract 6). */
import { markDamaged } from "../../catalog/mark-damaged.ts";
import { type BodyEnd, holdBody } from "../../gate/hold-body.ts";
import { parquetHeaders } from "../../http/respond.ts";
import { areStandardColumns } from "../../orders/fields.ts";
import { PackReadError } from "../../packs/errors.ts";
import { openParquetAnswer } from "../../packs/parquet-answer.ts";
import type { Accepted } from "./answer.ts";

/** Opens the section and streams it while the slot is held; a fault in mid-body breaks the connection. */
export async function answerFile(accepted: Accepted): Promise<Response> {
  const { call, query, slot, grant, found } = accepted;
  const { env, log, requestId, nowMs, ctx, signal } = call;
  const { symbol, market, rows } = found.entry;
  const { revision, pack } = found.day;
  const { tradedate } = pack;

  const columns = areStandardColumns(query.columns) ? null : query.columns;
  const file = await log.stage("r2", () => openParquetAnswer(env.PACKS, pack, found.entry, columns));

  log.note({ code: 200, reason: "success", rows, bytes: file.sizeBytes });
  log.note({ r2Operations: 1, r2Bytes: file.readBytes });
  const written = log.holdOpen();
  const onEnd = async ({ how, error, bytesSent }: BodyEnd) => {
    log.note({ ended: how, bytes: bytesSent });
    if (how === "fault") log.note({ code: 503, reason: "unavailable", fault: String(error), credited: true });
    written();
    if (error instanceof PackReadError && error.kind === "damaged") await confirmDamage(accepted, columns);
  };
  const outcome = { atMs: nowMs, requestId, code: 200, reason: "success", symbol, tradedate, rows };
  return new Response(holdBody(slot, file, { ctx, signal, outcome, onEnd }), {
    headers: parquetHeaders(
      {
        requestId,
        quota: { kind: "parquet", limits: grant.limits, use: slot.use },
        revision,
        buildId: pack.buildId,
        rows,
        unknownParameters: query.unknownParameters,
      },
      `${symbol}.${market}_${tradedate}_orders.parquet`,
    ),
  });
}

/** Reads the section once more, to nowhere: only a second failure says that the stored bytes are damaged. */
async function confirmDamage({ call, found }: Accepted, columns: Parameters<typeof openParquetAnswer>[3]) {
  const { env, nowMs } = call;
  const { pack, revision } = found.day;
  try {
    const file = await openParquetAnswer(env.PACKS, pack, found.entry, columns);
    await file.pump(new WritableStream<Uint8Array>().getWriter(), async () => undefined);
  } catch (error) {
    if (!(error instanceof PackReadError && error.kind === "damaged")) return;
    await markDamaged(env.DB, { tradedate: pack.tradedate, revision, note: error.message }, nowMs);
  }
}
