import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acquire, emptyRow, release, stateOf } from "../../../src/gate/lease.ts";
import type { AcquireRequest } from "../../../src/gate/protocol.ts";
import { verdictOf } from "../../../src/gate/verdict.ts";

const NOW = Date.parse("2026-11-27T09:30:00+08:00");
const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
console.log(`gate verdict: TEST_SEED=${seed}`);

describe("what the gate would say", () => {
  it("is what it says to the next request, after any history", () => {
    const limit = fc.option(fc.integer({ min: 0, max: 4 }));
    const ask = fc.record({ kind: fc.constantFrom("json" as const, "parquet" as const), held: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(ask, { maxLength: 6 }),
        limit,
        limit,
        fc.boolean(),
        (history, requests, files, wantsFile) => {
          const limits = { requests, files };
          const asking = (requestId: string, kind: AcquireRequest["kind"]) => ({
            requestId,
            boundMs: 60_000,
            kind,
            limits,
          });
          let row = emptyRow(NOW);
          history.forEach(({ kind, held }, n) => {
            row = acquire(row, asking(`r${n}`, kind), `g${n}`, NOW).row;
            if (!held) row = release(row, `g${n}`, { credit: false });
          });
          const kind = wantsFile ? "parquet" : "json";
          const { answer } = acquire(row, asking("next", kind), "next", NOW);
          expect(verdictOf(stateOf(row, NOW), kind, limits)).toEqual("reason" in answer ? answer : null);
        },
      ),
      { seed, numRuns: 1_000 },
    );
  });
});
