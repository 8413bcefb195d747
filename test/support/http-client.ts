/**
 * A bare HTTP client for the tests: it adds no header of its own (`fetch` sends `Accept-Language: *`),
 * keeps connections, follows nothing and never throws for a status.
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
  /** Sent as it is when text or bytes, as JSON otherwise; left out when `undefined`. */
  body?: unknown;
  agent?: Agent;
}

/**
 * The runtime closes a connection that is idle for 5 s, and a request that goes out in that moment is lost. So
 * connections are closed here before; one with a request under way is not touched by it. A test that computes for
 * seconds closes none meanwhile, so each request first lets the process hear of timers and of ends that came.
 */
const IDLE_MS = 2_000;

const sharedAgent = new Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS });

/** The bytes a body is sent as. */
export function bodyBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(JSON.stringify(body));
}

/** One request and its whole answer; rejects only when the connection breaks, also in mid-body. */
export async function call(url: string, options: Call = {}): Promise<Answer> {
  // An end that came during the first turn is heard in the second.
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
