/** The operator's side of the admin API: bearer token, checked answers, retries where they are safe. */
import type * as z from "zod";
import { adminErrorSchema } from "../admin/wire.ts";
import { CommandFailure, ServiceRefusal } from "./exit.ts";

/** Cloudflare's checks answer unnamed script clients with 403 before the worker runs. */
const USER_AGENT = "edgetape-cli";
/** Waits before the second, third… try of a request that may be sent twice. */
const RETRY_WAITS_MS = [500, 1_000, 2_000, 4_000];
/** Between the service and its storage; the request itself was well-formed. */
const PASSING_STATUSES = new Set([429, 502, 503, 504, 520, 522, 524]);

const TOKEN_WRONG =
  "The service does not know this operator's token: look at --token or EDGETAPE_TOKEN. " +
  "It is the deployment's ADMIN_TOKEN or one of `edgetape token issue`; `npm start` writes its own to demo.json.";

export interface AdminClientOptions {
  /** Where the service answers, without a path: `https://api.example.com`. */
  baseUrl: string;
  token: string;
  fetch?: typeof fetch;
  /** Waits between tries; tests pass their own. */
  wait?: (ms: number) => Promise<void>;
}

export interface AdminRequest {
  /** JSON, unless it is bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether sending it again after a lost answer is harmless. GET and PUT always are. */
  repeatable?: boolean;
}

export class AdminClient {
  readonly baseUrl: string;
  private readonly token: string;
  private readonly fetch: typeof fetch;
  private readonly wait: (ms: number) => Promise<void>;

  constructor({ baseUrl, token, fetch: fetchWith = fetch, wait = sleep }: AdminClientOptions) {
    this.baseUrl = baseUrl.replace(/\/{1,9}$/, "");
    this.token = token;
    this.fetch = fetchWith;
    this.wait = wait;
  }

  /**
   * Sends one admin request and returns its answer as `schema` has it. Throws `ServiceRefusal` with the
   * service's own sentence when it refuses, or `CommandFailure` with what stood in the way when it cannot be reached.
   */
  async request<T extends z.ZodType>(
    schema: T,
    method: "GET" | "POST" | "PUT",
    path: string,
    request: AdminRequest = {},
  ): Promise<z.output<T>> {
    const tries = request.repeatable || method !== "POST" ? RETRY_WAITS_MS.length + 1 : 1;
    const { status, text } = await this.send(method, path, request, tries);
    if (status < 200 || status > 299) throw refusalOf(status, text);
    const parsed = schema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw new CommandFailure(
      `${this.baseUrl} answered ${method} ${path} with something this command does not know.`,
    );
  }

  private async send(
    method: string,
    path: string,
    request: AdminRequest,
    tries: number,
  ): Promise<{ status: number; text: string }> {
    const [body, contentType] = encodedBody(request.body);
    const headers = {
      Authorization: `Bearer ${this.token}`,
      "User-Agent": USER_AGENT,
      ...contentType,
      ...request.headers,
    };
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= tries;
      try {
        const response = await this.fetch(this.baseUrl + path, { method, headers, body, redirect: "manual" });
        // The body is part of the try: a connection may break in the middle of an answer.
        const text = await response.text();
        if (last || !PASSING_STATUSES.has(response.status)) return { status: response.status, text };
      } catch (error) {
        if (last) throw new CommandFailure(unreachableSentence(this.baseUrl, error));
      }
      await this.wait(RETRY_WAITS_MS[attempt - 1] ?? 0);
    }
  }
}

/** Validates what the operator gave; `undefined` members fall back to the environment. */
export function adminClient(options: { url?: string | undefined; token?: string | undefined }): AdminClient {
  const baseUrl = options.url ?? process.env.EDGETAPE_URL;
  const token = options.token ?? process.env.EDGETAPE_TOKEN;
  if (!baseUrl)
    throw new CommandFailure(
      "Which service? Give --url or set EDGETAPE_URL; `npm start` prints the lines to paste.",
      2,
    );
  if (!token)
    throw new CommandFailure(
      "Whose token? Give --token or set EDGETAPE_TOKEN; `npm start` prints the lines to paste.",
      2,
    );
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandFailure(`${baseUrl} is not an address; it begins with http:// or https://.`, 2);
  }
  return new AdminClient({ baseUrl, token });
}

function encodedBody(body: unknown): [string | Uint8Array<ArrayBuffer> | null, Record<string, string>] {
  if (body === undefined) return [null, {}];
  const binary = body instanceof Uint8Array;
  return binary
    ? [new Uint8Array(body), { "Content-Type": "application/octet-stream" }]
    : [JSON.stringify(body), { "Content-Type": "application/json" }];
}

function refusalOf(httpStatus: number, text: string): ServiceRefusal {
  const refusal = adminErrorSchema.safeParse(jsonOf(text)).data;
  const refused = { httpStatus, reason: refusal?.reason };
  // The service says what a request lacks; an operator wants to know where the wrong token came from.
  if (httpStatus === 401) return new ServiceRefusal(TOKEN_WRONG, refused);
  return new ServiceRefusal(refusal?.error ?? `The service answered with HTTP ${httpStatus}.`, refused);
}

function unreachableSentence(baseUrl: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
  return `${baseUrl} cannot be reached (${reason}).`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
