/**
 * Limits the pages that an isolate computes concurrently. The runtime accepts new requests only when all pending work
 * is done, so under load, refusals, share files and `/health` would queue behind every page. An isolate therefore makes
 * a few pages at a time; the others wait in order of arrival, and the runtime accepts requests in between. Throughput
 * does not change.
 */

import { gone, inTime } from "../../base/in-time.ts";

const PAGES_AT_ONCE = 4;
/**
 * The longest time that a page holds a permit, so that a page whose request ends without releasing it does not block
 * others. A page's bytes have arrived before it takes a permit.
 */
const COUNTED_MS = 50;

interface Permit extends PromiseWithResolvers<"come"> {
  /** When the permit expires (Unix milliseconds), even if its request has not released it. */
  countsUntilMs: number;
}

/** Issues a limited number of permits at a time in order of arrival, within one isolate. */
export class Permits {
  readonly #atOnce: number;
  readonly #begun = new Set<Permit>();
  readonly #waiting = new Set<Permit>();

  /** Issues at most `atOnce` permits at a time; `atOnce` is at least 1. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits for a permit and returns the function that releases it, which must be called on every path. Returns null if
   * the client disconnects first (the request's `signal`). Throws when no permit is available within `ms`.
   */
  async enter({ ms, signal }: { ms: number; signal: AbortSignal }): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    const permit = { ...Promise.withResolvers<"come">(), countsUntilMs: Number.POSITIVE_INFINITY };
    this.#waiting.add(permit);
    this.#beginNext();
    if (this.#waiting.has(permit)) {
      let how: "come" | "client_gone" | "late" = "late";
      try {
        // After another request has released its permit, the platform resumes this request in this request's own
        // context. The timer keeps that context alive during the wait.
        how = await inTime(Promise.race([permit.promise, gone(signal)]), ms);
      } finally {
        if (how !== "come") this.#end(permit);
      }
      if (how !== "come") return null;
      // Waits for a timer, because the runtime accepts new requests before it fires a timer.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const counted = setTimeout(() => this.#end(permit), COUNTED_MS);
    return () => {
      clearTimeout(counted);
      this.#end(permit);
    };
  }

  #end(permit: Permit): void {
    this.#waiting.delete(permit);
    this.#begun.delete(permit);
    this.#beginNext();
  }

  #beginNext(): void {
    const nowMs = Date.now();
    for (const permit of this.#begun) if (permit.countsUntilMs <= nowMs) this.#begun.delete(permit);
    for (const permit of this.#waiting) {
      if (this.#begun.size >= this.#atOnce) return;
      this.#waiting.delete(permit);
      this.#begun.add(permit);
      permit.countsUntilMs = nowMs + COUNTED_MS;
      permit.resolve("come");
    }
  }
}

/** The permits for this isolate's pages. */
export const pagePermits = new Permits(PAGES_AT_ONCE);
