/**
 * Measures how fast slots are taken and freed, while paging and for single pages. The rivals are an earlier version of
 * the gate object, which could not keep a release in memory, and two calls that each write one row.
 */
import { type GateRounds, startGateService } from "../support/gate-service.ts";
import { type BenchRow, figure, median } from "./bench-row.ts";

const OBJECTS = 100;
const ROUNDS = 20;
const SAMPLES = 7;
/** No further sample is taken after this time. */
const BUDGET_MS = 120_000;
const KINDS: readonly GateRounds[] = ["former", "paging", "slot", "writes"];

/** Returns the number of slots that 100 warm objects take and free per second. */
export async function benchGate(): Promise<BenchRow[]> {
  await using gate = await startGateService();
  const perSecond = async (what: GateRounds): Promise<number> => {
    const startedMs = performance.now();
    await gate.rounds(what, OBJECTS, ROUNDS);
    return (1_000 * OBJECTS * ROUNDS) / (performance.now() - startedMs);
  };
  const untilMs = performance.now() + BUDGET_MS;
  const samples = new Map<GateRounds, number[]>(KINDS.map((kind) => [kind, []]));
  for (const kind of KINDS) await perSecond(kind);
  // The tasks are interleaved, so that a busy moment affects all of them.
  for (let sample = 0; sample < SAMPLES && (sample === 0 || performance.now() < untilMs); sample++) {
    for (const [kind, values] of samples) values.push(await perSecond(kind));
  }
  const value = (kind: GateRounds) => median(samples.get(kind) ?? []);
  const beside = (name: string, kind: GateRounds) =>
    figure(name, value(kind), "/s", [value("former"), "before"]);
  return [
    figure("slots over 100 warm objects before: 2 rows each", value("former"), "/s"),
    beside("slots over 100 warm objects, while paging: 1 row each", "paging"),
    beside("slots over 100 warm objects, of single pages: 2 rows", "slot"),
    beside("two object calls that write a row each", "writes"),
  ];
}
