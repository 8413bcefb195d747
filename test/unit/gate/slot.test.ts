/** Tests the worker's calls to the gate with a fake gate that can fail. `*.worker.test.ts` use the real gate. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Gate } from "../../../src/gate/gate-object.ts";
import type { AcquireRequest, ReleaseRequest, RequestOutcome } from "../../../src/gate/protocol.ts";
import { type Slot, takeSlot as takeSlotResult } from "../../../src/gate/slot.ts";
import { baringLater } from "../../support/result.ts";

const takeSlot = baringLater(takeSlotResult);

const USE = { day: "20261127", requests: 1, files: 0, resetSeconds: 60 };
const REQUEST: AcquireRequest = {
  requestId: "request",
  boundMs: 60_000,
  kind: "json",
  limits: { requests: null, files: null },
};
const OUTCOME: RequestOutcome = {
  atMs: 0,
  requestId: "request",
  code: 200,
  reason: "",
  symbol: "600519",
  tradedate: "20261127",
  rows: 1,
};

/** The behaviour of a call. `grant` returns the normal answer. */
type Act = (grant: () => unknown) => unknown;
const never = () => new Promise(() => undefined);
const fail =
  (marks: object = {}) =>
  () =>
    Promise.reject(Object.assign(new Error("broken"), marks));

/** Returns a gate that records calls and answers them with the given acts. The last act answers all further calls. */
function fakeGate(acts: { acquire?: Act[]; lease?: Act[]; written?: Act[]; release?: Act[] }) {
  const calls: string[] = [];
  const aborter = new AbortController();
  const waited: Promise<unknown>[] = [];
  let stubs = 0;
  const act = (list: Act[] | undefined, sound: () => unknown) => {
    const next = list !== undefined && list.length > 1 ? list.shift() : list?.[0];
    return next === undefined ? sound() : next(sound);
  };
  const detail = (said: ReleaseRequest) =>
    `${said.credit ? " credit" : ""}${said.outcome ? ` ${said.outcome.code}` : ""}`;
  const lease = {
    release: (said: ReleaseRequest) => {
      calls.push(`lease.release${detail(said)}`);
      return act(acts.lease, async () => undefined);
    },
    written: () => {
      calls.push("lease.written");
      return act(acts.written, async () => undefined);
    },
    [Symbol.dispose]: () => calls.push("dispose"),
  };
  const granted = async () => ({ id: "grant", use: USE, lease });
  const namespace = {
    getByName: (name: string, options: object) => {
      const stub = ++stubs;
      calls.push(`stub ${stub} ${name} ${JSON.stringify(options)}`);
      return {
        acquire: (ask: AcquireRequest) => {
          calls.push(`${stub}.acquire ${ask.requestId}`);
          return act(acts.acquire, granted);
        },
        release: (id: string, said: ReleaseRequest) => {
          calls.push(`${stub}.release ${id}${detail(said)}`);
          return act(acts.release, async () => undefined);
        },
      };
    },
  } as unknown as DurableObjectNamespace<Gate>;
  const take = async () => {
    const place = {
      namespace,
      locationHint: "apac" as const,
      ctx: { waitUntil: (work: Promise<unknown>) => waited.push(work) },
    };
    return takeSlot(place, { accountId: "a", interface: "i", request: REQUEST, signal: aborter.signal });
  };
  const settle = () => Promise.all(waited);
  return { calls: () => calls.filter((call) => !call.startsWith("stub")), all: calls, take, settle, aborter };
}

async function held(gate: ReturnType<typeof fakeGate>): Promise<Slot> {
  const slot = await gate.take();
  if ("reason" in slot) throw new Error(slot.reason);
  return slot;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("takeSlot", () => {
  it("calls the object of the account and interface, in the configured region", async () => {
    const gate = fakeGate({});
    const slot = await held(gate);
    expect(gate.all).toEqual(['stub 1 a:i {"locationHint":"apac"}', "1.acquire request"]);
    expect(slot.use).toEqual(USE);
    expect(slot.stopAtMs).toBe(Date.now() + 59_500);
  });

  it("asks a second time if the object has just started, because the object may have lost a release", async () => {
    const justStarted = async () => ({ reason: "slot_busy", justStarted: true });
    const gate = fakeGate({ acquire: [justStarted, (grant) => grant()] });
    const slot = held(gate);
    await vi.advanceTimersByTimeAsync(600);
    expect((await slot).use).toEqual(USE);
    expect(gate.calls()).toEqual(["1.acquire request", "2.acquire request"]);

    const busy = fakeGate({ acquire: [justStarted] });
    const refusal = busy.take();
    await vi.advanceTimersByTimeAsync(600);
    expect(await refusal).toEqual({ reason: "slot_busy" });
    expect(busy.calls()).toEqual(["1.acquire request", "2.acquire request"]);
  });

  it("sends the same request id again through a new stub when the object fails before it answers", async () => {
    const gate = fakeGate({ acquire: [fail(), (grant) => grant()] });
    await held(gate);
    expect(gate.calls()).toEqual(["1.acquire request", "2.acquire request"]);
  });

  it.each([
    [
      "fails twice, and refunds the request in case it was charged",
      {},
      ["1.acquire request", "2.acquire request", "3.release request credit"],
    ],
    ["is overloaded, without a second request", { overloaded: true }, ["1.acquire request"]],
  ])("gives up when the object %s", async (_, marks, calls) => {
    const gate = fakeGate({ acquire: [fail(marks)] });
    await expect(gate.take()).rejects.toThrow("broken");
    await gate.settle();
    expect(gate.calls()).toEqual(calls);
  });

  it("gives up after 5 s, and releases and refunds a grant that arrives later", async () => {
    let answerNow: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    const gate = fakeGate({ acquire: [(grant) => late.then(grant)] });
    const refused = expect(gate.take()).rejects.toThrow("within 5000 ms");
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    answerNow();
    await gate.settle();
    expect(gate.calls()).toEqual(["1.acquire request", "lease.release credit"]);
  });

  it("releases the slot as soon as the client disconnects, even while the operation is running", async () => {
    const gate = fakeGate({});
    await held(gate);
    gate.aborter.abort();
    await gate.settle();
    expect(gate.calls()).toEqual(["1.acquire request", "lease.release", "dispose"]);
  });
});

describe("the release of a slot", () => {
  it("is sent once, and repeated only with a new credit or outcome", async () => {
    const gate = fakeGate({});
    const slot = await held(gate);
    await slot.release({ credit: false });
    await slot.release({ credit: false });
    await slot.release({ credit: false, outcome: OUTCOME });
    await slot.release({ credit: false, outcome: OUTCOME });
    await slot.release({ credit: true, outcome: { ...OUTCOME, code: 503 } });
    await slot.release({ credit: true });
    expect(gate.calls().filter((call) => call !== "dispose")).toEqual([
      "1.acquire request",
      "lease.release",
      "lease.release 200",
      "lease.release credit 503",
    ]);
  });

  it("is sent through a new stub only when the lease fails", async () => {
    const gate = fakeGate({ lease: [fail()] });
    const slot = await held(gate);
    expect(await slot.release({ credit: true })).toBe(true);
    expect(gate.calls()).toEqual(["1.acquire request", "lease.release credit", "2.release grant credit"]);
  });

  it("disposes of the lease only after the object has stored the release", async () => {
    const gate = fakeGate({ lease: [async () => ({ written: false })] });
    const slot = await held(gate);
    expect(await slot.release({ credit: false, hasMore: true })).toBe(true);
    await gate.settle();
    expect(gate.calls()).toEqual(["1.acquire request", "lease.release", "lease.written", "dispose"]);
  });

  it("is sent again through a new stub when the object fails before storing it", async () => {
    const gate = fakeGate({ lease: [async () => ({ written: false })], written: [fail()] });
    const slot = await held(gate);
    expect(await slot.release({ credit: false, outcome: OUTCOME, hasMore: true })).toBe(true);
    await vi.waitFor(() =>
      expect(gate.calls()).toEqual([
        "1.acquire request",
        "lease.release 200",
        "lease.written",
        "2.release grant 200",
      ]),
    );
  });

  it("succeeds through a new stub when the lease throws immediately", async () => {
    const gate = fakeGate({
      lease: [
        () => {
          throw new Error("dead stub");
        },
      ],
    });
    expect(await (await held(gate)).release({ credit: false })).toBe(true);
  });

  it("is not sent again to an overloaded object", async () => {
    const gate = fakeGate({ lease: [fail({ overloaded: true })] });
    expect(await (await held(gate)).release({ credit: false })).toBe(false);
    expect(gate.calls()).toEqual(["1.acquire request", "lease.release"]);
  });

  it("waits at most 5 s for each of its two calls and never rejects", async () => {
    const gate = fakeGate({ lease: [never], release: [never] });
    const slot = await held(gate);
    const startMs = Date.now();
    const confirmed = slot.release({ credit: false });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await confirmed).toBe(false);
    expect(Date.now() - startMs).toBe(10_000);
  });
});
