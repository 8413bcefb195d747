/**
 * Sends a body while the request holds its slot. The slot is free again when the client has read the last byte
 * (contract 2.5).
 *
 * A buffer or an R2 body passed to `Response` directly would end the request's context while the client still reads. A
 * `FixedLengthStream` written inside `waitUntil` keeps the context until the client has read everything, and keeps
 * `Content-Length` exact.
 */
import { gone, inTime } from "../base/in-time.ts";
import type { Reservation } from "../base/memory.ts";
import type { RequestOutcome } from "./protocol.ts";
import type { Slot } from "./slot.ts";

/** The longest time that the last bytes wait for the confirmation of the release. */
const CONFIRM_MS = 1_000;

/** The number of bytes at the end of a ready body that are sent only after the release. */
const LAST_BYTES = 4;

/**
 * A store can close a stream that is not read for this long, and the error can appear many reads later. A body that the
 * client left unread for this long is therefore never credited.
 */
const STALL_MS = 15_000;

/**
 * Writes the whole body in order, waiting for each write. Calls and awaits `beforeLastBytes` once, before the last four
 * bytes. An error is a fault of the service unless a write threw it.
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

/** How a body ended. Only `fault` is the service's fault and is credited. */
export interface BodyEnd {
  how: "whole" | "client_gone" | "client_slow" | "fault";
  /** The number of bytes that the response stream has accepted. */
  bytesSent: number;
  /** The error of a `fault`, or of a read that failed because the client stalled. */
  error?: unknown;
}

/** A complete body, as the pieces to write. The array is emptied while they are sent. */
export type ReadyBody = Uint8Array[];

export interface Holding {
  ctx: Pick<ExecutionContext, "waitUntil">;
  /** The request's signal (`enable_request_signal`), which fires when the client disconnects. */
  signal: AbortSignal;
  /** The entry for the account's list of last requests if the whole body is sent. */
  outcome: RequestOutcome;
  /** The answer's memory reservation, which ends with the body. */
  memory: Reservation;
  /** Whether a next page exists; its grant and this release can then be stored in one write. Only for a ready body. */
  hasMore?: boolean;
  /** Called once when the body has ended, for the log line and for marking a damaged day. */
  onEnd?: (end: BodyEnd) => void | Promise<void>;
}

/**
 * Returns the stream for the `Response` of a request that holds `slot`; the slot is always released.
 *
 * For ready bytes the release starts at once, and the last bytes are sent when it is confirmed or 1 s has passed. A
 * pumped body holds the slot while it streams. A fault aborts it and credits the charge; if the client disconnects or
 * reads too slowly, nothing is credited. Either kind of body is aborted at `slot.stopAtMs`, and when other requests
 * need the memory of the bytes that its client has not read.
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
    // A write rejects only because the client is gone. The other cause would be a body that does not have its announced
    // length, which cannot happen here.
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
      // A body that is incomplete at the deadline is the service's fault if the client was waiting most of the time.
      const isTaken = bytesSent === body.sizeBytes || sink.isWaiting;
      const isSlower = sink.waitedMs > (Date.now() - beganMs) / 2;
      if (isTaken || isSlower || sink.longestWaitMs >= STALL_MS) return { how: "client_slow", bytesSent };
      return { how: "fault", bytesSent, error: new Error("the request's deadline passed") };
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
 * The sink of a pump. It forwards every piece and records whether the client's side failed, which an error alone does
 * not show. It refuses bytes beyond the body's length; the pipe would report them as a failure of the client.
 */
class ClientSink {
  readonly writable: WritableStream<Uint8Array>;
  bytesSent = 0;
  /** The total time that finished writes waited for the client. */
  waitedMs = 0;
  /** Whether the client's side refused a write. */
  hasFailed = false;
  private longestEndedMs = 0;
  /** When the pending write began to wait for the client; null when no write is pending. */
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

  /** Returns the longest time that one write waited for the client, including a pending one. */
  get longestWaitMs(): number {
    const presentMs = this.waitsSinceMs === null ? 0 : Date.now() - this.waitsSinceMs;
    return Math.max(this.longestEndedMs, presentMs);
  }
}

/** Aborts the connection, so that `Content-Length` is unmet and a short file never looks complete. */
async function breakBody(writer: WritableStreamDefaultWriter<Uint8Array>, why: unknown): Promise<void> {
  await writer.abort(why).catch(() => undefined);
}

async function confirmedOrLate(confirmed: Promise<boolean>): Promise<void> {
  await inTime(confirmed, CONFIRM_MS).catch(() => undefined);
}

function stopTimer(atMs: number): { passed: Promise<void>; clear: () => void } {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, atMs - Date.now()));
  return { passed, clear: () => clearTimeout(timer) };
}
