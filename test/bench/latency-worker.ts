/**
 * Runs the service with slow stores. `POST /delays` sets the delays and discards the recorded calls. `GET /calls`
 * returns the calls to the stores since then, or since the previous `GET /calls`. Half of a delay passes before the
 * call and half after it, as on a network.
 */
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";
import { type StoreCall, type StoreName, watchCaches, watchStores } from "../support/watched-stores.ts";

export * from "../../src/worker.ts";

/** The delays of the stores. */
export interface Delays {
  /** Additional milliseconds of each call by store; 0 for an omitted store. */
  ms: Partial<Record<StoreName, number>>;
  /** Each call's delay varies uniformly by up to this share: 0.2 is ± 20 %. */
  jitter: number;
  /** Milliseconds by which the service's clock is set forward, so that cached data expires. */
  advanceMs: number;
}

/** One call to a store. Instants are milliseconds of the isolate's clock. */
export interface TimedCall extends StoreCall {
  beganMs: number;
  endedMs: number;
  /** The number of SQL statements in a call to D1. */
  statements: number;
}

/** The calls that no earlier `GET /calls` returned, and the instant at which the last request reached the worker. */
export interface Calls {
  requestMs: number;
  calls: TimedCall[];
}

let delays: Delays = { ms: {}, jitter: 0, advanceMs: 0 };
let advancedMs = 0;
let requestMs = 0;
let calls: TimedCall[] = [];
/** Kept between requests, because settings are parsed once per environment object. Reset when the clock is advanced. */
let bindings: Env | undefined;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/delays") {
      delays = await request.json();
      calls = [];
      advancedMs += delays.advanceMs;
      if (delays.advanceMs > 0) bindings = undefined;
      return new Response("set");
    }
    if (pathname === "/calls") {
      const made: Calls = { requestMs, calls };
      calls = [];
      return Response.json(made);
    }
    requestMs = performance.now();
    return worker.fetch(request, delayed(env), ctx);
  },
};

function delayed(env: Env): Env {
  if (bindings === undefined) {
    if (advancedMs === 0) watchCaches(slowly);
    const offsetMs = Number(env.CLOCK_OFFSET_MS ?? 0) + advancedMs;
    bindings = watchStores({ ...env, CLOCK_OFFSET_MS: String(offsetMs) }, slowly);
  }
  return bindings;
}

async function slowly(call: StoreCall, proceed: () => Promise<unknown>): Promise<unknown> {
  const beganMs = performance.now();
  const jitter = 1 + delays.jitter * (2 * Math.random() - 1);
  const half = () => pause((jitter * (delays.ms[call.store] ?? 0)) / 2);
  let statements = call.store === "d1" ? 1 : 0;
  try {
    await half();
    const answer = await proceed();
    if (call.store === "d1" && Array.isArray(answer)) statements = answer.length;
    await half();
    return answer;
  } finally {
    calls.push({ ...call, beganMs, endedMs: performance.now(), statements });
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
