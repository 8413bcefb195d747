/**
 * Runs the service with one more endpoint: `POST /own-time?times=N` returns the milliseconds that the worker itself
 * needs to answer the request in the body. The stores' answers are recorded in one real run and replayed without delay,
 * so that the figure contains no store time. It also returns how long `JSON.stringify` takes for the data of that
 * answer.
 */
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";
import { type StoreCall, watchStores } from "../support/watched-stores.ts";

export * from "../../src/worker.ts";

/** The recorded answers of the stores, in the order of the calls. */
let answers: unknown[] = [];
let isReplaying = false;
let at = 0;

/** One bindings object for the life of the isolate, so that settings are parsed once. */
let bindings: Env | undefined;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/own-time") return worker.fetch(request, env, ctx);
    bindings ??= watchStores(env, replayed);
    const replaying = bindings;
    const body = await request.text();
    let last = new ArrayBuffer(0);
    const once = async () => {
      at = 0;
      const answer = await worker.fetch(
        new Request("http://bench/api", { method: "POST", body }),
        replaying,
        ctx,
      );
      last = await answer.arrayBuffer();
      return answer.headers.get("x-reason");
    };
    const times = Number(searchParams.get("times"));
    // The isolate can drop a cached key during a run. The calls then differ from the recording, so a new recording is
    // made.
    for (let attempt = 0; attempt < 5; attempt++) {
      isReplaying = false;
      await once();
      answers = [];
      const reason = await once();
      isReplaying = true;
      let repeated = 0;
      const beganMs = performance.now();
      while (repeated < times && (await once().catch(() => "")) === reason) repeated++;
      if (repeated < times) continue;
      const ms = (performance.now() - beganMs) / times;
      return Response.json({ reason, ms, stringifyMs: stringifyMs(last, times) });
    }
    throw new Error("the replayed answers differ from the real one");
  },
};

function stringifyMs(body: ArrayBuffer, times: number): number {
  const ready: unknown = JSON.parse(new TextDecoder().decode(body));
  const beganMs = performance.now();
  for (let time = 0; time < times; time++) JSON.stringify(ready);
  return (performance.now() - beganMs) / times;
}

async function replayed({ store, method }: StoreCall, proceed: () => Promise<unknown>): Promise<unknown> {
  // A refusal is stored some time after the answer, so the call that stores it has no fixed position in a run.
  if (store === "d1" && method === "run") return isReplaying ? undefined : proceed();
  const place = at++;
  if (!isReplaying) answers[place] = store === "r2" ? await readWhole(await proceed()) : await proceed();
  return answers[place];
}

/** Returns an R2 object that can be read more than once. */
async function readWhole(answer: unknown): Promise<unknown> {
  const object = answer as R2ObjectBody;
  const bytes = await object.arrayBuffer();
  return { etag: object.etag, body: null, arrayBuffer: async () => bytes };
}
