/**
 * Sends a range of an object to a client of the drive, within a limit of concurrent downloads.
 *
 * The bytes pass from the store to the client inside the runtime, without script code. They are requested in windows,
 * because a store may buffer the requested bytes while the client does not read. A stalled client then needs the memory
 * of one window, not of its file.
 */
import { answerMemory, type MemoryPart, partOfAccount, type Reservation } from "../base/memory.ts";
import type { FileVersion } from "../catalog/files.ts";
import { ByteStream } from "../packs/byte-stream.ts";
import { type ByteRange, cutShort, openRange } from "../packs/read-range.ts";

/**
 * The maximum number of concurrent downloads in one isolate: of one share, and of all shares together. Tools open many
 * connections: rclone opens 16 (4 streams for each of 4 files), and aria2c 40 (8 connections for each of 5 files). Each
 * command on the share's page opens fewer connections than half of `MAX_PER_SHARE`.
 */
export const MAX_PER_SHARE = 48;
export const MAX_IN_ALL = 128;

/**
 * The memory of a download: its first bytes, and the bytes that the runtime has in transit from the store to the
 * client. All downloads together may use half of the memory for answers.
 */
const DOWNLOAD_BYTES = 250_000;

/** The size of a window: large enough that the pause between two reads of the store is negligible. */
const WINDOW_BYTES = 8 * 1024 * 1024;

/** The platform limits the number of reads in one request, so a very long range is sent in longer windows. */
const MAX_WINDOWS = 500;

/** The number of bytes that are read before the answer begins. */
const FIRST_BYTES = 16 * 1024;

/** A client must read a window within this time (14 KB/s), so that no download holds its memory indefinitely. */
const WINDOW_MS = 10 * 60_000;

/** The longest expected time between two windows: a read of the store and its overhead. */
const BETWEEN_MS = 60_000;

const DOWNLOADS: MemoryPart = { name: "downloads", maxBytes: MAX_IN_ALL * DOWNLOAD_BYTES };

export interface Sending {
  bucket: R2Bucket;
  shareId: string;
  /** The owner of the share. */
  accountId: string;
  requestId: string;
  /** The request's signal, which fires when the client disconnects. */
  signal: AbortSignal;
  waitUntil(work: Promise<unknown>): void;
  /** Called once at the body's end with the number of bytes sent; of a broken body, only complete windows. */
  onEnd?: (bytesSent: number) => void;
  /** For tests. */
  windowMs?: number;
}

/**
 * Returns the body of `range` of an object once its first bytes have arrived; null when too many downloads are running
 * or no memory is free. The download counts towards the limits until its body has ended, or the client has disconnected
 * or timed out. Throws the errors of `openRange`, and the store's error if the first bytes cannot be read.
 */
export async function sendRange(
  sending: Sending,
  object: FileVersion,
  range: ByteRange,
): Promise<ReadableStream<Uint8Array> | null> {
  const memory = await reserve(sending);
  if (memory === null) return null;
  try {
    const windowBytes = Math.max(WINDOW_BYTES, Math.ceil(range.length / MAX_WINDOWS));
    const opened = await openWindow(sending, object, { ...range, windowBytes });
    const stream = new ByteStream(opened.body);
    const first = await firstOf(stream, range.length);
    if (first.length === 0) throw cutShort(object.objectKey);
    stream.release();
    const pipe = new FixedLengthStream(range.length);
    memory.sent(DOWNLOAD_BYTES);
    const sent = send(sending, object, { range, windowBytes, first, rest: opened.body, pipe, memory });
    sending.waitUntil(sent.finally(() => memory.end()).then((bytesSent) => sending.onEnd?.(bytesSent)));
    return pipe.readable;
  } catch (error) {
    memory.end();
    throw error;
  }
}

/** Reserves memory for one more download. Returns null when none can be reserved now, because a limit is reached. */
async function reserve({ shareId, accountId, signal, windowMs }: Sending): Promise<Reservation | null> {
  const ofShare = { name: `share ${shareId}`, maxBytes: MAX_PER_SHARE * DOWNLOAD_BYTES };
  const reserved = await answerMemory.reserve({
    bytes: DOWNLOAD_BYTES,
    parts: [ofShare, partOfAccount(accountId), DOWNLOADS],
    waitMs: 0,
    holdMs: holdMs(windowMs),
    signal,
  });
  return reserved.ok ? reserved.value : null;
}

/** Returns the longest time in milliseconds for which a download keeps its memory after a window begins. */
function holdMs(windowMs = WINDOW_MS): number {
  return windowMs + BETWEEN_MS;
}

async function firstOf(stream: ByteStream, length: number): Promise<Uint8Array> {
  try {
    return await stream.read(Math.min(FIRST_BYTES, length));
  } catch (error) {
    stream.cancel();
    throw error;
  }
}

/** Opens the first window of the range: `windowBytes` bytes, or the whole range if it is shorter. */
async function openWindow(
  { bucket }: Sending,
  object: FileVersion,
  { offset, length, windowBytes }: ByteRange & { windowBytes: number },
): Promise<R2ObjectBody> {
  const window = { offset, length: Math.min(windowBytes, length) };
  const opened = await openRange(bucket, object, window);
  if (opened.size < window.offset + window.length) throw cutShort(object.objectKey);
  return opened;
}

interface Begun {
  range: ByteRange;
  windowBytes: number;
  /** The first bytes of the first window, which have been read already. */
  first: Uint8Array;
  /** The rest of the first window (see `openWindow`). */
  rest: ReadableStream<Uint8Array>;
  pipe: FixedLengthStream;
  memory: Reservation;
}

/**
 * Sends the body and returns the number of bytes sent. Never rejects: after a failure, the client gets a body that is
 * shorter than its `Content-Length`, and the reason is logged.
 */
async function send(sending: Sending, object: FileVersion, begun: Begun): Promise<number> {
  const { range, windowBytes, first, rest, pipe, memory } = begun;
  const { writable } = pipe;
  let bytesSent = 0;
  try {
    const writer = writable.getWriter();
    await inTime(sending, () => writer.write(first)).finally(() => writer.releaseLock());
    bytesSent = first.length;
    let body = rest;
    for (let at = windowBytes; ; at += windowBytes) {
      memory.prolong(holdMs(sending.windowMs));
      await inTime(sending, (signal) => body.pipeTo(writable, { preventClose: true, signal }));
      bytesSent = Math.min(at, range.length);
      if (at >= range.length) break;
      const left = { offset: range.offset + at, length: range.length - at, windowBytes };
      ({ body } = await openWindow(sending, object, left));
    }
    await writable.close();
  } catch (error) {
    await writable.abort(error).catch(() => undefined);
    const { requestId, signal } = sending;
    if (!signal.aborted)
      console.error(JSON.stringify({ event: "download_broke", requestId, fault: `${error}` }));
  }
  return bytesSent;
}

/** Returns the result of `work`; throws when the client has disconnected or timed out. */
async function inTime<T>(
  { signal, windowMs = WINDOW_MS }: Sending,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(new Error("the client stopped reading")), windowMs);
  const either = AbortSignal.any([signal, slow.signal]);
  const stopped = new Promise<never>((_, reject) => {
    either.addEventListener("abort", () => reject(either.reason), { once: true });
    if (either.aborted) reject(either.reason);
  });
  return Promise.race([work(either), stopped]).finally(() => clearTimeout(timer));
}
