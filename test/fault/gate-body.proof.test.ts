/**
 * Tests every way in which a body can end while its slot is held, over real HTTP. No test depends on timing. Each waits
 * until the slot is free, and fails before the slot's own deadline of 60 s would free it.
 */
import { afterAll, describe, expect, it, vi } from "vitest";
import { startGateService, type TakeOptions } from "../support/gate-service.ts";
import { printedRandom } from "../support/random.ts";
import { proofSize } from "../support/tier.ts";

const HANG_UPS = proofSize(20);
const MEGABYTE = 1_000_000;
const PATIENCE = { timeout: 20_000, interval: 5 };

const gate = await startGateService();
afterAll(() => gate[Symbol.asyncDispose]());

const fresh = () => ({ account: crypto.randomUUID(), id: crypto.randomUUID() });

/** Takes a slot, ends the request, and waits until the slot is free and the outcome is recorded. */
async function ending(options: Omit<TakeOptions, "account" | "id">, hangUpAfter?: number) {
  const { account, id } = fresh();
  const answer = await gate.open({ account, id, ...options });
  const seen = await (hangUpAfter === undefined ? answer.readAll() : answer.hangUpAfter(hangUpAfter));
  const state = await vi.waitFor(async () => {
    const now = await gate.state(account);
    expect(now.holder).toBeNull();
    return now;
  }, PATIENCE);
  return { id, answer, seen, state };
}

async function endOf(id: string) {
  return vi.waitFor(async () => {
    const end = await gate.end(id);
    if (end === null) throw new Error("still running");
    return end;
  }, PATIENCE);
}

describe("the body of a charged answer", () => {
  it.each([
    ["ready", 0],
    ["ready", 1],
    ["ready", 4],
    ["ready", 700_000],
    ["pump", 4],
    ["pump", 3 * MEGABYTE],
  ])(
    "(%s, %i bytes) arrives whole and frees the slot, and the request is charged and listed",
    async (how, bytes) => {
      const { account, id } = fresh();
      const answer = await gate.open({ account, id, how, bytes });
      expect(answer.headers["content-length"]).toBe(String(bytes));
      expect(await answer.readAll()).toEqual({ bytes, isWhole: true });
      expect(await gate.state(account)).toMatchObject({
        holder: null,
        use: { requests: 1 },
        last: [{ requestId: id, code: 200, reason: "" }],
      });
      expect(await endOf(id)).toEqual({ how: "whole", bytesSent: bytes, error: null });
    },
  );

  it.each([
    ["ready", 200],
    ["pump", 503],
  ])("(%s), while a client reads it, causes status %i for a concurrent request", async (how, status) => {
    const { account } = fresh();
    const reading = await gate.open({ account, how, bytes: 20 * MEGABYTE });
    const next = await gate.open({ account, how: "ready", bytes: 10 });
    await next.readAll();
    expect(next.status).toBe(status);
    expect(await reading.readAll()).toEqual({ bytes: 20 * MEGABYTE, isWhole: true });
  });
});

describe("a client that hangs up or stalls", () => {
  it(`frees the slot, is charged and is recorded when it hangs up at a random byte, ${HANG_UPS} times`, async () => {
    const random = printedRandom("hang up at a random byte");
    for (let n = 0; n < HANG_UPS; n++) {
      const hangUpAfter = random.integer(1, 10 * MEGABYTE);
      const { id, state } = await ending({ how: "pump", bytes: 30 * MEGABYTE }, hangUpAfter);
      expect(state.use.requests).toBe(1);
      expect(await endOf(id)).toMatchObject({ how: "client_gone", error: null });
    }
  });

  it("is charged even when the whole body was already in memory", async () => {
    const { id, state } = await ending({ how: "ready", bytes: 30 * MEGABYTE }, 1);
    expect(state.use.requests).toBe(1);
    expect(await endOf(id)).toMatchObject({ how: "client_gone" });
  });

  it("is disconnected half a second before the slot's deadline if it does not read, and gets no credit", async () => {
    const { account, id } = fresh();
    await gate.open({ account, id, how: "pump", bytes: 60 * MEGABYTE, bound: 1_500 });
    expect(await endOf(id)).toMatchObject({ how: "client_slow" });
    expect(await gate.state(account)).toMatchObject({
      holder: null,
      use: { requests: 1 },
      last: [{ reason: "client_slow" }],
    });
  });
});

describe("a fault of the service during a request", () => {
  it.each([
    ["pump-throws", "a read failed"],
    ["pump-short", "the body ended after"],
    ["pump-long", "the body is longer than"],
  ])("(%s) breaks the body, releases the slot and credits the charge", async (how, error) => {
    const { id, answer, seen, state } = await ending({ how, bytes: 3 * MEGABYTE });
    expect(answer.headers["content-length"]).toBe(String(3 * MEGABYTE));
    expect(seen.isWhole).toBe(false);
    expect(state).toMatchObject({
      use: { requests: 0, files: 0 },
      last: [{ code: 503, reason: "unavailable" }],
    });
    expect(await endOf(id)).toMatchObject({ how: "fault", error: expect.stringContaining(error) });
  });

  it("is assumed when the service stalls a stream until half a second before the slot's deadline, and the charge is credited", async () => {
    const { id, seen, state } = await ending({ how: "pump-hangs", bytes: 3 * MEGABYTE, bound: 1_500 });
    expect(seen.isWhole).toBe(false);
    expect(state.use.requests).toBe(0);
    expect(await endOf(id)).toMatchObject({
      how: "fault",
      error: expect.stringContaining("deadline passed"),
    });
  });

  it.each(["throws", "hangs"])("releases the slot when the handler %s before it answers", async (how) => {
    const { answer, state } = await ending({ how });
    expect(answer.status).toBe(500);
    expect(state.use.requests).toBe(1);
  });
});

describe("a restart of the gate object while the slot is held", () => {
  it.each(["ready-restarts", "pump-restarts"])(
    "(%s) leaves the body intact, the slot free and the request charged once",
    async (how) => {
      const { id, seen, state } = await ending({ how, bytes: 3 * MEGABYTE });
      expect(seen.isWhole).toBe(true);
      expect(state).toMatchObject({ use: { requests: 1 }, last: [{ code: 200 }] });
      expect(await endOf(id)).toMatchObject({ how: "whole" });
    },
  );
});
