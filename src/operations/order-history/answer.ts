/**
 * Step 11 of contract 2.1: the answer of a request that holds the slot and has been charged. Whatever
 * happens from here, the slot is released, and the charge is given back when the fault was ours.
 */

import { inTime } from "../../base/in-time.ts";
import { markDamaged } from "../../catalog/mark-damaged.ts";
import { type OrderDayQuestion, orderDayOf, orderDayStatement } from "../../catalog/order-day.ts";
import type { Grant } from "../../entitlement/entitle.ts";
import type { RequestOutcome } from "../../gate/protocol.ts";
import type { Slot } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import { outcomeOf } from "../../http/outcome.ts";
import type { OrderQuery } from "../../orders/query.ts";
import type { Walk } from "../../orders/walk.ts";
import { PackReadError } from "../../packs/errors.ts";
import { type Call, firstByteMs } from "../operation.ts";
import { answerFile } from "./answer-file.ts";
import { answerPage } from "./answer-page.ts";
import { type Located, locate } from "./locate.ts";

/** Everything an accepted request stands on. */
export interface Accepted {
  call: Call;
  query: OrderQuery;
  walk: Walk;
  slot: Slot;
  grant: Grant;
  question: OrderDayQuestion;
  found: Located;
}

/** Serves the accepted request, or refuses it. Throws on a fault, credited. */
export async function answerWithSlot(accepted: Accepted): Promise<Response> {
  const { call, slot } = accepted;
  try {
    const answer = await inTime(secondLook(accepted), firstByteMs(call));
    return answer instanceof Response ? answer : await refuse(accepted, answer);
  } catch (error) {
    // A body that was on its way already belongs to nobody: the client sees the fault instead.
    await slot.release({ credit: true, outcome: outcomeFor(accepted, { reason: "unavailable" }) });
    call.log.note({ credited: true });
    throw error;
  }
}

/**
 * Answers, and once more when the pack could not be read: a missing or changed object may have been
 * replaced since the catalog was read; bytes that fail their check may have been hurt on the way, and
 * only a second failure says that the stored ones are damaged. Right bytes that could not be read are a fault.
 */
async function secondLook(accepted: Accepted): Promise<Response | Denial> {
  try {
    return await answerOnce(accepted);
  } catch (error) {
    if (!(error instanceof PackReadError) || error.kind === "unreadable") throw error;
    const found = error.kind === "damaged" ? accepted.found : await locateAgain(accepted);
    if ("reason" in found) return found;
    return answerAgain({ ...accepted, found });
  }
}

async function answerAgain(accepted: Accepted): Promise<Response | Denial> {
  try {
    return await answerOnce(accepted);
  } catch (error) {
    if (!(error instanceof PackReadError && error.kind === "damaged")) throw error;
    const { call, found } = accepted;
    const { tradedate } = found.day.pack;
    call.log.note({ fault: error.message });
    await markDamaged(
      call.env.DB,
      { tradedate, revision: found.day.revision, note: error.message },
      call.nowMs,
    );
    return { reason: "day_damaged", tradedate };
  }
}

function answerOnce(accepted: Accepted): Promise<Response | Denial> {
  return accepted.query.format === "json" ? answerPage(accepted) : answerFile(accepted);
}

async function locateAgain({ call, query, walk, question }: Accepted): Promise<Located | Denial> {
  const result = await call.log.stage("d1", () => orderDayStatement(call.env.DB, question).run());
  return locate(call, query, walk, orderDayOf(result, question));
}

/**
 * Refuses a request after it was accepted. It is credited when the day was taken away meanwhile or is damaged. A
 * cursor that names more rows of its millisecond than there are is the caller's error, which only a read of the
 * pack can tell: without a charge, a daily limit would not bound such reads.
 */
async function refuse(accepted: Accepted, denial: Denial): Promise<Response> {
  const { call, slot } = accepted;
  const credit = denial.reason !== "cursor_invalid";
  await slot.release({ credit, outcome: outcomeFor(accepted, denial) });
  if (credit) call.log.note({ credited: true });
  return call.refuse(denial);
}

/** The entry of the account's list of last requests for a request that ended with `denial`. */
function outcomeFor({ call, query, found }: Accepted, denial: Denial): RequestOutcome {
  const { code, reason } = outcomeOf(denial);
  const { requestId, nowMs: atMs } = call;
  return {
    atMs,
    requestId,
    code,
    reason,
    symbol: query.symbol,
    tradedate: found.day.pack.tradedate,
    rows: 0,
  };
}
