/**
 * The gate object of an earlier version, which could not keep a release in memory. Every call reads and stores the row,
 * and a release returns undefined. Tests compare this object with the current one and run both on the same storage.
 */
import { RpcTarget } from "cloudflare:workers";
import { acquire, emptyRow, type GateRow, release, stateOf } from "../../src/gate/lease.ts";
import type {
  AcquireRequest,
  GateGrant,
  GateRefused,
  GateState,
  ReleaseRequest,
} from "../../src/gate/protocol.ts";

class FormerLease extends RpcTarget {
  readonly #end: (request: ReleaseRequest) => void;

  constructor(end: (request: ReleaseRequest) => void) {
    super();
    this.#end = end;
  }

  release(request: ReleaseRequest): void {
    this.#end(request);
  }

  [Symbol.dispose](): void {
    this.#end({ credit: false });
  }
}

export class FormerGate {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS gate (one INTEGER PRIMARY KEY CHECK (one = 1), row TEXT NOT NULL) STRICT",
    );
  }

  acquire(
    ask: AcquireRequest,
    id: string = crypto.randomUUID(),
  ): (GateGrant & { lease: FormerLease }) | GateRefused {
    const answer = this.#change((row) => {
      const step = acquire(row, ask, id, Date.now());
      return [step.row, step.answer];
    });
    return "reason" in answer
      ? answer
      : { ...answer, lease: new FormerLease((request) => this.release(id, request)) };
  }

  release(id: string, request: ReleaseRequest): void {
    this.#change((row) => [release(row, id, request), undefined]);
  }

  state(): GateState {
    return stateOf(this.#read(), Date.now());
  }

  #read(): GateRow {
    const stored = this.#storage.sql.exec<{ row: string }>("SELECT row FROM gate").toArray()[0];
    return stored === undefined ? emptyRow(Date.now()) : JSON.parse(stored.row);
  }

  #change<T>(step: (row: GateRow) => [GateRow, T]): T {
    return this.#storage.transactionSync(() => {
      const row = this.#read();
      const [next, answer] = step(row);
      if (next !== row)
        this.#storage.sql.exec("INSERT OR REPLACE INTO gate VALUES (1, ?)", JSON.stringify(next));
      return answer;
    });
  }
}
