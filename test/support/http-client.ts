/**
 * A minimal HTTP client for tests: it adds no headers (`fetch` sends `Accept-Language: *`), reuses connections, follows
 * no redirects and never throws for a status.
 */
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { setImmediate } from "node:timers/promises";

/** The response envelope of every `/api` answer (contract 1.3). */
export interface Envelope {
  code: number;
  message: string;
  data: Record<string, unknown> | null;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The body as text. */
  text: string;
  /** The body parsed as the envelope; throws when it is not JSON. */
  envelope: Envelope;
  /** The `X-Reason` header, or `null`. */
  reason: string | null;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  /** The body: text and bytes are sent unchanged, other values as JSON; `undefined` means no body. */
  body?: unknown;
  agent?: Agent;
}

/**
 * How long a connection may be idle. The runtime closes a connection that is idle for 5 s, and a request sent at that
 * moment is lost, so this client closes idle connections earlier. It cannot do so while a test blocks the event loop.
 * Each request therefore first lets the event loop run timers and handle closed connections.
 */
const IDLE_MS = 2_000;

const sharedAgent = new Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS });

/** Returns the bytes of a body. */
export function bodyBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(JSON.stringify(body));
}

/**
 * Sends one request and returns the whole answer. Rejects only when the connection breaks, even in the middle of the
 * body.
 */
export async function call(url: string, options: Call = {}): Promise<Answer> {
  // A close that arrived during the first iteration of the event loop is handled in the second iteration.
  await setImmediate();
  await setImmediate();
  const { method = "POST", headers = {}, body, agent = sharedAgent } = options;
  const bytes = bodyBytes(body);
  const unsaid = method === "GET" || method === "HEAD" || "transfer-encoding" in headers;
  const length = unsaid ? {} : { "content-length": String(bytes.length) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("aborted", () => reject(new Error("the answer broke off in mid-body")));
      response.on("end", () =>
        resolve(answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

function answer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const reason = headers["x-reason"];
  return {
    status,
    headers,
    bytes,
    get text() {
      return bytes.toString("utf8");
    },
    get envelope() {
      return JSON.parse(bytes.toString("utf8")) as Envelope;
    },
    reason: typeof reason === "string" ? reason : null,
  };
}
