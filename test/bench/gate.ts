/** What a slot costs: taking and freeing it, against two calls that each write a row and do nothing else. */
import { startGateService } from "../support/gate-service.ts";
import type { BenchRow } from "./bench-row.ts";
import { median } from "./bench-row.ts";

const OBJECTS = 100;
const ROUNDS = 20;
const SAMPLES = 7;

/** Slots taken and freed a second over 100 warm objects at once. */
export async function benchGate(): Promise<BenchRow[]> {
  await using gate = await startGateService();
  const perSecond = async (what: "slot" | "writes"): Promise<number> => {
    const startedMs = performance.now();
    await gate.rounds(what, OBJECTS, ROUNDS);
    return (1_000 * OBJECTS * ROUNDS) / (performance.now() - startedMs);
  };
  await perSecond("slot");
  await perSecond("writes");
  const slots: number[] = [];
  const writes: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    slots.push(await perSecond("slot"));
    writes.push(await perSecond("writes"));
  }
  const [slot, bare] = [median(slots), median(writes)];
  return [
    { name: "two object calls that write a row each", value: bare, unit: "/s" },
    {
      name: "slot taken and freed, 100 warm objects",
      value: slot,
      unit: "/s",
      ratio: slot / bare,
      against: "two bare writes",
    },
  ];
}
