import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryBudget, type MemoryRefusal, type Reservation } from "../../../src/base/memory.ts";
import { printedRandom } from "../../support/random.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TOTAL = 100;
const OF_ACCOUNT = 25;

interface Asked {
  is: "waiting" | "held" | MemoryRefusal;
  space: Reservation | null;
}

interface Asking {
  bytes?: number;
  account?: string;
  waitMs?: number;
  holdMs?: number;
  signal?: AbortSignal;
}

let accounts = 0;

/** Requests memory, by default for a new account. Returns an object that shows the state of the request. */
function ask(budget: MemoryBudget, asking: Asking = {}): Asked {
  const { bytes = 20, account = `other${++accounts}`, waitMs = 10_000, holdMs = 60_000 } = asking;
  const seen: Asked = { is: "waiting", space: null };
  const parts = [{ name: account, maxBytes: OF_ACCOUNT }];
  const signal = asking.signal ?? new AbortController().signal;
  budget
    .reserve({ bytes, parts, waitMs, holdMs, signal })
    .then((result) =>
      Object.assign(seen, result.ok ? { is: "held", space: result.value } : { is: result.refusal }),
    );
  return seen;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const states = (asked: readonly Asked[]) => asked.map(({ is }) => is);

/** Returns a budget of which nothing is free, and the five requests that hold it. */
async function full() {
  const budget = new MemoryBudget(TOTAL);
  const all = Array.from({ length: 5 }, () => ask(budget));
  await pass(0);
  expect(states(all)).toEqual(Array(5).fill("held"));
  expect(budget.heldBytes).toBe(TOTAL);
  return { budget, all };
}

describe("memory from an isolate's budget", () => {
  it("is granted to requests in their order of arrival, to each as soon as enough memory is free", async () => {
    const { budget, all } = await full();
    const waiting = [ask(budget), ask(budget), ask(budget, { bytes: 1 })];
    await pass(0);
    all[3]?.space?.end();
    await pass(0);
    expect(states(waiting)).toEqual(["held", "waiting", "waiting"]);
    all[0]?.space?.end();
    all[0]?.space?.end();
    await pass(0);
    expect(states(waiting)).toEqual(["held", "held", "waiting"]);
  });

  it("is refused immediately if it would exceed the account's share, but granted to other accounts", async () => {
    const budget = new MemoryBudget(TOTAL);
    const first = ask(budget, { account: "a" });
    await pass(0);
    first.space?.sent(20);
    const more = ask(budget, { account: "a", bytes: 6 });
    const fits = ask(budget, { account: "a", bytes: 5 });
    const other = ask(budget);
    await pass(0);
    expect(states([first, more, fits, other])).toEqual(["held", "part_full", "held", "held"]);
    first.space?.end();
    const again = ask(budget, { account: "a" });
    await pass(0);
    expect(again.is).toBe("held");
  });

  it("is refused immediately if an account's waiting requests would exceed the account's share", async () => {
    const { budget } = await full();
    const waiting = [ask(budget, { account: "a" }), ask(budget, { account: "a" })];
    await pass(0);
    expect(states(waiting)).toEqual(["waiting", "part_busy"]);
  });

  it("is refused after a timeout, and when the client has disconnected", async () => {
    const { budget, all } = await full();
    const client = new AbortController();
    const hasty = ask(budget, { waitMs: 0 });
    const leaving = ask(budget, { signal: client.signal });
    const patient = ask(budget, { waitMs: 3_000, account: "a" });
    const next = ask(budget, { waitMs: 9_000 });
    await pass(0);
    client.abort();
    const absent = ask(budget, { signal: client.signal });
    await pass(0);
    expect(states([hasty, leaving, absent, patient])).toEqual([
      "full",
      "client_gone",
      "client_gone",
      "waiting",
    ]);
    await pass(3_000);
    expect(states([patient, next])).toEqual(["full", "waiting"]);
    all[0]?.space?.end();
    await pass(0);
    expect(next.is).toBe("held");
    // The refused request of account `a` does not count towards its share.
    all[1]?.space?.end();
    const again = ask(budget, { account: "a", bytes: OF_ACCOUNT - 5 });
    await pass(0);
    expect(again.is).toBe("held");
  });

  it("is freed as a body is read, and grows if a body needs more than was reserved", async () => {
    const { budget, all } = await full();
    const waiting = ask(budget, { bytes: 15 });
    all[0]?.space?.sent(10);
    await pass(0);
    expect([waiting.is, budget.heldBytes]).toEqual(["waiting", 90]);
    all[0]?.space?.sending(5);
    await pass(0);
    expect([waiting.is, budget.heldBytes]).toEqual(["held", 100]);
    all[1]?.space?.sent(24);
    expect(budget.heldBytes).toBe(104);
  });

  it("is released when a request ends without a body, but not while a body is being sent", async () => {
    const budget = new MemoryBudget(TOTAL);
    const [unsent, sent] = [ask(budget), ask(budget)];
    await pass(0);
    sent.space?.sent(20);
    unsent.space?.endUnsent();
    sent.space?.endUnsent();
    expect(budget.heldBytes).toBe(20);
    sent.space?.end();
    expect(budget.heldBytes).toBe(0);
  });

  it("is released after a maximum time if the request ended without releasing it", async () => {
    const { budget, all } = await full();
    const prolonged = all[0]?.space;
    await pass(59_000);
    prolonged?.prolong(60_000);
    const waiting = Array.from({ length: 5 }, () => ask(budget));
    await pass(1_500);
    expect(states(waiting)).toEqual(["held", "held", "held", "held", "waiting"]);
    // Ending a reservation that was already released does not affect the others.
    all[1]?.space?.end();
    expect(budget.heldBytes).toBe(TOTAL);
  });
});

it("A request that ended while it waited for memory holds no memory", async () => {
  const { budget, all } = await full();
  ask(budget, { account: "a", waitMs: 1_000 });
  await pass(0);
  vi.clearAllTimers();
  vi.setSystemTime(Date.now() + 2_000);
  all[0]?.space?.end();
  expect(budget.heldBytes).toBe(TOTAL - 20);
  const again = ask(budget, { account: "a" });
  await pass(0);
  expect(again.is).toBe("held");
});

describe("a body that its client leaves unread", () => {
  const wantedOf = (asked: Asked) => {
    const seen = { wanted: false };
    asked.space?.wanted.then(() => Object.assign(seen, { wanted: true }));
    return seen;
  };

  it("keeps its memory while enough is free, without a time limit", async () => {
    const budget = new MemoryBudget(TOTAL);
    const idle = ask(budget);
    await pass(0);
    idle.space?.sending(20);
    const { wanted } = wantedOf(idle);
    await pass(59_000);
    const others = Array.from({ length: 4 }, () => ask(budget));
    await pass(0);
    expect([wanted, ...states(others)]).toEqual([false, "held", "held", "held", "held"]);
  });

  it("loses its memory to a request that has waited for 5 s, if no other body has been unread for longer", async () => {
    const { budget, all } = await full();
    const wanted = all.map(wantedOf);
    for (const { space } of all.slice(0, 4)) {
      space?.sending(20);
      await pass(100);
    }
    // The client of the first body has read what was sent to it, so the first body does not count as unread.
    all[0]?.space?.sent(20);
    const waiting = ask(budget, { bytes: 25 });
    await pass(4_600);
    expect(waiting.is).toBe("waiting");
    await pass(1_000);
    expect(waiting.is).toBe("held");
    expect(wanted.map((each) => each.wanted)).toEqual([false, true, true, false, false]);
    expect(budget.heldBytes).toBe(85);
  });

  it("keeps its memory for 5 s more when the isolate was too busy to serve the client", async () => {
    const { budget, all } = await full();
    const seen = wantedOf(all[0] as Asked);
    all[0]?.space?.sending(20);
    const waiting = ask(budget, { waitMs: 20_000 });
    await pass(0);
    vi.setSystemTime(Date.now() + 8_000);
    await pass(500);
    expect([waiting.is, seen.wanted]).toEqual(["waiting", false]);
    all[0]?.space?.sending(10);
    await pass(4_900);
    expect(seen.wanted).toBe(false);
    await pass(600);
    expect(seen.wanted).toBe(true);
  });

  it("keeps its memory when all unread bodies together would not free enough", async () => {
    const { budget, all } = await full();
    const seen = wantedOf(all[0] as Asked);
    all[0]?.space?.sending(20);
    const waiting = ask(budget, { bytes: 21, waitMs: 8_000 });
    await pass(8_000);
    expect([waiting.is, seen.wanted]).toEqual(["full", false]);
  });
});

it("In random histories, the memory in use equals the reservations, and no grant exceeds the budget", async () => {
  const random = printedRandom("memory of answers");
  const budget = new MemoryBudget(TOTAL);
  const open: { asked: Asked }[] = [];
  for (let step = 0; step < 3_000; step++) {
    const before = budget.heldBytes;
    const what = random.integer(0, 3);
    const one = open[random.integer(0, Math.max(0, open.length - 1))];
    if (what === 0 || one === undefined) {
      const [bytes, account] = [random.integer(1, 30), `account${random.integer(1, 5)}`];
      open.push({ asked: ask(budget, { bytes, account, waitMs: random.integer(0, 600) }) });
    } else if (what === 1) one.asked.space?.end();
    else if (what === 2) one.asked.space?.sending(random.integer(0, one.asked.space.bytes));
    else await pass(random.integer(0, 300));
    await pass(0);
    const held = open.filter(({ asked }) => asked.space !== null);
    const sum = held.reduce((total, { asked }) => total + (asked.space?.bytes ?? 0), 0);
    expect(budget.heldBytes).toBe(sum);
    expect(budget.heldBytes).toBeLessThanOrEqual(Math.max(TOTAL, before));
  }
  for (const { asked } of open) asked.space?.end();
  await pass(1_000);
  for (const { asked } of open) asked.space?.end();
  expect([budget.heldBytes, open.some(({ asked }) => asked.is === "part_busy")]).toEqual([0, true]);
});
