/**
 * Sends a body while its slot is held, so that a client that has read the last byte always finds the
 * slot free (contract 2.5).
 *
 * A buffer or an R2 body given to `Response` directly would end the request's context at once, while
 * the client still reads. A `FixedLengthStream` fed inside `waitUntil` keeps the context for as long as
 * the client takes, and keeps `Content-Length` exact.
 */
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

export interface Holding {
  ctx: Pick<ExecutionContext, "waitUntil">;
  /** The request's signal (`enable_request_signal`): fires when the client goes away. */
  signal: AbortSignal;
  /** What the account's list of last requests says of this one if the whole body goes out. */
  outcome: RequestOutcome;
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
 * body and gives the charge back, a client that went away or reads too slowly for the bound does not.
 *
 * @example return new Response(holdBody(slot, pageBytes, { ctx, signal: request.signal, outcome }));
 */
export function holdBody(
  slot: Slot,
  body: Uint8Array | PumpedBody,
  holding: Holding,
): ReadableStream<Uint8Array> {
  const isReady = body instanceof Uint8Array;
  const pipe = new FixedLengthStream(isReady ? body.byteLength : body.sizeBytes);
  const writer = pipe.writable.getWriter();
  const ended = isReady ? sendReady(slot, body, writer, holding) : sendPumped(slot, body, writer, holding);
  holding.ctx.waitUntil(ended.then((end) => holding.onEnd?.(end)));
  return pipe.readable;
}

async function sendReady(
  slot: Slot,
  bytes: Uint8Array,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { signal, outcome, hasMore = false }: Holding,
): Promise<BodyEnd> {
  const released = confirmedOrLate(
    slot.release({ credit: false, outcome, hasMore, bytes: bytes.byteLength }),
  );
  const split = Math.max(0, bytes.byteLength - LAST_BYTES);
  let bytesSent = 0;
  const send = async (): Promise<BodyEnd["how"]> => {
    if (split > 0) await writer.write(bytes.subarray(0, split));
    bytesSent = split;
    await released;
    await writer.write(bytes.subarray(split));
    bytesSent = bytes.byteLength;
    await writer.close();
    return "whole";
  };
  // A write rejects only because the client has stopped reading: the length is right by construction.
  const how = await Promise.race([send().catch(() => "client_gone" as const), gone(signal)]);
  if (how !== "whole") await breakBody(writer, new Error(how));
  return { how, bytesSent };
}

async function sendPumped(
  slot: Slot,
  body: PumpedBody,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { signal, outcome }: Holding,
): Promise<BodyEnd> {
  const sink = new ClientSink(writer, body.sizeBytes);
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

  constructor(client: WritableStreamDefaultWriter<Uint8Array>, sizeBytes: number) {
    this.writable = new WritableStream<Uint8Array>({
      write: async (piece) => {
        if (this.bytesSent + piece.byteLength > sizeBytes)
          throw new Error(`the body is longer than ${sizeBytes} bytes`);
        const sinceMs = Date.now();
        this.waitsSinceMs = sinceMs;
        try {
          await client.write(piece);
        } catch (error) {
          this.hasFailed = true;
          throw error;
        }
        this.waitsSinceMs = null;
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

/** Resolves when the client goes away, and never otherwise. */
export function gone(signal: AbortSignal): Promise<"client_gone"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("client_gone");
    else signal.addEventListener("abort", () => resolve("client_gone"), { once: true });
  });
}
