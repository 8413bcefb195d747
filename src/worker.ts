/** Entry of the worker: the fetch handler and the Durable Object classes. */
import { createApp } from "./app.ts";
import type { Env } from "./env.ts";

export { Gate } from "./gate/gate-object.ts";
export { Guard } from "./shares/guard-object.ts";

const app = createApp();

export default {
  fetch: app.fetch,
} satisfies ExportedHandler<Env>;
