/**
 * Runs the service with stores that fail on command. The request header `x-fault: <fault> <k> <id>` applies a fault to
 * the k-th store call of the request, counted from 1. `GET /calls?id=<id>` returns the calls of that request, once.
 * `GET /let-go` releases held calls.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";
import { type StoreCall, type Watch, watchCaches, watchStores } from "./watched-stores.ts";

export * from "../../src/worker.ts";

/**
 * The fault of a call: it fails before it is made, or its answer is lost, is late, is held until it is released, or
 * never arrives. The body of an R2 object ends, breaks or stalls in the middle, or breaks before its first byte.
 */
export type StoreFault = "fail" | "lose" | "delay" | "hold" | "hang" | BodyFault;
type BodyFault = "truncate" | "break" | "stall" | "gone";

/** The delay of a late answer. */
const DELAY_MS = 150;

interface Corrupt {
  fault: string;
  k: number;
  calls: string[];
}

const corruption = new AsyncLocalStorage<Corrupt>();
const callsById = new Map<string, string[]>();
let bindings: Env | undefined;
let isHolding = true;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/calls") return Response.json(takeCalls(searchParams.get("id") ?? ""));
    if (pathname === "/let-go") isHolding = false;
    bindings ??= watchStores(env, corrupt);
    const [fault = "", k = "", id = ""] = (request.headers.get("x-fault") ?? "").split(" ");
    if (fault === "") return worker.fetch(request, bindings, ctx);
    const plan: Corrupt = { fault, k: Number(k), calls: [] };
    callsById.set(id, plan.calls);
    const served = bindings;
    return corruption.run(plan, async () => worker.fetch(request, served, ctx));
  },
};

function takeCalls(id: string): string[] {
  const calls = callsById.get(id) ?? [];
  callsById.delete(id);
  return calls;
}

const corrupt: Watch = async ({ store, method }: StoreCall, proceed) => {
  const plan = corruption.getStore();
  if (plan === undefined || plan.calls.push(`${store} ${method}`) !== plan.k) return proceed();
  switch (plan.fault as StoreFault) {
    case "fail":
      throw new Error(`${store} ${method} failed by the test`);
    case "lose":
      await proceed();
      throw new Error(`the answer of ${store} ${method} was lost by the test`);
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      return proceed();
    case "hold":
      while (isHolding) await scheduler.wait(20);
      return proceed();
    case "hang":
      return silence();
    case "truncate":
    case "break":
    case "stall":
    case "gone":
      return corruptBody(await proceed(), plan.fault as BodyFault);
  }
};
watchCaches(corrupt);

/**
 * Waits for ten minutes. A promise that never settles cannot be used, because the runtime would detect it and end the
 * request.
 */
function silence(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 600_000));
}

/** Returns an R2 object whose body fails as `fault` says; any other answer is returned unchanged. */
async function corruptBody(answer: unknown, fault: BodyFault): Promise<unknown> {
  if (typeof answer !== "object" || answer === null || !("body" in answer)) return answer;
  const object = answer as R2ObjectBody;
  const bytes = new Uint8Array(await object.arrayBuffer());
  const half = bytes.subarray(0, fault === "gone" ? 0 : bytes.length >> 1);
  // The body has a fixed length, like a real R2 body, so the runtime detects an early end.
  const pipe = new FixedLengthStream(bytes.length);
  const writer = pipe.writable.getWriter();
  const send = async () => {
    if (half.length > 0) await writer.write(half);
    if (fault === "truncate") await writer.close();
    if (fault === "break" || fault === "gone")
      await writer.abort(new Error("the body of r2 get broke by the test"));
    if (fault === "stall") await silence();
  };
  send().catch(() => undefined);
  const whole = { body: pipe.readable, arrayBuffer: () => new Response(pipe.readable).arrayBuffer() };
  return new Proxy(object, {
    get: (target, name) => (name in whole ? Reflect.get(whole, name) : Reflect.get(target, name)),
    has: (target, name) => name in target,
  });
}
