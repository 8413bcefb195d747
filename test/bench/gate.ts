/**
 * Measures how fast slots are taken and freed, while paging and for single pages. The rival makes two calls that each
 * write one row.
 */
import { type GateRounds, startGateService } from "../support/gate-service.ts";
import { type BenchRow, figure, timeInterleaved } from "./bench-row.ts";

const OBJECTS = 100;
const ROUNDS = 20;
const SAMPLES = 7;
/** A task takes no further sample after this time. */
const BUDGET_MS = 30_000;
const KINDS: readonly GateRounds[] = ["writes", "paging", "slot"];

/** Returns the number of slots that 100 warm objects take and free per second. */
export async function benchGate(): Promise<BenchRow[]> {
  await using gate = await startGateService();
  const tasks = new Map(KINDS.map((kind) => [kind, () => gate.rounds(kind, OBJECTS, ROUNDS)]));
  for (const warmUp of tasks.values()) await warmUp();
  const times = await timeInterleaved(tasks, SAMPLES, BUDGET_MS);
  const value = (kind: GateRounds) => (1_000 * OBJECTS * ROUNDS) / (times.get(kind) ?? Number.NaN);
  const beside = (name: string, kind: GateRounds) =>
    figure(name, value(kind), "/s", [value("writes"), "two such calls"]);
  return [
    figure("two object calls that write a row each", value("writes"), "/s"),
    beside("slots over 100 warm objects, while paging: 1 row each", "paging"),
    beside("slots over 100 warm objects, of single pages: 2 rows", "slot"),
  ];
}
