/**
 * Runs the service with one more endpoint: `GET /held` returns the number of bytes that responses hold in memory. The
 * request header `x-read` sets how fast the client reads the response, in bytes per second; 0 reads nothing. The body
 * is read at this rate inside the runtime, because the socket buffers of one machine hold more than a page.
 */
import { answerMemory } from "../../src/base/memory.ts";
import type { Env } from "../../src/env.ts";
import worker from "../../src/worker.ts";

export * from "../../src/worker.ts";

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/held") return Response.json(answerMemory.heldBytes);
    const answer = await worker.fetch(request, env, ctx);
    const rate = request.headers.get("x-read");
    if (rate === null || answer.body === null) return answer;
    const pipe = new IdentityTransformStream();
    const reading = readAt(Number(rate), answer.body, pipe.writable.getWriter());
    ctx.waitUntil(reading.catch(() => undefined));
    return new Response(pipe.readable, answer);
  },
};

async function readAt(
  bytesPerSecond: number,
  body: ReadableStream<Uint8Array>,
  to: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  try {
    if (bytesPerSecond === 0) return await scheduler.wait(600_000);
    for await (const piece of body) {
      await scheduler.wait((1_000 * piece.byteLength) / bytesPerSecond);
      await to.write(piece);
    }
    await to.close();
  } catch (error) {
    await to.abort(error);
  }
}
