/** Makes HTTP requests with `fetch` and adds a timeout to every wait for data, because `fetch` has none. */

/** `globalThis.fetch` with the options used here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A connection was refused, reset, timed out, cut off or corrupted. The client retries the request, also at the next
 * base URL. A caller gets this error only from a stream that it reads.
 */
export class BrokenConnection extends Error {
  override name = "BrokenConnection";
}

/** The head of an answer; its body can be read once. */
export interface Reply {
  status: number;
  headers: Headers;
  /** The announced size of the body in bytes; null when there is none, or when the body is or may be compressed. */
  length: number | null;
  /** Yields the body as it arrives. Throws `BrokenConnection` when the body ends early, even if `fetch` does not. */
  pieces(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Cancels the body, so that the service stops sending. */
  cancel(): void;
}

export interface Exchange {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal | undefined;
  /** The limit on each wait in milliseconds, if shorter than the transport's. */
  timeoutMs?: number | undefined;
  /** Called for each piece of the body. */
  onPiece?: () => void;
}

/** Sends requests. `timeoutMs` limits the wait for the head and for each piece of a body. */
export class Transport {
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(fetch: Fetch, timeoutMs: number, userAgent: string | undefined) {
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
    this.#headers = userAgentHeader(userAgent);
  }

  /**
   * Sends a request and waits for the answer's head. Redirects are returned as answers, because following one can turn
   * a POST into a GET.
   */
  async send({ method, url, headers, body, signal, timeoutMs, onPiece }: Exchange): Promise<Reply> {
    signal?.throwIfAborted();
    const watch = new Watch(signal, Math.min(timeoutMs ?? this.#timeoutMs, this.#timeoutMs), onPiece);
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
      const { status, headers: received } = response;
      return {
        status,
        headers: received,
        length: lengthOf(response),
        pieces: () => pieces(response, watch),
        cancel: () => watch.end(),
      };
    } catch (error) {
      watch.end();
      throw watch.thrown(error);
    }
  }
}

/**
 * Returns the announced length; null if the body is or may be compressed, because the length counts compressed bytes.
 * For an answer from another origin, a browser exposes the length but not the compression.
 */
function lengthOf({ headers, type }: Response): number | null {
  const length = headers.get("Content-Length");
  return length === null || headers.has("Content-Encoding") || (type as string) === "cors"
    ? null
    : Number(length);
}

async function* pieces(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  const length = lengthOf(response);
  let received = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await watch.bounded(reader.read());
      if (done) break;
      received += value.byteLength;
      watch.onPiece();
      yield value as Uint8Array;
    }
    if (length !== null && received !== length) {
      throw new BrokenConnection(`the body ended after ${received} of ${length} bytes`);
    }
  } catch (error) {
    throw watch.thrown(error);
  } finally {
    watch.end();
  }
}

export async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return joined(parts);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Combines the caller's signal and a limit on each wait into one signal for `fetch`. */
class Watch {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #outer: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);
  readonly onPiece: () => void;

  constructor(outer: AbortSignal | undefined, timeoutMs: number, onPiece: () => void = () => undefined) {
    this.onPiece = onPiece;
    this.#outer = outer;
    this.#timeoutMs = timeoutMs;
    outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Returns what the caller receives for `error`: the reason of its own abort, otherwise a `BrokenConnection`. */
  thrown(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (error instanceof BrokenConnection) return error;
    return new BrokenConnection(error instanceof Error ? error.message : String(error), { cause: error });
  }

  async bounded<T>(work: Promise<T>): Promise<T> {
    const late = new BrokenConnection(`no data arrived for ${this.#timeoutMs} ms`);
    const timer = setTimeout(() => this.#controller.abort(late), this.#timeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cancels the request. The rest of the body is not read. */
  end(): void {
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}

const VERSION = "0.1.0";

/**
 * Returns the `User-Agent` header. In browsers there is none by default, because a name other than the browser's own
 * would cost a preflight request each time.
 */
function userAgentHeader(userAgent: string | undefined): Record<string, string> {
  const own = (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent;
  if (userAgent === undefined && own?.startsWith("Mozilla/")) return {};
  return { "User-Agent": userAgent ?? `edgetape-js/${VERSION}${own === undefined ? "" : ` (${own})`}` };
}
