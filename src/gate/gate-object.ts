/**
 * The slot and quota counter of one account and interface (design 5): a Durable Object with one row.
 * Everything it decides is in `lease.ts`; here are the clock, the storage and the caller's handle.
 */
import { DurableObject, RpcTarget } from "cloudflare:workers";
import { type Env, nowMs, settingsOf } from "../env.ts";
import { acquire, credit, emptyRow, free, type GateRow, release, stateOf } from "./lease.ts";
import type {
  AcquireRequest,
  GateGrant,
  GateRefusal,
  GateState,
  OperatorCredit,
  ReleaseRequest,
} from "./protocol.ts";

/**
 * The caller's handle on its grant. The runtime disposes it when the caller's context ends, in whatever
 * way, so a worker that throws or is killed frees the slot without having to do anything.
 */
export class Lease extends RpcTarget {
  readonly #end: (request: ReleaseRequest) => void;

  constructor(end: (request: ReleaseRequest) => void) {
    super();
    this.#end = end;
  }

  /** Ends the request. Saying it again does nothing. */
  release(request: ReleaseRequest): void {
    this.#end(request);
  }

  [Symbol.dispose](): void {
    this.#end({ credit: false });
  }
}

export class Gate extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  // Parsed once: `settingsOf` keeps one environment only, and the worker in the same isolate has another.
  readonly #settings = settingsOf(this.env);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS gate (one INTEGER PRIMARY KEY CHECK (one = 1), row TEXT NOT NULL) STRICT",
    );
  }

  /**
   * Takes the slot and counts the request, or says why not. Synchronous to the end: with an `await` in
   * it, a second request could be let in between the look and the write.
   */
  acquire(ask: AcquireRequest): (GateGrant & { lease: Lease }) | GateRefusal {
    const id = crypto.randomUUID();
    const answer = this.#change((row, now) => {
      const step = acquire(row, ask, id, now);
      return [step.row, step.answer];
    });
    return "reason" in answer
      ? answer
      : { ...answer, lease: new Lease((request) => this.release(id, request)) };
  }

  /** Ends the grant `id` for a caller whose lease no longer works. Idempotent, like the lease's release. */
  release(id: string, request: ReleaseRequest): void {
    this.#change((row) => [release(row, id, request), undefined]);
  }

  /** Today's counters, the holder and the last requests. */
  state(): GateState {
    const now = this.#now();
    return stateOf(this.#read(now), now);
  }

  /** The operator frees the slot, whoever holds it. */
  free(): void {
    this.#change((row) => [free(row), undefined]);
  }

  /** The operator gives counts of today back. */
  credit(given: OperatorCredit): GateState {
    return this.#change((row, now) => {
      const next = credit(row, given, now);
      return [next, stateOf(next, now)];
    });
  }

  #now(): number {
    return nowMs(this.#settings);
  }

  #read(now: number): GateRow {
    const stored = this.#sql.exec<{ row: string }>("SELECT row FROM gate").toArray()[0];
    return stored === undefined ? emptyRow(now) : JSON.parse(stored.row);
  }

  /** Reads, steps and writes in one transaction; an unchanged row costs no write. */
  #change<T>(step: (row: GateRow, now: number) => [GateRow, T]): T {
    return this.ctx.storage.transactionSync(() => {
      const now = this.#now();
      const row = this.#read(now);
      const [next, answer] = step(row, now);
      if (next !== row) this.#sql.exec("INSERT OR REPLACE INTO gate VALUES (1, ?)", JSON.stringify(next));
      return answer;
    });
  }
}
