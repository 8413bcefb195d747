/**
 * Sends a request to `POST /api`, with waits, retries and further base URLs, and parses the answer's envelope and
 * headers (contract 1.3, 1.10). A 503 or 429 with `Retry-After` is retried on the same base URL after the wait; every
 * other answer is final. Only broken connections switch to the next base URL, because each deployment has its own slot,
 * quota and cursors. The base URL that answered is used for further calls.
 */
import {
  BadRequest,
  ConfigurationError,
  DataRebuilt,
  type ErrorFacts,
  NoData,
  NotAllowed,
  ProtocolError,
  QuotaUsed,
  ServiceError,
  Unavailable,
} from "./errors.ts";
import { BrokenConnection, bytesOf, type Reply, type Transport } from "./transport.ts";
import { Patience, parseRetryAfter, UNTOLD_WAIT_MS } from "./waiting.ts";

const DAY_MS = 86_400_000;
const BEIJING_OFFSET_MS = 8 * 3_600_000;

export interface Answer extends ErrorFacts {
  baseUrl: string;
  code: number;
  message: string;
  data: unknown;
  /** `X-Revision`. */
  revision: number | null;
  /** `X-Build`. Equal build ids mean equal contents, even on different deployments. */
  build: string | null;
  /** The wait before the next attempt; null when a retry cannot help. */
  waitMs: number | null;
  /** The time until all used-up counters have been reset; null if there are none. */
  resetsInMs: number | null;
}

/**
 * Reads the envelope of `reply`. Throws `BrokenConnection` when the body of a 200 is unreadable, because it was
 * truncated or corrupted on the way. Throws `ProtocolError` for a redirect or another server's page.
 */
export async function readAnswer(baseUrl: string, reply: Reply): Promise<Answer> {
  refuseRedirect(reply, `${baseUrl} redirects`, ": a redirect drops the POST, use that base URL");
  return answerIn(baseUrl, reply, await bytesOf(reply.pieces()));
}

/** Throws `ProtocolError` for a redirect. The message is `what`, the redirect's target, then `advice`. */
export function refuseRedirect({ status, headers, cancel }: Reply, what: string, advice = ""): void {
  if (status !== 0 && (status < 300 || status >= 400)) return;
  cancel();
  throw new ProtocolError(`${what} to ${headers.get("Location") ?? "another address"}${advice}`);
}

/** Parses the answer in `body`. Throws `BrokenConnection` and `ProtocolError` in the same cases as `readAnswer`. */
export function answerIn(baseUrl: string, { status, headers }: Reply, body: Uint8Array): Answer {
  const text = new TextDecoder().decode(body);
  const told = parseRetryAfter(headers.get("Retry-After"));
  const envelope = envelopeIn(text) ?? pageOfAnother(baseUrl, status, text);
  const { code, message } = envelope;
  const reason = headers.get("X-Reason") ?? tailOf(message)?.reason ?? null;
  const waitMs = told ?? (envelope.isForeign ? UNTOLD_WAIT_MS : null);
  return {
    baseUrl,
    code,
    message,
    data: envelope.data,
    reason,
    requestId: headers.get("X-Request-Id") ?? tailOf(message)?.requestId ?? null,
    revision: wholeNumber(headers.get("X-Revision")),
    build: headers.get("X-Build"),
    // A used-up quota is not waited for, because that would block a script until midnight.
    waitMs: (code === 429 || code === 503) && reason !== "quota_used" ? waitMs : null,
    resetsInMs: resetsInMs(headers.get("RateLimit")),
  };
}

/** Returns `data` if the request succeeded; otherwise throws the refusal. */
export function served(answer: Answer): unknown {
  if (answer.code !== 200) throw refusalOf(answer);
  return answer.data;
}

/** Returns the refusal as an error of the class for its code. */
export function refusalOf(
  answer: ErrorFacts & Pick<Answer, "message" | "waitMs" | "resetsInMs">,
): ServiceError {
  const { code, message, reason } = answer;
  switch (code) {
    case 1002:
      return new NoData(message, answer);
    case 403:
      return new NotAllowed(message, answer);
    case 422:
      return reason === "data_rebuilt" ? new DataRebuilt(message, answer) : new BadRequest(message, answer);
    case 429:
      if (answer.waitMs !== null) return new Unavailable(message, answer);
      return new QuotaUsed(message, answer, new Date(Date.now() + (answer.resetsInMs ?? untilMidnightMs())));
    case 503:
      return new Unavailable(message, answer);
    default:
      return new ServiceError(message, answer);
  }
}

interface Envelope {
  code: number;
  message: string;
  data: unknown;
  isForeign?: boolean;
}

function envelopeIn(text: string): Envelope | null {
  try {
    const { code, message = "", data = null } = JSON.parse(text) as Partial<Envelope>;
    return Number.isInteger(code) ? { code: Number(code), message: String(message), data } : null;
  } catch {
    return null;
  }
}

function pageOfAnother(baseUrl: string, status: number, text: string): Envelope {
  const excerpt = text.slice(0, 160).replaceAll(/\s+/g, " ").trim() || "an empty body";
  if (status === 200) throw new BrokenConnection(`the answer is not from the service: ${excerpt}`);
  const message = `${baseUrl} answered HTTP ${status}, but the answer is not from the service: ${excerpt}`;
  if (!mayPass(status)) throw new ProtocolError(message);
  return { code: 503, message, data: null, isForeign: true };
}

/** Returns whether a later attempt may succeed after this status of the service or of a proxy. */
export function mayPass(status: number): boolean {
  return [429, 500, 502, 503, 504].includes(status) || (status >= 520 && status <= 530);
}

/**
 * Returns the reason and request id from the `[reason · request id]` at the end of a refusal's message, because proxies
 * may drop headers.
 */
function tailOf(message: string): { reason: string; requestId: string } | null {
  const [, reason, requestId] = /\[([a-z_]+) · ([^[\]\s]+)\]$/.exec(message) ?? [];
  return reason === undefined || requestId === undefined ? null : { reason, requestId };
}

export function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/**
 * Returns the time until all used-up counters of a `RateLimit` header, such as `"files";r=0;t=3600`, have been reset;
 * null when no counter is used up.
 */
function resetsInMs(header: string | null): number | null {
  const seconds = [...(header ?? "").matchAll(/;\s*r=0\s*;\s*t=(\d+)/g)].map(([, t]) => Number(t));
  return seconds.length === 0 ? null : 1000 * Math.max(...seconds);
}

function untilMidnightMs(): number {
  return DAY_MS - ((Date.now() + BEIJING_OFFSET_MS) % DAY_MS);
}

/** Creates a request's body for the base URL that receives it. */
export type BodyFor = (baseUrl: string) => Readonly<Record<string, unknown>>;

/** Calls an interface at a base URL that answers. Returns any final answer, even a refusal. */
export type Call = (apiname: string, bodyFor: BodyFor, signal: AbortSignal | undefined) => Promise<Answer>;

/** Reads an answer as it arrives. */
export type Taker<T extends object> = (baseUrl: string, reply: Reply) => Promise<T | Answer>;

/** The number of consecutive broken connections on a base URL after which the client tries the next base URL. */
const TRIES_A_LINE = 2;

const HEADERS = { "Content-Type": "application/json" };

export class Endpoints {
  readonly baseUrls: readonly string[];
  readonly #transport: Transport;
  readonly #maxWaitMs: number;
  #present = 0;

  constructor(baseUrls: readonly string[], transport: Transport, maxWaitMs: number) {
    this.baseUrls = cleaned(baseUrls);
    this.#transport = transport;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Posts `bodyFor(baseUrl)`, and reads the answer with `take`. Sends the request again when a connection breaks, also
   * while `take` reads, and when `take` returns an `Answer` with a wait. Returns the first other result of `take`.
   */
  async receive<T extends object>(
    bodyFor: BodyFor,
    take: Taker<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | Answer> {
    const patience = new Patience(this.#maxWaitMs);
    for (;;) {
      const place = this.#present;
      const baseUrl = this.baseUrls[place] ?? "";
      try {
        const body = JSON.stringify(bodyFor(baseUrl));
        const exchange = { method: "POST", url: `${baseUrl}/api`, headers: HEADERS, body, signal } as const;
        const [timeoutMs, onPiece] = [patience.begun(), () => patience.touched()];
        const taken = await take(baseUrl, await this.#transport.send({ ...exchange, timeoutMs, onPiece }));
        patience.progressed();
        if (!("waitMs" in taken) || taken.waitMs === null) return taken;
        await patience.waitTold(taken.waitMs, refusalOf(taken), signal);
      } catch (error) {
        if (!(error instanceof BrokenConnection)) throw error;
        await this.#failed(patience, place, error, signal);
      }
    }
  }

  async #failed(patience: Patience, place: number, error: Error, signal: AbortSignal | undefined) {
    const failures = patience.failures + 1;
    const count = this.baseUrls.length;
    const switches = count > 1 && failures % TRIES_A_LINE === 0;
    // The pause comes after a failed round of all base URLs, not after each one.
    const isRoundOver = failures % (TRIES_A_LINE * count) === 0;
    await patience.waitFailed(error, this.baseUrls[place] ?? "", {
      signal,
      atOnce: switches && !isRoundOver,
    });
    // During the wait, another request may have switched to the next base URL.
    if (switches && this.#present === place) this.#present = (place + 1) % count;
  }
}

function cleaned(baseUrls: readonly string[]): string[] {
  const urls = baseUrls.map((each) =>
    each
      .trim()
      .replace(/\/{1,9}$/, "")
      .replace(/\/api$/, ""),
  );
  const wrong = urls.find((url) => !/^https?:\/\/./.test(url));
  if (wrong !== undefined) throw new ConfigurationError(`${wrong} is not an http or https URL`);
  if (urls.length === 0) throw new ConfigurationError("no base URL: pass baseUrls");
  return [...new Set(urls)];
}
