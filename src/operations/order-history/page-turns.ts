/**
 * An isolate computes one thing at a time, and the runtime looks for new requests only when it has done all it knows
 * of. With more pages than it can make, a refusal, a share's file and `/health` would stand behind all of them. So
 * an isolate makes a few pages at a time, the others wait in the order they came, and between two the runtime looks.
 * The pages lose nothing by it: the isolate is as busy as before.
 */

import { inTime } from "../../base/in-time.ts";
import { gone } from "../../gate/hold-body.ts";

const PAGES_AT_ONCE = 4;
/** A page counts for no longer, so that a slow R2 holds up nobody else: 80 pages a second begin at least. */
const COUNTED_MS = 50;

/** Who may wait: for how long, and whether anybody still wants the page. */
export interface TurnAsk {
  /** Milliseconds from now within which a turn must come. */
  ms: number;
  /** The request's own signal: a client that has gone leaves its place to the next. */
  signal: AbortSignal;
}

interface Turn {
  begin(): void;
  /** Unix milliseconds at which it no longer counts, also when its request died without a word. */
  countsUntilMs: number;
}

/** So many at a time, first come, first served. Of one isolate: nothing of it is shared or stored. */
export class Turns {
  readonly #atOnce: number;
  readonly #begun = new Set<Turn>();
  readonly #waiting = new Set<Turn>();

  /** `atOnce` turns at a time, 1 or more. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits for a turn and returns what ends it, to be called on every path. Null when the client has gone meanwhile:
   * then there is nothing to end. Throws when no turn came in time.
   */
  async enter(ask: TurnAsk): Promise<(() => void) | null> {
    if (ask.signal.aborted) return null;
    const turn: Turn = { begin: () => undefined, countsUntilMs: Number.POSITIVE_INFINITY };
    const came = new Promise<"come">((resolve) => {
      turn.begin = () => resolve("come");
    });
    this.#waiting.add(turn);
    this.#beginNext();
    if (this.#waiting.has(turn)) {
      if (!(await this.#waitFor(came, turn, ask))) return null;
      // Timers fire when the runtime has looked for what is new.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const counted = setTimeout(() => this.#end(turn), COUNTED_MS);
    return () => {
      clearTimeout(counted);
      this.#end(turn);
    };
  }

  /**
   * Another request's end begins the turn. The platform goes on with this one in its own context; the timer keeps it
   * alive meanwhile, and ends the wait if that call never comes.
   */
  async #waitFor(came: Promise<"come">, turn: Turn, { ms, signal }: TurnAsk): Promise<boolean> {
    let hasCome = false;
    try {
      hasCome = (await inTime(Promise.race([came, gone(signal)]), ms)) === "come";
    } finally {
      if (!hasCome) this.#end(turn);
    }
    return hasCome;
  }

  #end(turn: Turn): void {
    this.#waiting.delete(turn);
    this.#begun.delete(turn);
    this.#beginNext();
  }

  #beginNext(): void {
    const nowMs = Date.now();
    for (const turn of this.#begun) if (turn.countsUntilMs <= nowMs) this.#begun.delete(turn);
    for (const turn of this.#waiting) {
      if (this.#begun.size >= this.#atOnce) return;
      this.#waiting.delete(turn);
      this.#begun.add(turn);
      turn.countsUntilMs = nowMs + COUNTED_MS;
      turn.begin();
    }
  }
}

/** The turns of this isolate's pages. */
export const pageTurns = new Turns(PAGES_AT_ONCE);
