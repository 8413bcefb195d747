/**
 * The base addresses ("lines"), and the one loop around every request: wait, try again, switch. 503 and 429
 * with `Retry-After` are waited for on the same line, and every other answer is final. Only a broken
 * connection moves to the next line: its slot, quota and cursors are its own. The line that answered stays.
 */
import { type Answer, readAnswer, refusalOf } from "./envelope.ts";
import { ConfigurationError } from "./errors.ts";
import { BrokenConnection, type Reply, type Transport } from "./transport.ts";
import { Patience } from "./waiting.ts";

/** The body of a request, made for the line that it goes to. */
export type BodyFor = (baseUrl: string) => Readonly<Record<string, unknown>>;

/** Calls an interface over whichever line answers; any final answer. */
export type Call = (apiname: string, bodyFor: BodyFor, signal: AbortSignal | undefined) => Promise<Answer>;

/** Broken connections in a row on one line before the next one is tried. */
const TRIES_A_LINE = 2;

const HEADERS = { "Content-Type": "application/json" };

export class Lines {
  readonly baseUrls: readonly string[];
  readonly #transport: Transport;
  readonly #maxWaitMs: number;
  #present = 0;

  constructor(baseUrls: readonly string[], transport: Transport, maxWaitMs: number) {
    this.baseUrls = cleaned(baseUrls);
    this.#transport = transport;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Posts `bodyFor(baseUrl)`; the first answer that is not to be waited for. */
  call(bodyFor: BodyFor, signal: AbortSignal | undefined): Promise<Answer> {
    return this.receive(bodyFor, readAnswer, signal);
  }

  /**
   * As `call`, with the answer read by `take`. A connection that breaks while it reads counts as one of the
   * request; an `Answer` that says how long to wait is asked for again.
   */
  async receive<T extends object>(
    bodyFor: BodyFor,
    take: (baseUrl: string, reply: Reply) => Promise<T | Answer>,
    signal: AbortSignal | undefined,
  ): Promise<T | Answer> {
    const patience = new Patience(this.#maxWaitMs);
    for (;;) {
      const line = this.#present;
      const baseUrl = this.baseUrls[line] ?? "";
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
        await this.#failed(patience, line, error, signal);
      }
    }
  }

  async #failed(patience: Patience, line: number, error: Error, signal: AbortSignal | undefined) {
    const failures = patience.failures + 1;
    const count = this.baseUrls.length;
    const switches = count > 1 && failures % TRIES_A_LINE === 0;
    // A whole round without an answer is worth a pause; the next line is not.
    const isRoundOver = failures % (TRIES_A_LINE * count) === 0;
    await patience.waitFailed(error, this.baseUrls[line] ?? "", { signal, atOnce: switches && !isRoundOver });
    // Another request may have moved on meanwhile.
    if (switches && this.#present === line) this.#present = (line + 1) % count;
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
  if (wrong !== undefined) throw new ConfigurationError(`${wrong} is no http or https address`);
  if (urls.length === 0) throw new ConfigurationError("no base address: give baseUrls");
  return [...new Set(urls)];
}
