/** Examples of the gate's steps. `lease-model.proof.test.ts` compares random histories with a model. */
import { describe, expect, it } from "vitest";
import { acquire, credit, emptyRow, free, type GateRow, release, stateOf } from "../../../src/gate/lease.ts";
import type { AcquireRequest, RequestOutcome } from "../../../src/gate/protocol.ts";

const MORNING = Date.parse("2026-11-27T09:30:00+08:00");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function ask(requestId: string, change: Partial<AcquireRequest> = {}): AcquireRequest {
  return { requestId, boundMs: MINUTE, kind: "json", limits: { requests: null, files: null }, ...change };
}

function outcome(requestId: string, change: Partial<RequestOutcome> = {}): RequestOutcome {
  return {
    atMs: MORNING,
    requestId,
    code: 200,
    reason: "",
    symbol: "600519",
    tradedate: "20261127",
    rows: 10_000,
    ...change,
  };
}

/** Returns the row after these accepted requests. The last request still holds the slot. */
function served(...requests: AcquireRequest[]): GateRow {
  let row = emptyRow(MORNING);
  for (const request of requests) {
    row = release(row, row.holder?.id ?? "", { credit: false });
    row = acquire(row, request, `grant of ${request.requestId}`, MORNING).row;
  }
  return row;
}

describe("acquire (contract 2.1, steps 8 to 10)", () => {
  it("grants a free slot, counts the request and returns the new counters", () => {
    const { row, answer } = acquire(emptyRow(MORNING), ask("a", { kind: "parquet" }), "g", MORNING);
    expect(answer).toEqual({
      id: "g",
      use: { day: "20261127", requests: 1, files: 1, resetSeconds: 52_200 },
    });
    expect(row.holder).toEqual({ id: "g", requestId: "a", untilMs: MORNING + MINUTE });
  });
});

describe("the gate's Beijing day", () => {
  const midnight = Date.parse("2026-11-28T00:00:00+08:00");

  it("does not go back to the previous day when the clock steps back over midnight", () => {
    const row = free(acquire(emptyRow(midnight), ask("a"), "g", midnight).row);
    expect(acquire(row, ask("b"), "h", midnight - 5).answer).toMatchObject({
      use: { day: "20261128", requests: 2 },
    });
  });

  it("returns to the right date after the clock was days ahead", () => {
    const row = free(acquire(emptyRow(midnight + 72 * HOUR), ask("a"), "g", midnight + 72 * HOUR).row);
    expect(stateOf(row, MORNING).use).toMatchObject({ day: "20261127", requests: 0 });
  });
});

describe("release", () => {
  it("keeps the last 20 outcomes, oldest first, with the final state of each", () => {
    let row = emptyRow(MORNING);
    for (let n = 1; n <= 25; n++) {
      row = acquire(row, ask(`r${n}`), `g${n}`, MORNING).row;
      row = release(row, `g${n}`, { credit: false, outcome: outcome(`r${n}`) });
    }
    row = release(row, "g25", { credit: true, outcome: outcome("r25", { code: 503 }) });
    const { last } = stateOf(row, MORNING);
    expect(last.map((each) => each.requestId)).toEqual(Array.from({ length: 20 }, (_, n) => `r${n + 6}`));
    expect(last.at(-1)?.code).toBe(503);
  });
});

describe("the credits of a gate", () => {
  it("reduce the counters, but never below zero", () => {
    const row = served(ask("a"), ask("b", { kind: "parquet" }));
    expect(credit(row, { requests: 1, files: 0 }, MORNING)).toMatchObject({ requests: 1, files: 1 });
    expect(credit(row, { requests: 9, files: 9 }, MORNING)).toMatchObject({ requests: 0, files: 0 });
  });

  it("are reported until the day ends, both those of the service and those of the operator", () => {
    const row = served(ask("a"), ask("b", { kind: "parquet" }), ask("c"));
    expect(stateOf(row, MORNING).credited).toEqual({ requests: 0, files: 0 });
    const released = release(row, "grant of b", { credit: true });
    expect(stateOf(released, MORNING).credited).toEqual({ requests: 1, files: 1 });
    const both = credit(released, { requests: 9, files: 9 }, MORNING);
    expect(stateOf(both, MORNING)).toMatchObject({
      use: { requests: 0, files: 0 },
      credited: { requests: 3, files: 1 },
      grants: [
        { requestId: "a", kind: "json", day: "20261127", charged: true },
        { requestId: "b", kind: "parquet", charged: false },
        { requestId: "c", charged: true },
      ],
    });
    expect(stateOf(both, MORNING + 24 * HOUR).credited).toEqual({ requests: 0, files: 0 });
  });
});
