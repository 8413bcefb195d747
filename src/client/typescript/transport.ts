/** One HTTP exchange over `fetch`, with a bound on every wait for bytes, which `fetch` itself does not have. */

/** As `globalThis.fetch`, narrowed to what is used here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A broken connection: refused, reset, timed out, cut off, garbled. The only thing that is tried elsewhere. */
export class BrokenConnection extends Error {}

/** The head of an answer; the body is read once. */
export interface Reply {
  status: number;
  headers: Headers;
  /** Pieces as they arrive. Throws `BrokenConnection` when the body breaks off, also where `fetch` would not. */
  pieces(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Lets go of the body, which tells the service to stop. */
  cancel(): void;
}

export interface Exchange {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal | undefined;
}

/** Makes exchanges; `timeoutMs` is the longest wait for the head, and for each piece of a body. */
export class Transport {
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(fetch: Fetch, timeoutMs: number, userAgent: string | undefined) {
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
    this.#headers = userAgentHeader(userAgent);
  }

  /** Sends a request and waits for the answer's head. Redirects are answers: a redirected POST is lost. */
  async send({ method, url, headers, body, signal }: Exchange): Promise<Reply> {
    signal?.throwIfAborted();
    const watch = new Watch(signal, this.#timeoutMs);
    try {
      const response = await watch.bounded(
        this.#fetch(url, {
          method,
          headers: { ...this.#headers, ...headers },
          redirect: "manual",
          signal: watch.signal,
          ...(body === undefined ? {} : { body }),
        }),
      );
      return { ...replyOf(response, watch) };
    } catch (error) {
      watch.end();
      throw watch.isAborted ? signal?.reason : broken(error);
    }
  }
}

function replyOf(response: Response, watch: Watch): Reply {
  const { status, headers } = response;
  return {
    status,
    headers,
    pieces: () => pieces(response, watch),
    cancel: () => watch.end(),
  };
}

async function* pieces(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  // A compressed body's length says nothing about the bytes that are read here.
  const encoded = response.headers.has("Content-Encoding");
  const length = encoded ? null : response.headers.get("Content-Length");
  let received = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await watch.bounded(reader.read());
      if (done) break;
      received += value.byteLength;
      yield value as Uint8Array;
    }
    if (length !== null && received !== Number(length)) {
      throw new BrokenConnection(`the body ended after ${received} of ${length} bytes`);
    }
  } catch (error) {
    throw watch.isAborted ? watch.reason : broken(error);
  } finally {
    watch.end();
  }
}

/** The whole body. */
export async function bytesOf(reply: Reply): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of reply.pieces()) {
    parts.push(piece);
    size += piece.byteLength;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** The caller's signal, and a bound on each wait, as one signal for `fetch`. */
class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined, timeoutMs: number) {
    this.#outer = outer;
    this.#timeoutMs = timeoutMs;
    outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the caller went away; a time that ran out is a broken connection instead. */
  get isAborted(): boolean {
    return this.#outer?.aborted === true;
  }

  get reason(): unknown {
    return this.#outer?.reason;
  }

  async bounded<T>(work: Promise<T>): Promise<T> {
    const late = new BrokenConnection(`nothing came for ${this.#timeoutMs} ms`);
    const timer = setTimeout(() => this.#controller.abort(late), this.#timeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the exchange: what is still to come is not wanted. */
  end(): void {
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}

function broken(error: unknown): unknown {
  return error instanceof BrokenConnection
    ? error
    : new BrokenConnection(error instanceof Error ? error.message : String(error), { cause: error });
}

const VERSION = "0.1.0";

/** Browsers name themselves, and would ask the service before every request whether another name is welcome. */
function userAgentHeader(userAgent: string | undefined): Record<string, string> {
  const own = (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent;
  if (userAgent === undefined && own?.startsWith("Mozilla/")) return {};
  return { "User-Agent": userAgent ?? `edgetape-js/${VERSION}${own === undefined ? "" : ` (${own})`}` };
}
