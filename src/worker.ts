/**
 * Entry of the worker: the fetch handler, the scheduled task and the Durable Object classes. An isolate starts with
 * what `/api` needs. The pages, the drive and the operators' API are nearly half of the code. They are loaded at the
 * first request for one of them.
 */
import { createApi, isForApi } from "./api.ts";
import type { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import { warmUp } from "./packs/warm-up.ts";

export { Gate } from "./gate/gate-object.ts";
export { Guard } from "./shares/guard-object.ts";

const api = createApi();
warmUp();

let app: ReturnType<typeof createApp> | undefined;

/**
 * Returns the whole service. The promise is not stored, because a request must not wait for another request's promise.
 */
async function wholeApp(): Promise<ReturnType<typeof createApp>> {
  const { createApp } = await import("./app.ts");
  app ??= createApp();
  return app;
}

export default {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext) =>
    (isForApi(request) ? api : (app ?? (await wholeApp()))).fetch(request, env, ctx),
  scheduled: async (_, env) => {
    const { watch } = await import("./admin/watch.ts");
    await watch(env, { tell: true });
  },
} satisfies ExportedHandler<Env>;
