/** How long to wait, and when to stop: `Retry-After`, backoff after broken connections, the bound on both. */
import { ConnectionFailed, type ServiceError } from "./errors.ts";

/** Broken connections in a row that end a call. */
const MAX_FAILURES = 8;

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/** Replaced by tests, which do not wait. */
export const clock = { sleep };

/** Milliseconds of a `Retry-After` header (whole seconds, or an HTTP date); null for what is neither. */
export function parseRetryAfter(value: string | null, nowMs = Date.now()): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/** The waiting of one call: all its waits together take at most `maxWaitMs`. */
export class Patience {
  #leftMs: number;
  #failures = 0;

  constructor(maxWaitMs: number) {
    this.#leftMs = maxWaitMs;
  }

  /** Broken connections in a row so far. */
  get failures(): number {
    return this.#failures;
  }

  /** Forgets earlier failures: something arrived. */
  progressed(): void {
    this.#failures = 0;
  }

  /**
   * Waits as long as the service said, and up to a fifth more, so that callers do not come back together.
   * Throws `refusal` when that would exceed what is left.
   */
  async waitTold(ms: number, refusal: ServiceError, signal: AbortSignal | undefined): Promise<void> {
    if (ms > this.#leftMs) throw refusal;
    await this.#wait(ms + Math.random() * Math.max(50, ms / 5), signal);
  }

  /**
   * Waits after a broken connection, longer each time; not at all with `atOnce` (another address is next).
   * Throws `ConnectionFailed` after 8 in a row, or when nothing is left to wait.
   */
  async waitFailed(
    error: unknown,
    where: string,
    { signal, atOnce = false }: { signal: AbortSignal | undefined; atOnce?: boolean },
  ): Promise<void> {
    this.#failures++;
    if (this.#failures >= MAX_FAILURES || this.#leftMs <= 0) {
      throw new ConnectionFailed(
        `gave up after ${this.#failures} failed connections; the last one, to ${where}: ${told(error)}`,
        undefined,
        { cause: error },
      );
    }
    if (atOnce) return;
    const step = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#failures - 1));
    await this.#wait(step * (0.75 + Math.random() / 2), signal);
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

/** Resolves after `ms`; rejects with the signal's reason when it fires first. */
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
