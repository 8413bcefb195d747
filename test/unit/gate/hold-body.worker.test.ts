/** Tests that a request is credited only when the service is at fault, and that a body's memory is released. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryBudget, type Reservation } from "../../../src/base/memory.ts";
import {
  type BodyEnd,
  type BodyPump,
  holdBody,
  type PumpedBody,
  type ReadyBody,
} from "../../../src/gate/hold-body.ts";
import type { ReleaseRequest, RequestOutcome } from "../../../src/gate/protocol.ts";

const START_MS = Date.parse("2026-11-27T01:30:00.000Z");
const BOUND_MS = 300_000;
const SIZE_BYTES = 1_000;
const OUTCOME: RequestOutcome = {
  atMs: START_MS,
  requestId: "request",
  code: 200,
  reason: "success",
  symbol: "600519",
  tradedate: "20261127",
  rows: 1,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  vi.setSystemTime(START_MS);
});
afterEach(() => vi.useRealTimers());

/** The memory budget of an isolate, which is just enough for one body. */
let budget: MemoryBudget;

async function reserve(bytes: number): Promise<Reservation> {
  const asked = { parts: [], waitMs: 10_000, holdMs: 2 * BOUND_MS, signal: new AbortController().signal };
  const reserved = await budget.reserve({ ...asked, bytes });
  if (!reserved.ok) throw new Error(reserved.refusal);
  return reserved.value;
}

/** Sends a body to a client that reads only when the test calls `read`. */
async function sendBody(body: ReadyBody | PumpedBody, bytes: number) {
  budget = new MemoryBudget(bytes);
  const memory = await reserve(bytes);
  const releases: ReleaseRequest[] = [];
  const slot = {
    use: { day: "20261127", requests: 1, files: 1, resetSeconds: 1 },
    stopAtMs: START_MS + BOUND_MS - 500,
    release: async (request: ReleaseRequest) => {
      releases.push(request);
      return true;
    },
  };
  const ended = Promise.withResolvers<BodyEnd>();
  const client = new AbortController();
  const stream = holdBody(slot, body, {
    ctx: { waitUntil: () => undefined },
    signal: client.signal,
    outcome: OUTCOME,
    memory,
    onEnd: (end) => ended.resolve(end),
  });
  const reader = stream.getReader();
  return {
    read: () => reader.read(),
    cancel: () => reader.cancel(),
    goAway: () => client.abort(),
    ended: ended.promise,
    isCredited: () => releases.some(({ credit }) => credit),
  };
}

/** Sends a body of 1,000 bytes with `pump`. */
const send = (pump: BodyPump) => sendBody({ sizeBytes: SIZE_BYTES, pump }, SIZE_BYTES);

const piece = (bytes: number) => new Uint8Array(bytes).fill(1);

/** Advances the clock by `ms` and runs due timers. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

type Sent = Awaited<ReturnType<typeof sendBody>>;

/** Writes three pieces, then fails as the store does. */
const failing: BodyPump = async (writer) => {
  for (let n = 0; n < 3; n++) await writer.write(piece(100));
  throw new Error("the store closed the stream");
};
/** Writes one piece, then hangs as the store does. */
const hanging: BodyPump = async (writer) => {
  await writer.write(piece(100));
  await new Promise(() => undefined);
};

/** Returns a client that reads the three pieces of `failing` and pauses for `ms` before the pieces `pauses`. */
const readerWithPauses =
  (ms: number, ...pauses: number[]) =>
  async (body: Sent) => {
    for (let n = 0; n < 3; n++) {
      if (pauses.includes(n)) await pass(ms);
      await body.read();
    }
  };

describe("holdBody", () => {
  it.each<[string, BodyPump, (body: Sent) => Promise<unknown>, Partial<BodyEnd>]>([
    [
      "the client leaves the last bytes unread until the deadline",
      async (writer, beforeLastBytes) => {
        await writer.write(piece(SIZE_BYTES - 4));
        await beforeLastBytes();
        await writer.write(piece(4));
      },
      async (body) => {
        await body.read();
        await pass(BOUND_MS);
      },
      { bytesSent: SIZE_BYTES - 4 },
    ],
    ...[0, 1, 2].map((place): [string, BodyPump, (body: Sent) => Promise<unknown>, Partial<BodyEnd>] => [
      `the store fails after the client stalled for 15 s before piece ${place}`,
      failing,
      readerWithPauses(15_000, place),
      { bytesSent: 300 },
    ]),
    [
      "the store fails while the client leaves a piece unread",
      (writer) =>
        Promise.race([
          writer.write(piece(100)),
          new Promise<never>((_, reject) => setTimeout(() => reject(new Error("the store failed")), 15_000)),
        ]),
      () => pass(15_000),
      { bytesSent: 0 },
    ],
    [
      "the store hangs after the client stalled for 15 s",
      hanging,
      async (body) => {
        await pass(15_000);
        await body.read();
        await pass(BOUND_MS);
      },
      {},
    ],
  ])("does not credit the request when %s", async (_, pump, client, end) => {
    const body = await send(pump);
    await client(body);
    expect(await body.ended).toMatchObject({ how: "client_slow", ...end });
    expect(body.isCredited()).toBe(false);
  });

  it("credits the request when the store fails and the client never paused for 15 s", async () => {
    const body = await send(failing);
    await readerWithPauses(14_000, 0, 1, 2)(body);
    expect(await body.ended).toMatchObject({ how: "fault", bytesSent: 300 });
    expect(body.isCredited()).toBe(true);
  });

  it("credits the request at the deadline when the store hangs", async () => {
    const body = await send(hanging);
    await body.read();
    await pass(BOUND_MS);
    expect(await body.ended).toMatchObject({ how: "fault" });
    expect(body.isCredited()).toBe(true);
  });
});

describe("the memory of a held body", () => {
  const PIECES = 4;
  const ready = () =>
    sendBody(
      Array.from({ length: PIECES }, () => piece(100)),
      100 * PIECES,
    );
  const pumped = () =>
    send(async (writer, beforeLastBytes) => {
      await writer.write(piece(SIZE_BYTES - 4));
      await beforeLastBytes();
      await writer.write(piece(4));
    });

  it("is released piece by piece as the client reads, and completely at the end", async () => {
    const body = await ready();
    const held = [budget.heldBytes];
    let bytes = 0;
    for (let next = await body.read(); !next.done; next = await body.read()) {
      bytes += next.value.byteLength;
      await pass(0);
      held.push(budget.heldBytes);
    }
    expect(await body.ended).toEqual({ how: "whole", bytesSent: 100 * PIECES });
    expect([bytes, budget.heldBytes]).toEqual([400, 0]);
    // The last four bytes are a separate piece.
    expect(held).toEqual([400, 300, 200, 100, 4, 0]);
  });

  describe.each([
    ["a page", ready],
    ["a file", pumped],
  ])("which is %s,", (_, begin) => {
    it("is released when the reader disconnects, cancels, or reads nothing until the deadline", async () => {
      const ways = {
        client_gone: async (body: Awaited<ReturnType<typeof begin>>) => body.goAway(),
        cancelled: async (body: Awaited<ReturnType<typeof begin>>) => void (await body.cancel()),
        client_slow: async () => void (await pass(BOUND_MS - 500)),
      };
      for (const [name, end] of Object.entries(ways)) {
        vi.setSystemTime(START_MS);
        const body = await begin();
        await pass(0);
        expect(budget.heldBytes).toBeGreaterThan(0);
        await end(body);
        const how = name === "cancelled" ? "client_gone" : name;
        expect(await body.ended).toMatchObject({ how });
        expect([budget.heldBytes, body.isCredited()]).toEqual([0, false]);
      }
    });

    it("is reclaimed without a credit when the reader stalls for 5 s while another request waits", async () => {
      const body = await begin();
      await body.read();
      await pass(4_000);
      const other = reserve(budget.heldBytes);
      await pass(6_000);
      expect(await body.ended).toMatchObject({ how: "client_slow" });
      await expect(body.read()).rejects.toThrow();
      expect(body.isCredited()).toBe(false);
      expect((await other).bytes).toBe(budget.heldBytes);
    });
  });
});
