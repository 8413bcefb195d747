import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Turns } from "../../../../src/operations/order-history/page-turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FOREVER = new AbortController().signal;
const ask = { ms: 15_000, signal: FOREVER };

/** How far a turn is, and what ends it. */
function entering(turns: Turns, { ms, signal } = ask) {
  const seen: { is: "waiting" | "begun" | "gone" | "late"; leave: () => void } = {
    is: "waiting",
    leave: () => undefined,
  };
  turns.enter({ ms, signal }).then(
    (leave) => Object.assign(seen, leave === null ? { is: "gone" } : { is: "begun", leave }),
    () => Object.assign(seen, { is: "late" }),
  );
  return seen;
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const statesOf = (turns: readonly { is: string }[]) => turns.map(({ is }) => is);

describe("turns", () => {
  it("begin as many at a time as they may, in the order they came", async () => {
    const turns = new Turns(2);
    const all = [1, 2, 3, 4].map(() => entering(turns));
    await settled();
    expect(statesOf(all)).toEqual(["begun", "begun", "waiting", "waiting"]);
    all[1]?.leave();
    await settled();
    expect(statesOf(all)).toEqual(["begun", "begun", "begun", "waiting"]);
    all[0]?.leave();
    all[2]?.leave();
    const late = entering(turns);
    await settled();
    expect([...statesOf(all), late.is]).toEqual(["begun", "begun", "begun", "begun", "begun"]);
  });

  it("begin one for one that ends, however often its end is told", async () => {
    const turns = new Turns(1);
    const [first, second, third] = [1, 2, 3].map(() => entering(turns));
    await settled();
    first?.leave();
    first?.leave();
    await settled();
    expect([second?.is, third?.is]).toEqual(["begun", "waiting"]);
  });

  it("pass over a client that goes away while it waits, and one that had gone before", async () => {
    const turns = new Turns(1);
    const first = entering(turns);
    const client = new AbortController();
    const leaving = entering(turns, { ms: 15_000, signal: client.signal });
    const next = entering(turns);
    client.abort();
    const absent = entering(turns, { ms: 15_000, signal: client.signal });
    await settled();
    expect([leaving.is, absent.is, next.is]).toEqual(["gone", "gone", "waiting"]);
    first.leave();
    await settled();
    expect(next.is).toBe("begun");
  });

  it("are refused when none comes in time, and are not kept for whoever gave up", async () => {
    const turns = new Turns(1);
    const first = entering(turns, { ms: 60_000, signal: FOREVER });
    const hasty = entering(turns, { ms: 1_000, signal: FOREVER });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(hasty.is).toBe("late");
    first.leave();
    const next = entering(turns);
    await settled();
    expect(next.is).toBe("begun");
  });

  it("end by themselves at the time of a request that died without a word", async () => {
    const turns = new Turns(1);
    entering(turns, { ms: 1_000, signal: FOREVER });
    await vi.advanceTimersByTimeAsync(999);
    const before = entering(turns, { ms: 500, signal: FOREVER });
    await vi.advanceTimersByTimeAsync(1);
    expect(before.is).toBe("waiting");
    const after = entering(turns);
    await settled();
    // What waited longer comes first, and has the turn until its own time is over.
    expect([before.is, after.is]).toEqual(["begun", "waiting"]);
    await vi.advanceTimersByTimeAsync(500);
    expect(entering(turns).is).toBe("waiting");
    await settled();
    expect(after.is).toBe("begun");
  });
});
