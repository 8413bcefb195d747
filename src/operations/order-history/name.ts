import type { GateRefusal } from "../../gate/protocol.ts";
import type { Denial } from "../../http/denial.ts";

/** The operation's `apiname`, which is also the interface its slot and counters belong to (contract 1.2, 2.4, 7.3). */
export const ORDER_HISTORY = "level2_order_history";

/** Returns the gate's refusal as the caller gets it: a used-up quota names the interface that it belongs to. */
export function denialOf(refusal: GateRefusal): Denial {
  return refusal.reason === "quota_used" ? { ...refusal, interface: ORDER_HISTORY } : refusal;
}
