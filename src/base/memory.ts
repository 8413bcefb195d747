/**
 * The bytes that answers hold in an isolate's memory. An isolate has 128 MB for everything; without a bound, clients
 * that ask for much and read nothing would make it end, with everybody's requests. So what an answer may hold is
 * reserved before it is made, and counts until its body has ended.
 */
import { gone, inTime } from "./in-time.ts";
import { ok, type Result, refused } from "./result.ts";

/** Bytes in flight in one isolate, all answers together. */
const MAX_BYTES = 64_000_000;

/** A client that leaves a piece unread for this long may lose its body when others wait for the space. */
const IDLE_MS = 5_000;

/** How often a request that waits looks whether space became free without being told. */
const LOOK_MS = 500;

/** Some answers together may hold so much of it: those of an account, those of a kind. */
export interface MemoryPart {
  name: string;
  maxBytes: number;
}

export interface MemoryAsk {
  /** The most that the answer will hold. */
  bytes: number;
  /** The parts that it counts to. */
  parts: readonly MemoryPart[];
  /** Milliseconds from now within which there must be space. */
  waitMs: number;
  /** Milliseconds for which the space is taken at most: a request may die without ending its reservation. */
  holdMs: number;
  /** The request's own signal: a client that has gone waits no longer. */
  signal: AbortSignal;
}

/**
 * Why there is no space: bodies hold all that a part may, or only together with answers that are not made yet; the isolate
 * has none; or the client did not wait.
 */
export type MemoryRefusal = "part_full" | "part_busy" | "full" | "client_gone";

/** Space that is taken for one answer. Its holder ends it on every path. */
export interface Reservation {
  /** What it counts now. */
  readonly bytes: number;
  /** Resolves when its client has left a piece unread for 5 s and others need the space: the body is to be broken. */
  readonly wanted: Promise<void>;
  /** A piece of the body waits for the client from now on; `leftBytes` are in memory, itself included. */
  sending(leftBytes: number): void;
  /** No piece waits for the client; `leftBytes` of the body are in memory. Said first when the answer was made. */
  sent(leftBytes: number): void;
  /** It may last for another `holdMs` from now. */
  prolong(holdMs: number): void;
  /** Nothing is in memory any more. Repeating it does nothing. */
  end(): void;
  /** Ends it unless a body has begun: for requests that were refused or failed before. */
  endUnsent(): void;
}

/** Space for answers, first come, first served. */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #held = new Set<Held>();
  readonly #waiting = new Set<Waiting>();
  /** Of each part by its name, what is held and what is waited for. */
  readonly #ofPart = new Map<string, number>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What all reservations count together. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Reserves space for an answer, or waits for it in the order of the requests. Refuses when none becomes free within
   * `waitMs` or the client has gone; at once when one of its parts would hold more than it may.
   */
  async reserve(ask: MemoryAsk): Promise<Result<Reservation, MemoryRefusal>> {
    const { bytes, parts, waitMs, signal } = ask;
    if (signal.aborted) return refused("client_gone");
    this.#releaseExpired();
    const over = parts.find(({ name, maxBytes }) => (this.#ofPart.get(name) ?? 0) + bytes > maxBytes);
    if (over !== undefined) {
      return refused(this.#bodiesOf(over) + bytes > over.maxBytes ? "part_full" : "part_busy");
    }
    this.#count(parts, bytes);
    const waiting = new Waiting(ask, Date.now() + waitMs);
    this.#waiting.add(waiting);
    this.#admit();
    return waiting.admitted === null ? this.#waitFor(waiting) : ok(waiting.admitted);
  }

  /**
   * Another request's end admits this one. The platform goes on with this one in its own context; the timer keeps it
   * alive meanwhile.
   */
  async #waitFor(waiting: Waiting): Promise<Result<Reservation, MemoryRefusal>> {
    const { signal } = waiting.ask;
    const either = Promise.race([waiting.came.promise, gone(signal)]);
    while (waiting.admitted === null && !signal.aborted) {
      const leftMs = waiting.untilMs - Date.now();
      if (leftMs <= 0) break;
      await inTime(either, Math.min(leftMs, LOOK_MS)).catch(() => undefined);
      this.#admit();
    }
    if (waiting.admitted !== null) return ok(waiting.admitted);
    this.#giveUp(waiting);
    this.#admit();
    return refused(signal.aborted ? "client_gone" : "full");
  }

  /** Admits those who wait as far as there is space, and makes some of bodies that are not read. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      const { bytes } = waiting.ask;
      // A request that died while it waited.
      if (waiting.untilMs + LOOK_MS < Date.now()) {
        this.#giveUp(waiting);
        continue;
      }
      if (this.#lacks(bytes)) this.#releaseExpired();
      if (this.#lacks(bytes)) this.#releaseIdle(bytes);
      if (this.#lacks(bytes)) return;
      this.#waiting.delete(waiting);
      waiting.admitted = this.#hold(waiting.ask);
      waiting.came.resolve();
    }
  }

  #bodiesOf({ name }: MemoryPart): number {
    const bodies = [...this.#held].filter(
      ({ isBody, parts }) => isBody && parts.some((part) => part.name === name),
    );
    return bodies.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #giveUp(waiting: Waiting): void {
    const { parts, bytes } = waiting.ask;
    if (this.#waiting.delete(waiting)) this.#count(parts, -bytes);
  }

  #lacks(bytes: number): boolean {
    return this.#heldBytes + bytes > this.#maxBytes;
  }

  #hold({ parts, bytes, holdMs }: MemoryAsk): Reservation {
    const held: Held = {
      parts,
      bytes,
      countsUntilMs: Date.now() + holdMs,
      isBody: false,
      unreadSinceMs: null,
      wanted: Promise.withResolvers<void>(),
    };
    this.#held.add(held);
    this.#heldBytes += bytes;
    const tell = (leftBytes: number, unreadSinceMs: number | null) => {
      held.isBody = true;
      held.unreadSinceMs = unreadSinceMs;
      this.#resize(held, leftBytes);
    };
    const end = () => {
      this.#release(held);
      this.#admit();
    };
    return {
      get bytes() {
        return held.bytes;
      },
      wanted: held.wanted.promise,
      sending: (leftBytes) => tell(leftBytes, Date.now()),
      sent: (leftBytes) => tell(leftBytes, null),
      prolong: (forMs) => {
        held.countsUntilMs = Date.now() + forMs;
      },
      end,
      endUnsent: () => {
        if (!held.isBody) end();
      },
    };
  }

  #resize(held: Held, bytes: number): void {
    const more = bytes - held.bytes;
    if (more === 0 || !this.#held.has(held)) return;
    held.bytes = bytes;
    this.#heldBytes += more;
    this.#count(held.parts, more);
    if (more < 0) this.#admit();
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    this.#heldBytes -= held.bytes;
    this.#count(held.parts, -held.bytes);
    held.bytes = 0;
  }

  #count(parts: readonly MemoryPart[], bytes: number): void {
    for (const { name } of parts) {
      const counted = (this.#ofPart.get(name) ?? 0) + bytes;
      if (counted === 0) this.#ofPart.delete(name);
      else this.#ofPart.set(name, counted);
    }
  }

  #releaseExpired(): void {
    const nowMs = Date.now();
    for (const held of this.#held) if (held.countsUntilMs <= nowMs) this.#release(held);
  }

  /** Takes the space of bodies unread for long, the longest first, until there is enough for `bytes`; none if there is not. */
  #releaseIdle(bytes: number): void {
    const untilMs = Date.now() - IDLE_MS;
    const idle = [...this.#held].filter((held) => unreadSince(held) <= untilMs);
    const idleBytes = idle.reduce((sum, held) => sum + held.bytes, 0);
    if (this.#lacks(bytes - idleBytes)) return;
    for (const held of idle.sort((a, b) => unreadSince(a) - unreadSince(b))) {
      if (!this.#lacks(bytes)) return;
      this.#release(held);
      held.wanted.resolve();
    }
  }
}

interface Held {
  parts: readonly MemoryPart[];
  bytes: number;
  /** Unix milliseconds. */
  countsUntilMs: number;
  isBody: boolean;
  /** Since when the client leaves a piece of the body unread; null: none waits for it. */
  unreadSinceMs: number | null;
  wanted: PromiseWithResolvers<void>;
}

function unreadSince({ unreadSinceMs }: Held): number {
  return unreadSinceMs ?? Number.POSITIVE_INFINITY;
}

class Waiting {
  readonly ask: MemoryAsk;
  /** Unix milliseconds until which it waits. */
  readonly untilMs: number;
  readonly came = Promise.withResolvers<void>();
  admitted: Reservation | null = null;

  constructor(ask: MemoryAsk, untilMs: number) {
    this.ask = ask;
    this.untilMs = untilMs;
  }
}

/** The memory of this isolate's answers. */
export const answerMemory = new MemoryBudget(MAX_BYTES);

/** Returns the part of an account, a quarter of all: what it leaves unread takes no more from the others. */
export function partOfAccount(accountId: string): MemoryPart {
  return { name: `account ${accountId}`, maxBytes: MAX_BYTES / 4 };
}
