/**
 * Runs the service with one more endpoint: `GET /bare?key=…&offset=…&length=…` returns that range of an R2 object,
 * without any checks.
 */
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";

export * from "../../src/worker.ts";

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/bare") return worker.fetch(request, env, ctx);
    const range = { offset: Number(searchParams.get("offset")), length: Number(searchParams.get("length")) };
    const object = await env.PACKS.get(searchParams.get("key") ?? "", { range });
    if (object === null) return new Response(null, { status: 404 });
    // Without a content type the local edge treats the body as text and compresses it.
    const headers = { "Content-Type": "application/octet-stream" };
    return new Response(object.body, { status: 206, headers });
  },
};
