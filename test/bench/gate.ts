/** What a slot costs: taking and freeing it, against two calls of the same objects that write nothing. */
import { startGateService } from "../support/gate-service.ts";
import type { BenchRow } from "./bench-row.ts";
import { median } from "./bench-row.ts";

const OBJECTS = 100;
const ROUNDS = 20;
const SAMPLES = 7;

/** Slots taken and freed a second over 100 warm objects at once. */
export async function benchGate(): Promise<BenchRow[]> {
  await using gate = await startGateService();
  const perSecond = async (what: "slot" | "state"): Promise<number> => {
    const startedMs = performance.now();
    await gate.rounds(what, OBJECTS, ROUNDS);
    return (1_000 * OBJECTS * ROUNDS) / (performance.now() - startedMs);
  };
  await perSecond("slot");
  await perSecond("state");
  const slots: number[] = [];
  const states: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    slots.push(await perSecond("slot"));
    states.push(await perSecond("state"));
  }
  const [slot, state] = [median(slots), median(states)];
  return [
    { name: "two object calls without a write", value: state, unit: "/s" },
    {
      name: "slot taken and freed, 100 warm objects",
      value: slot,
      unit: "/s",
      ratio: slot / state,
      against: "two calls without a write",
    },
  ];
}
