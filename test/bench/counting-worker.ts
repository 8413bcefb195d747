/**
 * Runs the service and counts its calls to the stores. `GET /counts` returns the counts since the previous `GET
 * /counts`.
 */
import type { Env } from "../../src/env.ts";
import { Gate as ServedGate } from "../../src/gate/gate-object.ts";
import { Guard as ServedGuard } from "../../src/shares/guard-object.ts";
import worker from "../../src/worker.ts";
import { type StoreCall, watchCaches, watchStores } from "../support/watched-stores.ts";

export * from "../../src/worker.ts";

/** The service's gate; counts the rows that its storage reads and writes. */
export class Gate extends ServedGate {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx), env);
  }
}

/** The service's guard of shares; counts the rows that its storage reads and writes. */
export class Guard extends ServedGuard {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx), env);
  }
}

/**
 * The cursors of the objects' statements since the last `GET /counts`. The row counts of a cursor are complete once it
 * has been read.
 */
let cursors: SqlStorageCursor<never>[] = [];

function countedStorage(ctx: DurableObjectState): DurableObjectState {
  const { sql } = ctx.storage;
  const exec = sql.exec.bind(sql) as (...args: unknown[]) => SqlStorageCursor<never>;
  const counted = (...args: unknown[]) => {
    const cursor = exec(...args);
    cursors.push(cursor);
    return cursor;
  };
  Object.defineProperty(sql, "exec", { value: counted });
  return ctx;
}

/** Round trips by store. A D1 batch is one round trip, and so is a call to a lease. */
const NOTHING = {
  d1: 0,
  gate: 0,
  guard: 0,
  r2: 0,
  cache: 0,
  /**
   * The calls to Durable Objects that the platform bills. A call to a lease is not billed separately: it is part of the
   * request that returned the lease.
   */
  objectRequests: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  /** Bytes of the ranges that R2 returned. */
  r2Bytes: 0,
  /** Rows read and written, as D1 itself reports them. */
  d1RowsRead: 0,
  d1RowsWritten: 0,
};
export type Counts = typeof NOTHING;
const counts: Counts = { ...NOTHING };

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/counts") {
      for (const { rowsRead, rowsWritten } of cursors) {
        counts.objectRowsRead += rowsRead;
        counts.objectRowsWritten += rowsWritten;
      }
      cursors = [];
      const told = { ...counts };
      Object.assign(counts, NOTHING);
      return Response.json(told);
    }
    return worker.fetch(request, counted(env), ctx);
  },
};

/** One bindings object for the life of the isolate, so that settings are parsed once. */
let bindings: Env | undefined;

function counted(env: Env): Env {
  if (bindings === undefined) {
    bindings = watchStores(env, count);
    watchCaches(count);
  }
  return bindings;
}

async function count({ store, method }: StoreCall, proceed: () => Promise<unknown>): Promise<unknown> {
  counts[store]++;
  if ((store === "gate" || store === "guard") && !method.startsWith("lease.")) counts.objectRequests++;
  const answer = await proceed();
  if (store === "r2" && method === "get") counts.r2Bytes += bytesOf(answer as R2ObjectBody | null);
  if (store === "d1") {
    for (const { meta } of [answer].flat() as D1Result[]) {
      counts.d1RowsRead += meta?.rows_read ?? 0;
      counts.d1RowsWritten += meta?.rows_written ?? 0;
    }
  }
  return answer;
}

function bytesOf(object: R2ObjectBody | null): number {
  if (object === null || !("body" in object)) return 0;
  const { range, size } = object;
  return range !== undefined && "length" in range ? (range.length ?? size) : size;
}
