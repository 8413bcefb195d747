/** Reading a share's drive: Basic credentials, and the same patience as everywhere. */
import { mayPass } from "./envelope.ts";
import { NoData, NotAllowed, ProtocolError, ServiceError, Unavailable } from "./errors.ts";
import { BrokenConnection, bytesOf, type Reply, type Transport } from "./transport.ts";
import type { ShareInfo } from "./types.ts";
import { Patience, parseRetryAfter, UNTOLD_WAIT_MS } from "./waiting.ts";

export interface DriveAsk {
  signal: AbortSignal | undefined;
  /** Asked at each try. */
  headers?: () => Record<string, string>;
  patience?: Patience;
}

/** What the drive's statuses mean as codes of the API. */
const CODES: Readonly<Record<number, number>> = { 401: 403, 403: 403, 404: 1002, 429: 429, 503: 503 };

export class Drive {
  readonly #url: string;
  readonly #authorization: string;
  readonly #transport: Transport;
  readonly #maxWaitMs: number;

  constructor(
    { url, password }: Pick<ShareInfo, "url" | "password">,
    transport: Transport,
    maxWaitMs: number,
  ) {
    const shareId = url.split("/").filter(Boolean).at(-1) ?? "";
    this.#url = url;
    this.#authorization = `Basic ${btoa(`${shareId}:${password}`)}`;
    this.#transport = transport;
    this.#maxWaitMs = maxWaitMs;
  }

  newPatience(): Patience {
    return new Patience(this.#maxWaitMs);
  }

  /** Reads `path` by `take`, again and again while connections break. Throws `ServiceError` for a refusal. */
  async get<T>(path: string, ask: DriveAsk, take: (reply: Reply) => Promise<T>): Promise<T> {
    const { signal, headers = () => ({}), patience = this.newPatience() } = ask;
    const url = this.#url + path.split("/").map(encodeURIComponent).join("/");
    for (;;) {
      try {
        const sent = { Authorization: this.#authorization, ...headers() };
        const timeoutMs = patience.begun();
        const reply = await this.#transport.send({ method: "GET", url, headers: sent, signal, timeoutMs });
        if ([200, 206].includes(reply.status)) return await take(reply);
        const refusal = await refusalOf(reply, path);
        // A page of something in between tells no time.
        const untold = reply.headers.has("X-Request-Id") ? null : UNTOLD_WAIT_MS;
        const told = parseRetryAfter(reply.headers.get("Retry-After")) ?? untold;
        if (told === null || !mayPass(reply.status)) throw refusal;
        await patience.waitTold(told, refusal, signal);
      } catch (error) {
        if (!(error instanceof BrokenConnection)) throw error;
        await patience.waitFailed(error, this.#url, { signal });
      }
    }
  }
}

async function refusalOf(reply: Reply, path: string): Promise<ServiceError> {
  const { status, headers } = reply;
  if (status === 0 || (status >= 300 && status < 400)) {
    reply.cancel();
    throw new ProtocolError(`the share redirects ${path} to ${headers.get("Location") ?? "another address"}`);
  }
  const said = new TextDecoder()
    .decode(await bytesOf(reply))
    .trim()
    .slice(0, 300);
  const facts = {
    code: CODES[status] ?? null,
    reason: headers.get("X-Reason"),
    requestId: headers.get("X-Request-Id"),
  };
  const message = `${path}: ${said || `HTTP ${status}`}`;
  if (status === 401 || status === 403) return new NotAllowed(message, facts);
  if (status === 404) return new NoData(message, facts);
  if (status === 429 || status === 503) return new Unavailable(message, facts);
  return new ServiceError(message, facts);
}
