/**
 * How long a call waits: for `Retry-After`, after broken connections, and for the process's other requests. The service
 * accepts one request at a time for each account and interface, so callers are queued here in order of arrival.
 */
import { ConnectionFailed, type ServiceError, Unavailable } from "./errors.ts";

/** The number of consecutive broken connections after which a call fails. */
const MAX_FAILURES = 8;

/** The wait after a proxy's error page, which has no Retry-After. */
export const UNTOLD_WAIT_MS = 2_000;

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/** If the service repeatedly requests shorter waits, the client lengthens them step by step up to this one. */
const SHORT_WAIT_MS = 1_000;

/** The minimum timeout of an attempt, even when less of `maxWaitMs` is left. */
const SHORTEST_TIMEOUT_MS = 1_000;

/** Replaced by tests, which do not wait. */
export const clock = { sleep };

/**
 * Returns the wait in milliseconds that a `Retry-After` header states as whole seconds or as an HTTP date; null for any
 * other header.
 */
export function parseRetryAfter(value: string | null, nowMs = Date.now()): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/**
 * The waits and failed attempts of one call; together they take at most `maxWaitMs`. If `maxWaitMs` is 0, the call
 * makes one attempt without a wait, and only the timeout of that attempt limits it.
 */
export class Patience {
  readonly #isBounding: boolean;
  /** The number of broken connections in a row so far. */
  failures = 0;
  #leftMs: number;
  #shortWaits = 0;
  #sinceMs = performance.now();

  constructor(maxWaitMs: number) {
    this.#leftMs = maxWaitMs;
    this.#isBounding = maxWaitMs > 0;
  }

  /** Begins an attempt. Returns how long the attempt may wait for data, in milliseconds; undefined without a limit. */
  begun(): number | undefined {
    this.#sinceMs = performance.now();
    return this.#isBounding ? Math.max(SHORTEST_TIMEOUT_MS, this.#leftMs) : undefined;
  }

  /** Resets the failure count, because data arrived. */
  progressed(): void {
    this.failures = 0;
    this.touched();
  }

  /** Restarts the attempt's clock, because data arrived. The answer may still break off, so failures still count. */
  touched(): void {
    this.#sinceMs = performance.now();
  }

  /**
   * Waits as long as the service asks, plus up to a fifth at random, so that callers do not retry together. A wait
   * below a second grows with each attempt, because 0 would overload the service. Throws `refusal` when the wait
   * would exceed the rest of `maxWaitMs`.
   */
  async waitTold(toldMs: number, refusal: ServiceError, signal: AbortSignal | undefined): Promise<void> {
    const growing = Math.min(SHORT_WAIT_MS, FIRST_BACKOFF_MS * 2 ** this.#shortWaits);
    const ms = toldMs < SHORT_WAIT_MS ? Math.max(toldMs, growing) : toldMs;
    if (toldMs < SHORT_WAIT_MS) this.#shortWaits++;
    if (ms > this.#leftMs) throw refusal;
    await this.#wait(ms + Math.random() * Math.max(50, ms / 5), signal);
  }

  /**
   * Waits after a broken connection, longer each time. With `atOnce` it does not wait, because the caller tries the
   * next base URL. Throws `ConnectionFailed` after 8 broken connections in a row, or when `maxWaitMs` is used up.
   */
  async waitFailed(
    error: unknown,
    where: string,
    { signal, atOnce = false }: { signal: AbortSignal | undefined; atOnce?: boolean },
  ): Promise<void> {
    this.failures++;
    this.#leftMs -= performance.now() - this.#sinceMs;
    if (this.failures >= MAX_FAILURES || this.#leftMs <= 0) {
      throw new ConnectionFailed(
        `gave up after ${this.failures} failed connections, the last one to ${where}: ${told(error)}`,
        undefined,
        { cause: error },
      );
    }
    if (atOnce) return;
    const step = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
    await this.#wait(Math.min(step * (0.75 + Math.random() / 2), this.#leftMs), signal);
  }

  #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    this.#leftMs -= ms;
    return clock.sleep(ms, signal);
  }
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}

/** Resolves after `ms`; rejects with the signal's reason if the signal aborts first. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A caller in the queue. The first caller may send its request. */
interface Caller {
  /** Lets a waiting caller continue. */
  start(): void;
  /** Restarts this caller's timeout. Called when another caller reaches the front of the queue. */
  restartTimer(): void;
}

const queues = new Map<string, Caller[]>();

/** The maximum duration of a request, not counting its waits. The service ends a Parquet answer after five minutes. */
export const LONGEST_REQUEST_MS = 300_000;

/**
 * Waits until no earlier caller uses `interfaceName` with `key`. Returns a function that frees the place and may be
 * called more than once. Rejects with the signal's reason if the signal aborts first, and with `Unavailable` if one
 * earlier caller takes longer than `longestMs`, such as a stream that is neither read nor cancelled.
 */
export async function takePlace(
  key: string,
  interfaceName: string,
  signal: AbortSignal | undefined,
  longestMs: number = LONGEST_REQUEST_MS,
): Promise<() => void> {
  signal?.throwIfAborted();
  const name = `${interfaceName}\n${key}`;
  const queue = queues.get(name) ?? [];
  queues.set(name, queue);
  const caller: Caller = { start: () => undefined, restartTimer: () => undefined };
  queue.push(caller);
  const done = () => leave(name, queue, caller);
  if (queue[0] === caller) return done;
  const tooLong = new Unavailable(
    `another request of this key has been busy for ${Math.round(longestMs / 1000)} s: ` +
      "read or cancel its stream, or abort it",
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort = () => reject(signal?.reason);
      caller.start = resolve;
      caller.restartTimer = () => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(tooLong), longestMs);
      };
      caller.restartTimer();
      signal?.addEventListener("abort", onAbort, { once: true });
    });
    return done;
  } catch (reason) {
    done();
    throw reason;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function leave(name: string, queue: Caller[], caller: Caller): void {
  const place = queue.indexOf(caller);
  if (place === -1) return;
  queue.splice(place, 1);
  if (queue.length === 0) queues.delete(name);
  if (place > 0) return;
  queue[0]?.start();
  for (const waiting of queue.slice(1)) waiting.restartTimer();
}
