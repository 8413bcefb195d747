/** A webhook for tests: it stores what it receives and returns the answer that the test has set. */
import { createServer, type IncomingHttpHeaders } from "node:http";

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
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text) as Record<string, unknown>;
    received.push({ path: request.url ?? "", headers: request.headers, body });
    await onReceived?.(body);
    response.writeHead(receiver.answer.status).end(JSON.stringify(receiver.answer.body));
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${address.port}/hook?key=robot-key`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  });
}
