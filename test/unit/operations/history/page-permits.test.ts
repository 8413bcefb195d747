import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Permits } from "../../../../src/operations/history/page-permits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FOREVER = new AbortController().signal;
const ask = { ms: 15_000, signal: FOREVER };

/** Requests a permit and returns its state and the function that releases it. */
function entering(permits: Permits, { ms, signal } = ask) {
  const seen: { is: "waiting" | "begun" | "gone" | "late"; leave: () => void } = {
    is: "waiting",
    leave: () => undefined,
  };
  permits.enter({ ms, signal }).then(
    (leave) => Object.assign(seen, leave === null ? { is: "gone" } : { is: "begun", leave }),
    () => Object.assign(seen, { is: "late" }),
  );
  return seen;
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const statesOf = (permits: readonly { is: string }[]) => permits.map(({ is }) => is);

describe("the permits to compute a page", () => {
  it("are granted in the order of arrival, up to the limit", async () => {
    const permits = new Permits(2);
    const all = [1, 2, 3, 4].map(() => entering(permits));
    await settled();
    expect(statesOf(all)).toEqual(["begun", "begun", "waiting", "waiting"]);
    all[1]?.leave();
    await settled();
    expect(statesOf(all)).toEqual(["begun", "begun", "begun", "waiting"]);
    all[0]?.leave();
    all[2]?.leave();
    const late = entering(permits);
    await settled();
    expect([...statesOf(all), late.is]).toEqual(["begun", "begun", "begun", "begun", "begun"]);
  });

  it("are each passed on to one waiting page, even if a page reports twice that it has ended", async () => {
    const permits = new Permits(1);
    const [first, second, third] = [1, 2, 3].map(() => entering(permits));
    await settled();
    first?.leave();
    first?.leave();
    await settled();
    expect([second?.is, third?.is]).toEqual(["begun", "waiting"]);
  });

  it("are not given to a client that disconnected before or during its wait", async () => {
    const permits = new Permits(1);
    const first = entering(permits);
    const client = new AbortController();
    const leaving = entering(permits, { ms: 15_000, signal: client.signal });
    const next = entering(permits);
    client.abort();
    const absent = entering(permits, { ms: 15_000, signal: client.signal });
    await settled();
    expect([leaving.is, absent.is, next.is]).toEqual(["gone", "gone", "waiting"]);
    first.leave();
    await settled();
    expect(next.is).toBe("begun");
  });

  it("are not kept for a request whose wait timed out", async () => {
    const permits = new Permits(1);
    const first = entering(permits);
    const hasty = entering(permits, { ms: 20, signal: FOREVER });
    await vi.advanceTimersByTimeAsync(20);
    expect(hasty.is).toBe("late");
    first.leave();
    const next = entering(permits);
    await settled();
    expect(next.is).toBe("begun");
  });

  it("are held for at most 50 ms, however long the computation takes", async () => {
    const permits = new Permits(1);
    const [slow, second, third] = [1, 2, 3].map(() => entering(permits));
    await vi.advanceTimersByTimeAsync(49);
    expect([slow?.is, second?.is]).toEqual(["begun", "waiting"]);
    // A 0 ms timer that is set while the fake clock advances fires after 1 ms.
    await vi.advanceTimersByTimeAsync(2);
    expect([second?.is, third?.is]).toEqual(["begun", "waiting"]);
    // The slow page releases its permit late. `third` does not get it, because `second` got it after 50 ms.
    slow?.leave();
    await settled();
    expect(third?.is).toBe("waiting");
  });

  it("are held for at most 50 ms even if their request ends without releasing them", async () => {
    const permits = new Permits(1);
    entering(permits);
    await settled();
    vi.clearAllTimers();
    vi.setSystemTime(Date.now() + 50);
    const next = entering(permits);
    await settled();
    expect(next.is).toBe("begun");
  });
});
