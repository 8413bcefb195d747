/** Entry of the worker: the fetch handler, the scheduled task and the Durable Object classes. */
import { watch } from "./admin/watch.ts";
import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import { warmUp } from "./packs/warm-up.ts";

export { Gate } from "./gate/gate-object.ts";
export { Guard } from "./shares/guard-object.ts";

const app = createApp();
warmUp();

export default {
  fetch: app.fetch,
  scheduled: async (_, env) => void (await watch(env, { tell: true })),
} satisfies ExportedHandler<Env>;
