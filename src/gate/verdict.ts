/** Predicts the gate's answer to one more request from its state, without taking or counting anything. */
import type { GateKind, GateLimits, GateRefusal, GateState } from "./protocol.ts";

/** Returns the refusal that a request of this kind would get now (contract 2.1, steps 8 and 9), or null. */
export function verdictOf(state: GateState, kind: GateKind, limits: GateLimits): GateRefusal | null {
  const { use, holder } = state;
  const { resetSeconds } = use;
  if (holder !== null) return { reason: "slot_busy" };
  const { requests, files } = limits;
  if (requests !== null && use.requests >= requests) {
    return { reason: "quota_used", unit: "requests", limit: requests, resetSeconds };
  }
  if (kind === "parquet" && files !== null && use.files >= files) {
    return { reason: "quota_used", unit: "files", limit: files, resetSeconds };
  }
  return null;
}
