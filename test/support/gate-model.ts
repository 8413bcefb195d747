/**
 * What a gate must do, told independently: lists of what happened instead of counters and a row. It also holds
 * what storage knows, so that it can stand where the object stands after a restart.
 */
import type { AcquireRequest, GateKind, GateState } from "../../src/gate/protocol.ts";

const BEIJING_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;

/** One request that was let in, and everything that is true of it. */
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
  /** Everyone ever let in, in the order of the latest grant. */
  served: Served[];
  /** The day of every charge that the service or a late answer gave back. */
  refunds: number[];
  inside: { who: Served; grantId: string; leavesAtMs: number } | null;
}

export class GateModel {
  #truth: Truth;
  #stored: Truth;

  /** A gate that has not been asked for anything, at `nowMs`. */
  constructor(nowMs: number) {
    this.#truth = { dayNumber: dayNumberOf(nowMs), served: [], refunds: [], inside: null };
    this.#stored = structuredClone(this.#truth);
  }

  /** Storage knows everything now. */
  store(): void {
    this.#stored = structuredClone(this.#truth);
  }

  /** Memory is gone: what storage knows is all there is. */
  restart(): void {
    this.#truth = structuredClone(this.#stored);
  }

  /** The answer in view: who is refused and why, or today's counts with this one. */
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

  /** `id` is a grant's or a request's. */
  release(id: string, { credit, hasOutcome }: { credit: boolean; hasOutcome: boolean }): void {
    const { inside } = this.#truth;
    if (inside !== null && [inside.grantId, inside.who.requestId].includes(id)) this.#truth.inside = null;
    const who = this.#remembered().find((one) => one.grantId === id || one.requestId === id);
    if (who === undefined) return;
    if (credit) this.#giveBack(who);
    if (hasOutcome) who.ended = true;
  }

  /** The operator frees the slot. */
  free(): void {
    this.#truth.inside = null;
  }

  /** What `seen` differs in from what must be told at `nowMs`, or null. */
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

  /** Counted by looking at everyone who paid on the day, whether remembered or not. */
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
