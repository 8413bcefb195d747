/**
 * Limits the memory that answers use in an isolate. An isolate has 128 MB in total. Without a limit, clients that
 * request much and read nothing would use all of it, and the platform would end the isolate and all its requests.
 * Memory for an answer is therefore reserved before the answer is made, and stays reserved until its body has ended.
 */
import { gone, inTime } from "./in-time.ts";
import { ok, type Result, refused } from "./result.ts";

/** The maximum number of bytes that all answers of an isolate may hold together. */
const MAX_BYTES = 64_000_000;

/**
 * How long a client may leave a piece of its response unread while other requests wait for memory. After that time, the
 * response may be aborted.
 */
const IDLE_MS = 5_000;

/** How often a waiting request checks for free memory. */
const LOOK_MS = 500;

/** A limit for a group of answers, such as all answers for one account. */
export interface MemoryPart {
  name: string;
  maxBytes: number;
}

export interface MemoryAsk {
  /** The maximum number of bytes that the answer will hold. */
  bytes: number;
  /** The groups of answers that this answer belongs to. */
  parts: readonly MemoryPart[];
  /** How long the request may wait for memory, in milliseconds. */
  waitMs: number;
  /**
   * The maximum duration of the reservation in milliseconds. After that, the memory is freed, even if the request died
   * without ending the reservation.
   */
  holdMs: number;
  /** The request's signal. When it aborts, the client has disconnected and the wait ends. */
  signal: AbortSignal;
}

/**
 * Why no memory was reserved. `part_full`: this answer and the open bodies of a group would together exceed the
 * group's limit. `part_busy`: they would exceed it only together with the answers of the group that are waiting or
 * being made. `full`: the isolate's memory is used up. `client_gone`: the client disconnected.
 */
export type MemoryRefusal = "part_full" | "part_busy" | "full" | "client_gone";

/** The reserved memory of one answer. The holder must end it on every path. */
export interface Reservation {
  /** The bytes that the reservation holds now. */
  readonly bytes: number;
  /**
   * Resolves when the client has left a piece unread for 5 s while other requests waited for memory. The holder must
   * then abort the body.
   */
  readonly wanted: Promise<void>;
  /**
   * Reports that a piece waits for the client to read it. `leftBytes` of the body, including this piece, are in memory.
   */
  sending(leftBytes: number): void;
  /**
   * Reports that the client has taken every piece offered so far. `leftBytes` of the body are still in memory. The first
   * call reports that the answer has been made.
   */
  sent(leftBytes: number): void;
  /** Extends the reservation to `holdMs` from now. */
  prolong(holdMs: number): void;
  /** Ends the reservation. Idempotent. */
  end(): void;
  /** Ends the reservation unless a body has begun. Call it after a request was refused or has failed. */
  endUnsent(): void;
}

/** Reserves memory for answers in order of arrival. */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #held = new Set<Held>();
  readonly #waiting = new Set<Waiting>();
  /** The reserved and requested bytes of each group, by name. */
  readonly #ofPart = new Map<string, number>();
  #heldBytes = 0;
  /**
   * The budget's own clock in milliseconds, which measures how long a body is unread. It advances only while requests
   * wait for memory and the isolate is not too busy to notice what clients read.
   */
  #watchedMs = 0;
  #lookedMs = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the bytes of all reservations. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Reserves memory for an answer, waiting in order of arrival. Refuses at once when the answer would exceed the limit
   * of one of its groups. Also refuses when the memory does not become free within `waitMs` or the client disconnects.
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
    const nowMs = Date.now();
    if (this.#waiting.size === 0) this.#lookedMs = nowMs;
    const came = Promise.withResolvers<void>();
    const waiting: Waiting = { ask, untilMs: nowMs + waitMs, came, admitted: null };
    this.#waiting.add(waiting);
    this.#admit();
    return waiting.admitted === null ? this.#waitFor(waiting) : ok(waiting.admitted);
  }

  /**
   * Waits until this request is admitted, usually by another request when that one ends. The platform then resumes this
   * request in this request's own context, which the timer keeps alive during the wait.
   */
  async #waitFor(waiting: Waiting): Promise<Result<Reservation, MemoryRefusal>> {
    const { signal } = waiting.ask;
    const either = Promise.race([waiting.came.promise, gone(signal)]);
    while (waiting.admitted === null && !signal.aborted) {
      const leftMs = waiting.untilMs - Date.now();
      if (leftMs <= 0) break;
      await inTime(either, Math.min(leftMs, LOOK_MS)).catch(() => undefined);
      this.#look();
      this.#admit();
    }
    if (waiting.admitted !== null) return ok(waiting.admitted);
    this.#giveUp(waiting);
    this.#admit();
    return refused(signal.aborted ? "client_gone" : "full");
  }

  /**
   * Admits waiting requests in order of arrival while memory is available, and frees the memory of unread bodies for
   * them.
   */
  #admit(): void {
    for (const waiting of this.#waiting) {
      const { bytes } = waiting.ask;
      // The request's context ended during the wait. Otherwise the request would have left the queue at its deadline.
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

  /**
   * Advances the budget's clock by the time since the last check, but by at most 1 s, twice the interval between
   * checks. An isolate that was busy for longer did not notice what clients read.
   */
  #look(): void {
    const nowMs = Date.now();
    this.#watchedMs += Math.min(2 * LOOK_MS, nowMs - this.#lookedMs);
    this.#lookedMs = nowMs;
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
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>();
    const tell = (leftBytes: number, unreadSinceMs: number | null) => {
      held.isBody = true;
      held.unreadSinceMs = unreadSinceMs;
      this.#resize(held, leftBytes);
    };
    const held: Held = {
      parts,
      bytes,
      wanted,
      want,
      countsUntilMs: Date.now() + holdMs,
      isBody: false,
      unreadSinceMs: null,
      sending: (leftBytes) => tell(leftBytes, this.#watchedMs),
      sent: (leftBytes) => tell(leftBytes, null),
      prolong: (forMs) => {
        held.countsUntilMs = Date.now() + forMs;
      },
      end: () => {
        this.#release(held);
        this.#admit();
      },
      endUnsent: () => {
        if (!held.isBody) held.end();
      },
    };
    this.#held.add(held);
    this.#heldBytes += bytes;
    return held;
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

  /**
   * Frees the memory of bodies that have been unread for 5 s or more, the longest unread first, until `bytes` are
   * available. Frees nothing if that would not be enough.
   */
  #releaseIdle(bytes: number): void {
    const untilMs = this.#watchedMs - IDLE_MS;
    const idle = [...this.#held].filter((held) => unreadSince(held) <= untilMs);
    const idleBytes = idle.reduce((sum, held) => sum + held.bytes, 0);
    if (this.#lacks(bytes - idleBytes)) return;
    for (const held of idle.sort((a, b) => unreadSince(a) - unreadSince(b))) {
      if (!this.#lacks(bytes)) return;
      this.#release(held);
      held.want();
    }
  }
}

/** A reservation with the properties that only the budget uses. */
interface Held extends Reservation {
  parts: readonly MemoryPart[];
  bytes: number;
  /** When the reservation expires (Unix milliseconds). */
  countsUntilMs: number;
  isBody: boolean;
  /** When the present piece began to wait for the client, by the budget's own clock; null when no piece waits. */
  unreadSinceMs: number | null;
  /** Resolves `wanted`. */
  want(): void;
}

function unreadSince({ unreadSinceMs }: Held): number {
  return unreadSinceMs ?? Number.POSITIVE_INFINITY;
}

interface Waiting {
  ask: MemoryAsk;
  /** When the wait ends (Unix milliseconds). */
  untilMs: number;
  came: PromiseWithResolvers<void>;
  admitted: Reservation | null;
}

/** The memory of this isolate's answers. */
export const answerMemory = new MemoryBudget(MAX_BYTES);

/**
 * Returns the limit for the answers of an account: a quarter of all memory, so that the unread bodies of one account
 * leave the rest to other accounts.
 */
export function partOfAccount(accountId: string): MemoryPart {
  return { name: `account ${accountId}`, maxBytes: MAX_BYTES / 4 };
}
