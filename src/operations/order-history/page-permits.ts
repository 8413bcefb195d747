/**
 * An isolate computes one thing at a time, and the runtime looks for new requests only when it has done all it knows
 * of. With more pages than it can make, a refusal, a share's file and `/health` would queue behind all of them. So
 * an isolate makes a few pages at a time, the others wait in the order they came, and between two the runtime looks.
 * The pages lose nothing by it: the isolate is as busy as before.
 */

import { gone, inTime } from "../../base/in-time.ts";

const PAGES_AT_ONCE = 4;
/** A page counts for no longer: one that dies while it is made holds up no other. Its bytes are there before it begins. */
const COUNTED_MS = 50;

/** Who may wait: for how long, and whether anybody still wants the page. */
export interface PermitRequest {
  /** Milliseconds from now within which a permit must come. */
  ms: number;
  /** The request's own signal: a client that has gone leaves its place to the next. */
  signal: AbortSignal;
}

interface Permit {
  begin(): void;
  /** Unix milliseconds at which it no longer counts, also when its request died without a word. */
  countsUntilMs: number;
}

/** So many at a time, first come, first served. Of one isolate: nothing of it is shared or stored. */
export class Permits {
  readonly #atOnce: number;
  readonly #begun = new Set<Permit>();
  readonly #waiting = new Set<Permit>();

  /** `atOnce` permits at a time, 1 or more. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits for a permit and returns what ends it, to be called on every path. Null when the client has gone meanwhile:
   * then there is nothing to end. Throws when no permit came in time.
   */
  async enter(ask: PermitRequest): Promise<(() => void) | null> {
    if (ask.signal.aborted) return null;
    const permit: Permit = { begin: () => undefined, countsUntilMs: Number.POSITIVE_INFINITY };
    const came = new Promise<"come">((resolve) => {
      permit.begin = () => resolve("come");
    });
    this.#waiting.add(permit);
    this.#beginNext();
    if (this.#waiting.has(permit)) {
      if (!(await this.#waitFor(came, permit, ask))) return null;
      // Timers fire when the runtime has looked for what is new.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const counted = setTimeout(() => this.#end(permit), COUNTED_MS);
    return () => {
      clearTimeout(counted);
      this.#end(permit);
    };
  }

  /**
   * Another request's end begins the permit. The platform goes on with this one in its own context; the timer keeps it
   * alive meanwhile, and ends the wait if that call never comes.
   */
  async #waitFor(came: Promise<"come">, permit: Permit, { ms, signal }: PermitRequest): Promise<boolean> {
    let hasCome = false;
    try {
      hasCome = (await inTime(Promise.race([came, gone(signal)]), ms)) === "come";
    } finally {
      if (!hasCome) this.#end(permit);
    }
    return hasCome;
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
      permit.begin();
    }
  }
}

/** The permits of this isolate's pages. */
export const pagePermits = new Permits(PAGES_AT_ONCE);
