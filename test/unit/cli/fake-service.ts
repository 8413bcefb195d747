/** A substitute for the service. A test chooses its answers, and the requests are recorded. */
import { AdminClient } from "../../../src/cli/admin-client.ts";

export interface Asked {
  method: string;
  path: string;
  headers: Headers;
  /** Text, or the bytes of a binary body. */
  body: string | Uint8Array | null;
}

/** An answer in JSON or text with its status, or a network error to throw. */
export type Reply = { status?: number; json: unknown } | { text: string; status: number } | Error;

/** Returns a client whose service answers with `reply`. Records requests and waits (in ms). The waits take no time. */
export function fakeService(reply: (asked: Asked, count: number) => Reply) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const client = new AdminClient({
    baseUrl: "https://api.example.com/",
    token: "operator-token",
    wait: async (ms) => {
      waits.push(ms);
    },
    fetch: (async (
      address: string,
      init: { method: string; headers: Record<string, string>; body: string | Uint8Array | null },
    ) => {
      const path = address.replace("https://api.example.com", "");
      const request = { method: init.method, path, headers: new Headers(init.headers), body: init.body };
      asked.push(request);
      const answer = reply(request, asked.length);
      if (answer instanceof Error) throw answer;
      const text = "json" in answer ? JSON.stringify(answer.json) : answer.text;
      return new Response(text, { status: answer.status ?? 200 });
    }) as unknown as typeof fetch,
  });
  return { client, asked, waits };
}
