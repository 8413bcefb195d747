/**
 * An independent model of the gate. It lists every request and refund; the gate keeps counters in a stored row instead.
 * Like the Durable Object, the model can store its state and restart from the stored state.
 */
import type { AcquireRequest, GateKind, GateState } from "../../src/gate/protocol.ts";

const BEIJING_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;

/** One accepted request and its state. */
interface Served {
  requestId: string;
  kind: GateKind;
  grantId: string;
  dayNumber: number;
  paid: boolean;
  ended: boolean;
}

interface Truth {
  dayNumber: number;
  /** All accepted requests in the order of their latest grant. */
  served: Served[];
  /** The day of every charge that was credited. */
  refunds: number[];
  inside: { who: Served; grantId: string; leavesAtMs: number } | null;
}

export class GateModel {
  #truth: Truth;
  #stored: Truth;

  /** Creates a new gate at `nowMs`. */
  constructor(nowMs: number) {
    this.#truth = { dayNumber: dayNumberOf(nowMs), served: [], refunds: [], inside: null };
    this.#stored = structuredClone(this.#truth);
  }

  /** Stores the current state. */
  store(): void {
    this.#stored = structuredClone(this.#truth);
  }

  /** Discards memory and continues from storage. */
  restart(): void {
    this.#truth = structuredClone(this.#stored);
  }

  /** Returns the expected answer as text: the refusal, or today's counts including this request. */
  acquire(ask: AcquireRequest, grantId: string, nowMs: number): string {
    this.#look(nowMs);
    const truth = this.#truth;
    const known = this.#remembered().find((one) => one.requestId === ask.requestId);
    const { inside } = truth;
    if (inside !== null && nowMs < inside.leavesAtMs && inside.who.requestId !== ask.requestId) {
      if (known !== undefined && !known.ended) this.#giveBack(known);
      return "slot_busy";
    }
    let who = known;
    if (who === undefined || !who.paid) {
      if (this.#used() + 1 > (ask.limits.requests ?? Infinity)) return "requests";
      if (ask.kind === "parquet" && this.#used("parquet") + 1 > (ask.limits.files ?? Infinity))
        return "files";
      const { requestId, kind } = ask;
      who = { requestId, kind, grantId, dayNumber: truth.dayNumber, paid: true, ended: false };
    }
    who.grantId = grantId;
    truth.served = [...truth.served.filter((one) => one !== known), who];
    truth.inside = { who, grantId, leavesAtMs: nowMs + ask.boundMs };
    return `in: ${this.#used()} requests, ${this.#used("parquet")} files`;
  }

  /** Ends a request; `id` is a grant's or a request's id. */
  release(id: string, { credit, hasOutcome }: { credit: boolean; hasOutcome: boolean }): void {
    const { inside } = this.#truth;
    if (inside !== null && [inside.grantId, inside.who.requestId].includes(id)) this.#truth.inside = null;
    const who = this.#remembered().find((one) => one.grantId === id || one.requestId === id);
    if (who === undefined) return;
    if (credit) this.#giveBack(who);
    if (hasOutcome) who.ended = true;
  }

  /** Frees the slot, as an operator does. */
  free(): void {
    this.#truth.inside = null;
  }

  /** Returns how `seen` differs from the expected state at `nowMs`; null if it does not differ. */
  differenceTo(seen: GateState, nowMs: number): string | null {
    this.#look(nowMs);
    const { inside, refunds, dayNumber } = this.#truth;
    const isHeld = inside !== null && nowMs < inside.leavesAtMs;
    const due = {
      holder: isHeld ? inside.who.requestId : null,
      requests: this.#used(),
      files: this.#used("parquet"),
      credited: refunds.filter((day) => day === dayNumber).length,
      ended: this.#remembered().filter((one) => one.ended).length,
      charged: this.#remembered().map((one) => one.paid),
    };
    const told = {
      holder: seen.holder?.requestId ?? null,
      requests: seen.use.requests,
      files: seen.use.files,
      credited: seen.credited?.requests,
      ended: seen.last.length,
      charged: seen.grants?.map((grant) => grant.charged),
    };
    const [due_, told_] = [JSON.stringify(due), JSON.stringify(told)];
    return due_ === told_ ? null : `the gate says ${told_}, the model ${due_}`;
  }

  #look(nowMs: number): void {
    this.#truth.dayNumber = Math.max(this.#truth.dayNumber, dayNumberOf(nowMs));
  }

  /** Counts all charged requests of the day, whether or not the row still lists them. */
  #used(kind?: GateKind): number {
    const { served, dayNumber } = this.#truth;
    return served.filter((one) => one.paid && one.dayNumber === dayNumber && (kind ?? one.kind) === one.kind)
      .length;
  }

  #giveBack(who: Served): void {
    if (who.paid) this.#truth.refunds.push(who.dayNumber);
    who.paid = false;
  }

  #remembered(): Served[] {
    return this.#truth.served.slice(-20);
  }
}

function dayNumberOf(nowMs: number): number {
  return Math.floor((nowMs + BEIJING_MS) / DAY_MS);
}
