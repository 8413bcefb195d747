/**
 * Sends a body while its slot is held, so that a client that has read the last byte always finds the
 * slot free (contract 2.5).
 *
 * A buffer or an R2 body given to `Response` directly would end the request's context at once, while
 * the client still reads. A `FixedLengthStream` fed inside `waitUntil` keeps the context for as long as
 * the client takes, and keeps `Content-Length` exact.
 */
import { gone } from "../base/in-time.ts";
import type { Reservation } from "../base/memory.ts";
import type { RequestOutcome } from "./protocol.ts";
import type { Slot } from "./slot.ts";

/** How long the last bytes wait for the object to confirm the release. */
const CONFIRM_MS = 1_000;

/** Bytes of a ready body that are sent only after the release. */
const LAST_BYTES = 4;

/**
 * A store may close a stream that is not read for this long, and the error can surface many reads later. So a
 * body that its client once left alone for as long is never credited.
 */
const STALL_MS = 15_000;

/**
 * Writes the whole body, in order, waiting for each write. It calls `beforeLastBytes` once, before the
 * last four bytes, and waits for it. What it throws is the service's own fault, unless a write threw it.
 */
export type BodyPump = (
  writer: WritableStreamDefaultWriter<Uint8Array>,
  beforeLastBytes: () => Promise<void>,
) => Promise<void>;

/** A body that is produced while it is sent: exactly `sizeBytes` bytes. */
export interface PumpedBody {
  sizeBytes: number;
  pump: BodyPump;
}

/** How a body ended. Only `fault` is the service's own, and only then the charge was credited. */
export interface BodyEnd {
  how: "whole" | "client_gone" | "client_slow" | "fault";
  /** Bytes the client's side took. */
  bytesSent: number;
  /** What was thrown, when `how` is `fault`, and when a stalled client made a read fail. */
  error?: unknown;
}

/** A body that is made, in the pieces in which it is written; the array is emptied as they go out. */
export type ReadyBody = Uint8Array[];

export interface Holding {
  ctx: Pick<ExecutionContext, "waitUntil">;
  /** The request's signal (`enable_request_signal`): fires when the client goes away. */
  signal: AbortSignal;
  /** What the account's list of last requests says of this one if the whole body goes out. */
  outcome: RequestOutcome;
  /** What the answer holds in memory; ended with the body, however that ends. */
  memory: Reservation;
  /** Of a ready body: the caller has a further page to ask for, whose write may carry this one's end. */
  hasMore?: boolean;
  /** Called once, when the body has ended: for the log line and for marking a damaged day. */
  onEnd?: (end: BodyEnd) => void | Promise<void>;
}

/**
 * The stream for the `Response` of a request that holds `slot`; the slot is released in every case.
 *
 * Ready bytes: the work is over, so the release starts at once, and the last bytes go out when it is
 * confirmed or 1 s has passed. A pumped body holds the slot while it streams; its own fault breaks the
 * body and returns the charge, a client that went away or reads too slowly for the bound does not. Both are broken at
 * `slot.stopAtMs`, and when others need the memory that a client leaves unread.
 *
 * @example return new Response(holdBody(slot, pieces, { ctx, signal: request.signal, outcome, memory }));
 */
export function holdBody(
  slot: Slot,
  body: ReadyBody | PumpedBody,
  holding: Holding,
): ReadableStream<Uint8Array> {
  const { ctx, memory, onEnd } = holding;
  const isReady = Array.isArray(body);
  const sizeBytes = isReady ? body.reduce((sum, { byteLength }) => sum + byteLength, 0) : body.sizeBytes;
  memory.sent(isReady ? sizeBytes : memory.bytes);
  const pipe = new FixedLengthStream(sizeBytes);
  const writer = pipe.writable.getWriter();
  const ended = isReady
    ? sendReady(slot, { pieces: body, sizeBytes }, writer, holding)
    : sendPumped(slot, body, writer, holding);
  ctx.waitUntil(ended.finally(() => memory.end()).then((end) => onEnd?.(end)));
  return pipe.readable;
}

async function sendReady(
  slot: Slot,
  { pieces, sizeBytes }: { pieces: ReadyBody; sizeBytes: number },
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { signal, outcome, memory, hasMore = false }: Holding,
): Promise<BodyEnd> {
  const released = confirmedOrLate(slot.release({ credit: false, outcome, hasMore, bytes: sizeBytes }));
  const heldBack = Math.max(0, sizeBytes - LAST_BYTES);
  let bytesSent = 0;
  const write = async (piece: Uint8Array) => {
    if (piece.byteLength === 0) return;
    memory.sending(sizeBytes - bytesSent);
    await writer.write(piece);
    bytesSent += piece.byteLength;
    memory.sent(sizeBytes - bytesSent);
  };
  const send = async (): Promise<BodyEnd["how"]> => {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      const isLast = bytesSent + piece.byteLength > heldBack;
      const split = isLast ? Math.max(0, heldBack - bytesSent) : piece.byteLength;
      await write(piece.subarray(0, split));
      if (isLast) await released;
      await write(piece.subarray(split));
    }
    await released;
    await writer.close();
    return "whole";
  };
  const stop = stopTimer(slot.stopAtMs);
  const how = await Promise.race([
    // A write rejects only because the client has stopped reading: the length is right by construction.
    send().catch(() => "client_gone" as const),
    gone(signal),
    Promise.race([stop.passed, memory.wanted]).then(() => "client_slow" as const),
  ]);
  stop.clear();
  if (how !== "whole") {
    pieces.length = 0;
    await breakBody(writer, new Error(how));
  }
  return { how, bytesSent };
}

async function sendPumped(
  slot: Slot,
  body: PumpedBody,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { signal, outcome, memory }: Holding,
): Promise<BodyEnd> {
  const sink = new ClientSink(writer, body.sizeBytes, memory);
  const beganMs = Date.now();
  const releaseWhole = () => slot.release({ credit: false, outcome, bytes: body.sizeBytes });
  const send = async (): Promise<BodyEnd> => {
    await body.pump(sink.writable.getWriter(), () => confirmedOrLate(releaseWhole()));
    if (sink.bytesSent !== body.sizeBytes)
      throw new Error(`the body ended after ${sink.bytesSent} of ${body.sizeBytes} bytes`);
    await writer.close().catch(() => undefined);
    return { how: "whole", bytesSent: sink.bytesSent };
  };
  const stop = stopTimer(slot.stopAtMs);
  const end = await Promise.race([
    send().catch((error): BodyEnd => {
      const bytesSent = sink.bytesSent;
      if (sink.hasFailed || signal.aborted) return { how: "client_gone", bytesSent };
      return { how: sink.longestWaitMs < STALL_MS ? "fault" : "client_slow", bytesSent, error };
    }),
    gone(signal).then((how): BodyEnd => ({ how, bytesSent: sink.bytesSent })),
    memory.wanted.then((): BodyEnd => ({ how: "client_slow", bytesSent: sink.bytesSent })),
    stop.passed.then((): BodyEnd => {
      const bytesSent = sink.bytesSent;
      // Out of time: ours if most of it went by while the client waited for us.
      const isTaken = bytesSent === body.sizeBytes || sink.isWaiting;
      const isSlower = sink.waitedMs > (Date.now() - beganMs) / 2;
      if (isTaken || isSlower || sink.longestWaitMs >= STALL_MS) return { how: "client_slow", bytesSent };
      return { how: "fault", bytesSent, error: new Error("the request's time was over") };
    }),
  ]);
  stop.clear();
  if (end.how === "whole") await releaseWhole();
  else {
    const isFault = end.how === "fault";
    const broken = isFault ? { code: 503, reason: "unavailable" } : { reason: end.how };
    await Promise.all([
      slot.release({ credit: isFault, outcome: { ...outcome, ...broken }, bytes: end.bytesSent }),
      breakBody(writer, end.error ?? new Error(end.how)),
    ]);
  }
  return end;
}

/**
 * What a pump writes into: passes every piece on and remembers whether the client's side failed, which
 * an error alone does not tell. A wrong length is refused here, before the pipe would mistake it for that.
 */
class ClientSink {
  readonly writable: WritableStream<Uint8Array>;
  bytesSent = 0;
  /** How long the writes that have ended waited for the client, all of them together. */
  waitedMs = 0;
  /** The client's side refused a write. */
  hasFailed = false;
  private longestEndedMs = 0;
  /** Since when a write waits for the client to read; null: none does. */
  private waitsSinceMs: number | null = null;

  constructor(client: WritableStreamDefaultWriter<Uint8Array>, sizeBytes: number, memory: Reservation) {
    this.writable = new WritableStream<Uint8Array>({
      write: async (piece) => {
        if (this.bytesSent + piece.byteLength > sizeBytes)
          throw new Error(`the body is longer than ${sizeBytes} bytes`);
        const sinceMs = Date.now();
        this.waitsSinceMs = sinceMs;
        memory.sending(memory.bytes);
        try {
          await client.write(piece);
        } catch (error) {
          this.hasFailed = true;
          throw error;
        }
        this.waitsSinceMs = null;
        memory.sent(memory.bytes);
        const waitMs = Date.now() - sinceMs;
        this.longestEndedMs = Math.max(this.longestEndedMs, waitMs);
        this.waitedMs += waitMs;
        this.bytesSent += piece.byteLength;
      },
    });
  }

  get isWaiting(): boolean {
    return this.waitsSinceMs !== null;
  }

  /** The longest time that one write waited for the client, that of a present one included. */
  get longestWaitMs(): number {
    const presentMs = this.waitsSinceMs === null ? 0 : Date.now() - this.waitsSinceMs;
    return Math.max(this.longestEndedMs, presentMs);
  }
}

/** Breaks the connection in mid-body: with its `Content-Length` unmet, a short file never looks whole. */
async function breakBody(writer: WritableStreamDefaultWriter<Uint8Array>, why: unknown): Promise<void> {
  await writer.abort(why).catch(() => undefined);
}

async function confirmedOrLate(confirmed: Promise<boolean>): Promise<void> {
  const late = stopTimer(Date.now() + CONFIRM_MS);
  await Promise.race([confirmed, late.passed]);
  late.clear();
}

function stopTimer(atMs: number): { passed: Promise<void>; clear: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, atMs - Date.now()));
  });
  return { passed, clear: () => clearTimeout(timer) };
}
