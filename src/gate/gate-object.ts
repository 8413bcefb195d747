/**
 * The slot and quota counter of one account and interface (contract 2.4, 7.3): a Durable Object with one row.
 * `lease.ts` makes every decision; this file adds the clock, memory, storage and the caller's handle.
 *
 * A grant is stored before the caller gets it. While a caller is paging, the end of a grant may stay in memory until it
 * is stored together with the next grant. `README.md` explains why no end can be lost.
 */
import { DurableObject, RpcTarget } from "cloudflare:workers";
import { writeUsage } from "../catalog/usage.ts";
import { type Env, nowMs, settingsOf } from "../env.ts";
import {
  acquire,
  afterWrite,
  credit,
  emptyRow,
  free,
  type GateRow,
  planWrite,
  release,
  stateOf,
  unwrittenDays,
} from "./lease.ts";
import {
  type AcquireRequest,
  type Counts,
  type GateGrant,
  type GateRefused,
  type GateState,
  isRefused,
  type ReleaseAnswer,
  type ReleaseRequest,
} from "./protocol.ts";

/**
 * How long the end of a grant may wait in memory before it is stored. The wait costs $1.56 per million seconds, and the
 * write that it can save $1.00 per million writes (prices of 2026): beyond 640 ms it costs more than it saves.
 */
const CARRY_MS = 500;

/** After a restart of the object, a worker whose lease has broken calls the restarted object within this time. */
const JUST_STARTED_MS = 1_000;

/**
 * The caller's handle on its grant. The runtime disposes it when the caller's context ends for any reason, so that a
 * worker that throws or is killed loses its slot. The caller cannot reach the object's other methods through the lease.
 */
class Lease extends RpcTarget {
  readonly #end: Pick<Lease, "release" | "written">;

  constructor(end: Pick<Lease, "release" | "written">) {
    super();
    this.#end = end;
  }

  /** Ends the request. Idempotent. */
  release(request: ReleaseRequest): ReleaseAnswer {
    return this.#end.release(request);
  }

  /** Resolves when the end is stored. Rejects when the object fails before that; the end must then be sent again. */
  written(): Promise<void> {
    return this.#end.written();
  }

  [Symbol.dispose](): void {
    this.#end.release({ credit: false });
  }
}

/** The end of a grant, which waits in memory until it is stored. */
interface Carried {
  grantId: string;
  stored: PromiseWithResolvers<void>;
  timer: ReturnType<typeof setTimeout>;
}

export class Gate extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  // The settings are parsed once, because `settingsOf` caches a single environment, and the worker in the same isolate
  // uses a different one.
  readonly #settings = settingsOf(this.env);
  readonly #startedMs = Date.now();
  /** The current row; storage may lack the end of the grant in `#carried`. A lost write ends the object. */
  #row: GateRow | undefined;
  /** The id of the grant that held the slot when this object started. */
  #heldAtStart: string | undefined;
  #carried: Carried | undefined;
  /** When the last page with a next page ended (Unix milliseconds); undefined after the next accepted request. */
  #pausedMs: number | undefined;
  /** Whether the last pause between two pages was short; the next one is then expected to be short too. */
  #isPaging = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS gate (one INTEGER PRIMARY KEY CHECK (one = 1), row TEXT NOT NULL) STRICT",
    );
  }

  /** Takes the slot and counts the request, or refuses. Synchronous: an `await` could let in a second request. */
  acquire(ask: AcquireRequest): (GateGrant & { lease: Lease }) | GateRefused {
    const now = this.#now();
    const id = crypto.randomUUID();
    const { row, answer } = acquire(this.#read(now), ask, id, now);
    this.#change(row);
    if (isRefused(answer)) {
      const isInherited = row.holder !== null && row.holder.id === this.#heldAtStart;
      const justStarted = isInherited && Date.now() - this.#startedMs < JUST_STARTED_MS;
      return answer.reason === "slot_busy" && justStarted ? { ...answer, justStarted } : answer;
    }
    if (this.#pausedMs !== undefined) this.#isPaging = now - this.#pausedMs <= CARRY_MS;
    this.#pausedMs = undefined;
    const lease = new Lease({
      release: (request) => this.#end(id, request),
      written: async () => (this.#carried?.grantId === id ? this.#carried.stored.promise : undefined),
    });
    return { ...answer, lease };
  }

  /** Ends the grant `id` for a caller whose lease no longer works. Idempotent. */
  release(id: string, request: ReleaseRequest): void {
    this.#change(release(this.#read(this.#now()), id, request), id);
  }

  /** Returns today's counters, the holder and the last requests. */
  state(): GateState {
    const now = this.#now();
    return stateOf(this.#read(now), now);
  }

  /** Frees the slot, regardless of which request holds it. Only operators use this. */
  free(): void {
    this.#change(free(this.#read(this.#now())));
  }

  /** Subtracts `given` from today's counters, never below zero; for operators. */
  credit(given: Counts): GateState {
    const now = this.#now();
    const row = credit(this.#read(now), given, now);
    this.#change(row);
    return stateOf(row, now);
  }

  /**
   * Writes the usage that is not yet in the catalog. After a failure, sets another alarm instead of throwing, because
   * the platform repeats a failed alarm only a few times.
   */
  override async alarm(): Promise<void> {
    const row = this.#read(this.#now());
    const days = unwrittenDays(row);
    try {
      if (row.owner !== undefined) await writeUsage(this.env.DB, row.owner, days);
      this.#write(afterWrite(this.#read(this.#now()), days));
    } catch (error) {
      console.warn(JSON.stringify({ event: "usage_not_written", error: String(error) }));
      this.#write(afterWrite(this.#read(this.#now()), []));
    }
  }

  /** Ends the grant `id` for the holder of its lease. Returns `written: false` when the end is in memory only. */
  #end(id: string, request: ReleaseRequest): ReleaseAnswer {
    const now = this.#now();
    const row = this.#read(now);
    const ended = release(row, id, request);
    if (request.hasMore && row.holder?.id === id) {
      this.#pausedMs = now;
      if (this.#isPaging && !request.credit) {
        this.#row = ended;
        this.#carry(id);
        return { written: false };
      }
    }
    this.#change(ended, id);
    return { written: true };
  }

  #carry(grantId: string): void {
    const timer = setTimeout(() => this.#write(this.#read(this.#now())), CARRY_MS);
    this.#carried = { grantId, stored: Promise.withResolvers(), timer };
  }

  #now(): number {
    return nowMs(this.#settings);
  }

  #read(now: number): GateRow {
    if (this.#row === undefined) {
      const stored = this.#sql.exec<{ row: string }>("SELECT row FROM gate").toArray()[0];
      this.#row = stored === undefined ? emptyRow(now) : (JSON.parse(stored.row) as GateRow);
      this.#heldAtStart = this.#row.holder?.id;
    }
    return this.#row;
  }

  /** Stores `next` if it differs from the current row, or if the end of the grant `endedId` is still only in memory. */
  #change(next: GateRow, endedId?: string): void {
    const isCarried = this.#carried !== undefined && this.#carried.grantId === endedId;
    if (next !== this.#row || isCarried) this.#write(next);
  }

  #write(decided: GateRow): void {
    const row = planWrite(decided, Date.now(), this.#settings.USAGE_EVERY_MS);
    // There is no `await` between the alarm and the row, so that storage commits both in one write.
    if (row.writeAtMs !== decided.writeAtMs && row.writeAtMs !== undefined)
      void this.ctx.storage.setAlarm(row.writeAtMs);
    this.#sql.exec("INSERT OR REPLACE INTO gate VALUES (1, ?)", JSON.stringify(row));
    this.#row = row;
    const carried = this.#carried;
    if (carried === undefined) return;
    this.#carried = undefined;
    clearTimeout(carried.timer);
    carried.stored.resolve();
  }
}
