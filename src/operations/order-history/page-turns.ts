/**
 * An isolate has 128 MB for all requests it serves at a time, and a page of 10,000 rows needs some of them while it
 * is read and written. So an isolate makes a few pages at a time; the others wait for their turn in the order
 * they came. Nobody waits longer by it, for the isolate computes one thing at a time anyway, and whatever is no page
 * (a refusal, a share's file, `/health`) no longer stands behind all pages that came before.
 */
import { inTime } from "../../http/in-time.ts";

/** At about 4 MB a page, half of an isolate. Enough to compute some while R2 is asked for others. */
const PAGES_AT_ONCE = 16;

/** Who may wait: until when, and whether anybody still wants the page. */
export interface TurnAsk {
  /** Milliseconds from now within which the page must be made. */
  ms: number;
  /** The request's own signal: a client that has gone leaves its place to the next. */
  signal: AbortSignal;
}

interface Turn {
  /** Unix milliseconds at which it counts as over, also when its request died without a word. */
  endsAtMs: number;
  begin(): void;
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
  async enter({ ms, signal }: TurnAsk): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    const turn: Turn = { endsAtMs: Date.now() + ms, begin: () => undefined };
    const leave = () => this.#leave(turn);
    // Another request's end calls `begin`. The platform goes on with this request in its own context; the timer of
    // `inTime` keeps it alive, and ends the wait if that call never comes.
    const came = new Promise<() => void>((resolve) => {
      turn.begin = () => resolve(leave);
    });
    const hasGone = new Promise<null>((resolve) => {
      signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    this.#waiting.add(turn);
    this.#beginNext();
    try {
      const entered = await inTime(Promise.race([came, hasGone]), ms);
      if (entered === null) leave();
      return entered;
    } catch (late) {
      leave();
      throw late;
    }
  }

  #leave(turn: Turn): void {
    this.#waiting.delete(turn);
    this.#begun.delete(turn);
    this.#beginNext();
  }

  #beginNext(): void {
    for (const turn of this.#begun) if (turn.endsAtMs <= Date.now()) this.#begun.delete(turn);
    for (const turn of this.#waiting) {
      if (this.#begun.size >= this.#atOnce) return;
      this.#waiting.delete(turn);
      this.#begun.add(turn);
      turn.begin();
    }
  }
}

/** The turns of this isolate's pages. */
export const pageTurns = new Turns(PAGES_AT_ONCE);
