/**
 * The service's stores behind a watcher: D1, R2, the Durable Objects and their leases, and the edge's cache. The
 * watcher can count, delay or fail every call, or corrupt its answer.
 */
import type { Env } from "../../src/env.ts";

export type StoreName = "d1" | "r2" | "gate" | "guard" | "cache";

/** One pending call. A D1 batch is one call, and so is a lease's release. */
export interface StoreCall {
  store: StoreName;
  method: string;
}

/** Receives each call and decides about it: `proceed` makes the call. The service receives what the watcher returns. */
export type Watch = (call: StoreCall, proceed: () => Promise<unknown>) => Promise<unknown>;

type Method = (...args: unknown[]) => unknown;

/**
 * Returns the bindings with their calls watched. Keep the result, because settings are parsed once per environment
 * object.
 */
export function watchStores(env: Env, watch: Watch): Env {
  return {
    ...env,
    DB: watchDatabase(env.DB, watch),
    PACKS: watchBucket(env.PACKS, watch),
    GATE: watchObjects(env.GATE, "gate", watch),
    GUARD: watchObjects(env.GUARD, "guard", watch),
  };
}

/** Installs the watcher in front of the isolate's `caches`, once. */
export function watchCaches(watch: Watch): void {
  const open = async (name: string) => {
    const cache = (await watched(watch, "cache", "open", () => own.open(name))) as Cache;
    return watchedMethods(cache, "cache", ["match", "put", "delete"], watch);
  };
  const own = caches;
  const value = replaced(own, { open: open as Method });
  Object.defineProperty(globalThis, "caches", { value, configurable: true });
}

function watched(watch: Watch, store: StoreName, method: string, proceed: () => unknown): Promise<unknown> {
  return watch({ store, method }, async () => proceed());
}

/** Returns `target` with some methods replaced; all others are called on `target` itself. */
function replaced<T extends object>(target: T, methods: Record<string, Method>): T {
  return new Proxy(target, {
    get(_, name) {
      const own = typeof name === "string" ? methods[name] : undefined;
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function watchedMethods<T extends object>(target: T, store: StoreName, names: string[], watch: Watch): T {
  const method = (name: string): Method => {
    return (...args) =>
      watched(watch, store, name, () => (Reflect.get(target, name) as Method).apply(target, args));
  };
  return replaced(target, Object.fromEntries(names.map((name) => [name, method(name)])));
}

/** D1's statement for each watched statement. `db.batch` accepts only D1's own statements. */
const ownStatements = new WeakMap<object, D1PreparedStatement>();

function watchDatabase(db: D1Database, watch: Watch): D1Database {
  const batch: Method = (statements) => {
    const own = (statements as D1PreparedStatement[]).map((each) => ownStatements.get(each) ?? each);
    return watched(watch, "d1", "batch", () => db.batch(own));
  };
  const prepare: Method = (sql) => watchStatement(db.prepare(sql as string), watch);
  return replaced(db, { batch, prepare });
}

function watchStatement(statement: D1PreparedStatement, watch: Watch): D1PreparedStatement {
  const proxy = watchedMethods(statement, "d1", ["run", "all", "raw"], watch);
  const whole = replaced(proxy, {
    bind: (...values) => watchStatement(statement.bind(...values), watch),
    // The statement is run with `all`, whose result contains the number of rows read.
    first: async (column) => {
      const result = (await watched(watch, "d1", "first", () => statement.all())) as D1Result;
      const row = result.results[0] as Record<string, unknown> | undefined;
      return row === undefined ? null : typeof column === "string" ? row[column] : row;
    },
  });
  ownStatements.set(whole, statement);
  return whole;
}

function watchBucket(bucket: R2Bucket, watch: Watch): R2Bucket {
  const upload = (own: R2MultipartUpload) =>
    watchedMethods(own, "r2", ["uploadPart", "complete", "abort"], watch);
  const plain = watchedMethods(bucket, "r2", ["get", "head", "put", "list", "delete"], watch);
  return replaced(plain, {
    createMultipartUpload: async (key, options) => {
      const create = () => bucket.createMultipartUpload(key as string, options as R2MultipartOptions);
      return upload((await watched(watch, "r2", "createMultipartUpload", create)) as R2MultipartUpload);
    },
    resumeMultipartUpload: (key, id) => upload(bucket.resumeMultipartUpload(key as string, id as string)),
  });
}

/** Returns the namespace with a watcher on every method of its stubs and on the leases that they return. */
function watchObjects<T extends object>(namespace: T, store: "gate" | "guard", watch: Watch): T {
  const getByName: Method = (...args) => {
    const stub = (Reflect.get(namespace, "getByName") as Method).apply(namespace, args) as object;
    return new Proxy(stub, {
      get: (_, name) => {
        if (typeof name !== "string" || name === "then") return Reflect.get(stub, name);
        return async (...values: unknown[]) => {
          const ask = () => (Reflect.get(stub, name) as Method)(...values);
          return withWatchedLease(await watched(watch, store, name, ask), watch);
        };
      },
    });
  };
  return replaced(namespace, { getByName });
}

function withWatchedLease(answer: unknown, watch: Watch): unknown {
  if (typeof answer !== "object" || answer === null || !("lease" in answer)) return answer;
  const lease = answer.lease as { release: Method; written: Method } & Disposable;
  return {
    ...answer,
    lease: {
      release: (request: unknown) => watched(watch, "gate", "lease.release", () => lease.release(request)),
      written: () => watched(watch, "gate", "lease.written", () => lease.written()),
      [Symbol.dispose]: () => lease[Symbol.dispose](),
    },
  };
}
