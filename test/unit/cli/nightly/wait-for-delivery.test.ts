import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { Delivery } from "../../../../src/cli/nightly/drop-folder.ts";
import { type Arrival, waitForDelivery } from "../../../../src/cli/nightly/wait-for-delivery.ts";

const SECOND = 1000;
const PATIENCE = { stableMs: 60 * SECOND, pollMs: 10 * SECOND, byMs: 600 * SECOND, untilMs: 1_200 * SECOND };

/** The state of the delivery once `from` seconds have passed. A `size` of 0 means that nothing has arrived. */
interface Stage {
  from: number;
  size: number;
  problem?: string;
  /** A different number means different content with the same size and modification time. */
  version?: number;
}

const problemText = (problem?: string) => (problem === undefined ? null : { zh: "不完整", en: problem });

/** Waits for a delivery that grows in `stages`, with a simulated clock that begins at `start` seconds. */
async function wait(stages: Stage[], { start = 0, changedAt = Number.POSITIVE_INFINITY } = {}) {
  let nowMs = start * SECOND;
  const late: [number, Arrival][] = [];
  const waiting: string[] = [];
  const stage = () => stages.findLast(({ from }) => from * SECOND <= nowMs) ?? { from: 0, size: 0 };
  const arrival = await waitForDelivery(
    {
      look: async (): Promise<Delivery> => {
        const { size, version } = stage();
        return {
          tradedate: "20260312" as BeijingDate,
          orders: size === 0 ? [] : ["/drop/20260312.zip"],
          ...{ files: [], underWay: [], links: [], contents: [] },
          sizeBytes: size,
          fingerprint: String(size),
          mark: `${size} ${version}`,
          changedMs: Math.min(changedAt * SECOND, nowMs),
        };
      },
      problemOf: async () => problemText(stage().problem),
      onWaiting: ({ en }) => void waiting.push(en),
      onLate: async (arrival) => void late.push([nowMs / SECOND, arrival]),
      ...PATIENCE,
    },
    {
      nowMs: () => nowMs,
      wait: async (ms) => {
        nowMs += ms;
      },
    },
  );
  return { arrival, late, waiting, endedAt: nowMs / SECOND };
}

describe("waiting for a delivery", () => {
  it("ends when the delivery has not changed for a minute", async () => {
    const grows = [5, 15, 25, 95].map((from, n) => ({ from, size: n + 1 }));
    const { arrival, late, endedAt } = await wait([...grows]);
    expect(arrival.state).toBe("complete");
    // The check at 90 s is the first that finds the delivery unchanged for 60 s.
    expect(endedAt).toBe(90);
    expect(late).toEqual([]);
  });

  it("starts a new minute when only the content of a file changes", async () => {
    const { endedAt } = await wait([
      { from: 0, size: 1 },
      { from: 50, size: 1, version: 2 },
    ]);
    expect(endedAt).toBe(110);
  });

  it("reports each reason for waiting once", async () => {
    const { waiting } = await wait([
      { from: 0, size: 1, problem: "it is cut" },
      { from: 300, size: 2, problem: "it ends in NUL bytes" },
      { from: 500, size: 3 },
    ]);
    expect(waiting).toEqual([
      "it is still arriving",
      "it is cut",
      "it is still arriving",
      "it ends in NUL bytes",
      "it is still arriving",
    ]);
  });

  it("ends immediately if the files have not changed for a minute", async () => {
    expect((await wait([{ from: 0, size: 1 }], { start: 100, changedAt: 30 })).endedAt).toBe(100);
    expect((await wait([{ from: 0, size: 1 }], { start: 100, changedAt: 70 })).endedAt).toBe(130);
  });

  it("reports once that nothing has arrived, and accepts what arrives later", async () => {
    const { arrival, late } = await wait([{ from: 700, size: 1 }]);
    expect(arrival.state).toBe("complete");
    expect(late).toEqual([[600, { state: "nothing" }]]);
  });

  it("reports an incomplete delivery, and fails at the deadline if the delivery has stopped changing", async () => {
    const { arrival, late, endedAt } = await wait([{ from: 300, size: 1, problem: "it is cut" }]);
    expect(arrival).toMatchObject({ state: "half", problem: { en: "it is cut" } });
    expect(late.map(([at, { state }]) => [at, state])).toEqual([[600, "half"]]);
    expect(endedAt).toBe(1_200);
  });

  it("continues past the deadline while a file still grows", async () => {
    const grows = Array.from({ length: 30 }, (_, n) => ({ from: 1_100 + 20 * n, size: n + 1 }));
    const { arrival, endedAt } = await wait(grows);
    expect(arrival.state).toBe("complete");
    expect(endedAt).toBe(1_100 + 20 * 29 + 60);
  });

  it("checks once when it starts after the deadline, and reports only the result", async () => {
    const nothing = await wait([], { start: 2_000 });
    expect(nothing).toEqual({ arrival: { state: "nothing" }, late: [], waiting: [], endedAt: 2_000 });
    const half = await wait([{ from: 0, size: 1, problem: "cut" }], { start: 2_000, changedAt: 1 });
    expect([half.arrival.state, half.late, half.endedAt]).toEqual(["half", [], 2_000]);
    const whole = await wait([{ from: 0, size: 1 }], { start: 2_000 });
    expect([whole.arrival.state, whole.endedAt]).toEqual(["complete", 2_060]);
  });
});
