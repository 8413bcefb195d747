/** How an order-history query would go now, step by step, without taking the slot or being counted. */
import { type OrderDayQuestion, orderDayOf } from "../../catalog/order-day.ts";
import { entitleOrderHistory, type Grant } from "../../entitlement/entitle.ts";
import { windowOf } from "../../entitlement/standing.ts";
import { gateOf } from "../../gate/slot.ts";
import { verdictOf } from "../../gate/verdict.ts";
import type { OrderQuery } from "../../orders/query.ts";
import type { Walk } from "../../orders/walk.ts";
import type { Call, Step } from "../operation.ts";
import { locate } from "./locate.ts";
import { denialOf, ORDER_HISTORY } from "./name.ts";

/** Steps 6 to 10 of contract 2.1, as `run` takes them, up to the first refusal. */
export async function explainOrderHistory(
  call: Call,
  query: OrderQuery,
  walk: Walk,
  question: OrderDayQuestion,
): Promise<Step[]> {
  const { principal, nowMs } = call;
  const early = entitleOrderHistory(principal, question.tradedate ?? question.today, nowMs);
  if ("reason" in early) return [{ step: 6, about: "plan and window", denial: early, detail: "" }];
  const [result] = await call.read();
  if (result === undefined) throw new Error("the order day was not read");
  const orderDay = orderDayOf(result, question);
  const grant = entitleOrderHistory(principal, orderDay.tradedate, nowMs);
  if ("reason" in grant) return [{ step: 6, about: "plan and window", denial: grant, detail: "" }];
  const from = windowOf(grant.plan, "order_history", nowMs)?.from ?? "all history";
  const steps: Step[] = [
    {
      step: 6,
      about: "plan and window",
      denial: null,
      detail: `the ${grant.plan} plan covers ${from} to today`,
    },
  ];

  const found = locate(call, query, walk, orderDay);
  if ("reason" in found) return [...steps, { step: 7, about: "data", denial: found, detail: "" }];
  const { entry, day } = found;
  const detail = `${entry.symbol}.${entry.market} has ${entry.rows} orders on ${orderDay.tradedate}, revision ${day.revision}`;
  return [
    ...steps,
    { step: 7, about: "data", denial: null, detail },
    ...(await atTheGate(call, query, grant)),
  ];
}

async function atTheGate(call: Call, query: OrderQuery, { limits }: Grant): Promise<Step[]> {
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
