/** Evaluates steps 6 to 10 of contract 2.1 for the `explain` of a history request. */
import { DATASETS } from "../../datasets/registry.ts";
import type { Grant } from "../../entitlement/entitle.ts";
import { windowOf } from "../../entitlement/standing.ts";
import { verdictOf } from "../../gate/lease.ts";
import type { GateState } from "../../gate/protocol.ts";
import type { Call, Step } from "../operation.ts";
import { type Asked, gateDenial, lookAhead } from "./find-section.ts";

/** Returns the steps up to the first refusal, without taking the slot or counting the request. */
export async function explainHistory(call: Call, asked: Asked): Promise<Step[]> {
  const found = await lookAhead(call, asked);
  const denial = found.ok ? null : found.refusal.denial;
  const { grant } = found.ok ? found.value : found.refusal;
  if (grant === null) return [{ step: 6, about: "plan and window", denial, detail: "" }];
  const from = windowOf(grant.plan, "order_history", call.nowMs)?.from ?? "all history";
  const covers = `the ${grant.plan} plan covers ${from} to today`;
  const covered: Step = { step: 6, about: "plan and window", denial: null, detail: covers };
  if (!found.ok) return [covered, { step: 7, about: "data", denial, detail: "" }];
  const { entry, day, gate } = found.value;
  const { rows } = DATASETS[asked.question.dataset];
  const detail = `${entry.symbol}.${entry.market} has ${entry.rows} ${rows} on ${day.pack.tradedate}, revision ${day.revision}`;
  const held: Step = { step: 7, about: "data", denial: null, detail };
  return [covered, held, ...gateSteps(asked, gate, grant)];
}

function gateSteps(asked: Asked, gate: GateState, { limits }: Grant): Step[] {
  const { format } = asked.query;
  const { use, holder } = gate;
  const refusal = verdictOf(gate, format, limits);
  const denial = refusal === null ? null : gateDenial(refusal, asked);
  if (denial?.reason === "slot_busy") {
    return [{ step: 8, about: "slot", denial, detail: `request ${holder?.requestId} holds the slot now` }];
  }
  const limit = (count: number | null) => (count === null ? "(unlimited)" : `of ${count}`);
  const used = `${use.requests} ${limit(limits.requests)} requests and ${use.files} ${limit(limits.files)} files are used today`;
  const free: Step = { step: 8, about: "slot", denial: null, detail: "free" };
  if (denial !== null) return [free, { step: 9, about: "quota", denial, detail: used }];
  const charge = format === "json" ? "one request" : "one request and one file";
  return [
    free,
    { step: 9, about: "quota", denial: null, detail: used },
    { step: 10, about: "charge", denial: null, detail: `${charge} would be counted` },
  ];
}
