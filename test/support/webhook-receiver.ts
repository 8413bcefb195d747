/** A webhook for tests: it stores what it receives and returns the answer that the test has set. */
import type { IncomingHttpHeaders } from "node:http";
import { listening } from "./listening.ts";

export interface Received {
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** The answer to the next requests. */
  answer: { status: number; body: unknown };
}

/** Starts a receiver that accepts everything; `onReceived` runs before it answers. */
export async function startReceiver({
  onReceived,
}: {
  onReceived?: (body: Record<string, unknown>) => Promise<void>;
} = {}): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = { received, answer: { status: 200, body: {} as unknown } };
  const server = await listening(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text) as Record<string, unknown>;
    received.push({ path: request.url ?? "", headers: request.headers, body });
    await onReceived?.(body);
    response.writeHead(receiver.answer.status).end(JSON.stringify(receiver.answer.body));
  });
  return Object.assign(receiver, server, { url: `${server.url}/hook?key=robot-key` });
}
