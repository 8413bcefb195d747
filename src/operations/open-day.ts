/** Step 6 of contract 2.1 for operations on one day: returns the day if the caller may read it. */
import { ok, type Result } from "../base/result.ts";
import { keepOrderDay } from "../catalog/kept-days.ts";
import { type OrderDay, type OrderDayQuestion, orderDayOf } from "../catalog/order-day.ts";
import type { EntitlementDenial } from "../entitlement/caller-denial.ts";
import { entitleOrderHistory, type Grant } from "../entitlement/entitle.ts";
import type { Call } from "./operation.ts";

/** A day covered by the caller's plan. */
export interface OpenDay {
  grant: Grant;
  orderDay: OrderDay;
}

/**
 * Returns the day of `question`, or why the plan does not cover it. The day comes from `kept` or from the call's first
 * prepared read. If the request has no date, the plan is first checked for today. A caller who may not read today is
 * thus refused before the calendar is read.
 */
export async function openDay(
  call: Pick<Call, "principal" | "nowMs" | "log" | "read" | "settings">,
  question: OrderDayQuestion,
  kept: OrderDay | null = null,
): Promise<Result<OpenDay, EntitlementDenial>> {
  const { principal, nowMs } = call;
  const early = entitleOrderHistory(principal, question.tradedate ?? question.today, nowMs);
  if (!early.ok) return early;
  const orderDay = kept ?? (await read(call, question));
  const { tradedate } = orderDay;
  call.log.note({ tradedate });
  const grant = entitleOrderHistory(principal, tradedate, nowMs);
  return grant.ok ? ok({ grant: grant.value, orderDay }) : grant;
}

async function read(
  { read, nowMs, settings }: Pick<Call, "read" | "nowMs" | "settings">,
  question: OrderDayQuestion,
): Promise<OrderDay> {
  const [result] = await read();
  if (result === undefined) throw new Error("the order day was not read");
  const orderDay = orderDayOf(result, question);
  if (settings.DAY_CACHE_MS > 0) keepOrderDay(question, orderDay, nowMs);
  return orderDay;
}
