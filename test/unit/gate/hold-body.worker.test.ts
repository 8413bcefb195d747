/** Whose doing it was that a pumped body did not end well: only the service's own faults give the charge back. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type BodyEnd, type BodyPump, holdBody } from "../../../src/gate/hold-body.ts";
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

/** A body of 1,000 bytes sent by `pump` to a client that reads when `read` says so. */
function send(pump: BodyPump) {
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
  const stream = holdBody(
    slot,
    { sizeBytes: SIZE_BYTES, pump },
    {
      ctx: { waitUntil: () => undefined },
      signal: new AbortController().signal,
      outcome: OUTCOME,
      onEnd: (end) => ended.resolve(end),
    },
  );
  const reader = stream.getReader();
  return {
    read: () => reader.read(),
    ended: ended.promise,
    isCredited: () => releases.some(({ credit }) => credit),
  };
}

const piece = (bytes: number) => new Uint8Array(bytes).fill(1);

/** The clock goes on by `ms`, with whatever falls due. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it("is the client's when it takes all but the end of the body, and then stalls until the time is over", async () => {
  const body = send(async (writer, beforeLastBytes) => {
    await writer.write(piece(SIZE_BYTES - 4));
    await beforeLastBytes();
    await writer.write(piece(4));
  });
  await body.read();
  await pass(BOUND_MS);
  expect(await body.ended).toMatchObject({ how: "client_slow", bytesSent: SIZE_BYTES - 4 });
  expect(body.isCredited()).toBe(false);
});

it("is the client's when a read fails that it had left alone for 15 s", async () => {
  const body = send(async (writer) => {
    await writer.write(piece(500));
    await writer.write(piece(100));
    throw new Error("the store closed the stream");
  });
  await body.read();
  await pass(15_000);
  await body.read();
  expect(await body.ended).toMatchObject({ how: "client_slow", bytesSent: 600 });
  expect(body.isCredited()).toBe(false);
});

it.each([0, 1, 2])(
  "is the client's when it stalled for 15 s before piece %i and then read on fast",
  async (stalledAt) => {
    const body = send(async (writer) => {
      for (let n = 0; n < 3; n++) await writer.write(piece(100));
      throw new Error("the store closed the stream");
    });
    for (let n = 0; n < 3; n++) {
      if (n === stalledAt) await pass(15_000);
      await body.read();
    }
    expect(await body.ended).toMatchObject({ how: "client_slow", bytesSent: 300 });
    expect(body.isCredited()).toBe(false);
  },
);

it("is the client's when a read fails while the client still leaves an earlier piece alone", async () => {
  const failing = Promise.withResolvers<never>();
  const body = send(async (writer) => {
    await Promise.race([writer.write(piece(100)), failing.promise]);
  });
  await pass(15_000);
  failing.reject(new Error("the store closed the stream"));
  expect(await body.ended).toMatchObject({ how: "client_slow", bytesSent: 0 });
  expect(body.isCredited()).toBe(false);
});

it("is the client's when the time is over after a stall of 15 s, although the store was slower", async () => {
  const body = send(async (writer) => {
    await writer.write(piece(100));
    await new Promise(() => undefined);
  });
  await pass(15_000);
  await body.read();
  await pass(BOUND_MS);
  expect(await body.ended).toMatchObject({ how: "client_slow" });
  expect(body.isCredited()).toBe(false);
});

it("is ours when a read fails although the client never left the body alone for 15 s", async () => {
  const body = send(async (writer) => {
    for (let n = 0; n < 3; n++) await writer.write(piece(100));
    throw new Error("the store closed the stream");
  });
  for (let n = 0; n < 3; n++) {
    await pass(14_000);
    await body.read();
  }
  expect(await body.ended).toMatchObject({ how: "fault", bytesSent: 300 });
  expect(body.isCredited()).toBe(true);
});

it("is ours when the client waits for a read until the time is over, and the client's when it was the slower one", async () => {
  const pump: BodyPump = async (writer) => {
    await writer.write(piece(100));
    await new Promise(() => undefined);
  };
  const ours = send(pump);
  await ours.read();
  await pass(BOUND_MS);
  expect(await ours.ended).toMatchObject({ how: "fault" });
  expect(ours.isCredited()).toBe(true);

  vi.setSystemTime(START_MS);
  const theirs = send(pump);
  await pass(BOUND_MS / 2);
  await theirs.read();
  await pass(BOUND_MS / 2);
  expect(await theirs.ended).toMatchObject({ how: "client_slow" });
  expect(theirs.isCredited()).toBe(false);
});
