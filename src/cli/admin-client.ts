/** The client of the admin API: bearer token, validated answers, retries where they are safe. */
import { setTimeout as pause } from "node:timers/promises";
import type * as z from "zod";
import * as wire from "../admin/wire.ts";
import { parsedJson } from "../base/json.ts";
import { CommandFailure, ServiceRefusal } from "./exit.ts";

/** Cloudflare answers 403 to a script that sends no user agent. The worker does not receive such a request. */
const USER_AGENT = "edgetape-cli";
/** Pauses before the second, third, … attempt of a request that may be repeated. */
const RETRY_WAITS_MS = [500, 1_000, 2_000, 4_000];
/** The longest silence before a request fails; `EDGETAPE_TIMEOUT` overrides it in seconds. */
const SILENCE_MS = 60_000;
/** Options of a repeatable request for which the service hashes whole objects and is silent for longer than usual. */
export const HASHING = { repeatable: true, silenceMs: 300_000 };
/** The longest silence while the service lists all objects before it answers. */
export const LISTING_MS = 120_000;
/** The minimum speed at which a body must be sent. Up to three parts of 8 MiB are sent at the same time. */
const SLOWEST_BYTES_PER_SECOND = 32_000;
/** Statuses of temporary failures, after which the same request can succeed. */
const PASSING_STATUSES = new Set([429, 502, 503, 504, 520, 522, 524]);

const TOKEN_WRONG =
  "The service refused this operator's token: check --token or EDGETAPE_TOKEN. " +
  "Use the deployment's ADMIN_TOKEN or a token from `edgetape token issue`; `npm start` writes its token to demo.json.";

interface AdminClientOptions {
  /** The service's URL without a path, such as `https://api.example.com`. */
  baseUrl: string;
  token: string;
  fetch?: typeof fetch;
  /** The function that waits between attempts. Tests replace it. */
  wait?: (ms: number) => Promise<unknown>;
  /** Milliseconds of silence after which a request fails. */
  silenceMs?: number;
}

export interface AdminRequest {
  /** The body: bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether the request may be sent again after a lost answer; GET and PUT requests always may. */
  repeatable?: boolean;
  /** The longest silence for this request, if larger than usual, such as `LISTING_MS`. */
  silenceMs?: number;
}

export class AdminClient {
  readonly baseUrl: string;
  private readonly options: Required<AdminClientOptions>;

  constructor(options: AdminClientOptions) {
    this.options = { fetch, wait: pause, silenceMs: SILENCE_MS, ...options };
    this.baseUrl = options.baseUrl.replace(/\/{1,9}$/, "");
  }

  /**
   * Sends a request and returns its answer parsed by `schema`. When the service refuses, throws `ServiceRefusal` with the
   * service's message. When the service cannot be reached, stays silent or returns an unexpected body, throws
   * `CommandFailure` with the cause. A request that timed out is not sent again.
   */
  get = this.asking("GET");
  /** Sends a request like `get`. After a lost answer it is sent again only if it is `repeatable`. */
  post = this.asking("POST");
  put = this.asking("PUT");

  private asking(method: "GET" | "POST" | "PUT") {
    return async <T extends z.ZodType>(
      schema: T,
      path: string,
      request: AdminRequest = {},
    ): Promise<z.output<T>> => {
      const tries = request.repeatable || method !== "POST" ? RETRY_WAITS_MS.length + 1 : 1;
      const { status, text } = await this.send(method, path, request, tries);
      if (status < 200 || status > 299) throw refusalOf(status, text);
      const parsed = schema.safeParse(parsedJson(text));
      if (parsed.success) return parsed.data;
      throw new CommandFailure(
        `${this.baseUrl} answered ${method} ${path} with an unexpected body; command and service may have different versions.`,
      );
    };
  }

  private async send(method: string, path: string, request: AdminRequest, tries: number) {
    const [body, contentType] = encodedBody(request.body);
    const headers = {
      Authorization: `Bearer ${this.options.token}`,
      "User-Agent": USER_AGENT,
      ...contentType,
      ...request.headers,
    };
    const bodyMs = ((body?.length ?? 0) / SLOWEST_BYTES_PER_SECOND) * 1000;
    const silenceMs = Math.max(request.silenceMs ?? 0, this.options.silenceMs) + bodyMs;
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= tries;
      const controller = new AbortController();
      const { signal } = controller;
      const silence = setTimeout(() => controller.abort(), silenceMs);
      try {
        const init = { method, headers, body, redirect: "manual", signal } as const;
        const response = await this.options.fetch(this.baseUrl + path, init);
        // Reading the body is part of the attempt, because a connection can break in the middle of an answer.
        const text = await textOf(response, silence);
        if (last || !PASSING_STATUSES.has(response.status)) return { status: response.status, text };
      } catch (error) {
        if (signal.aborted) throw new CommandFailure(silentSentence(this.baseUrl, silenceMs));
        if (last) throw new CommandFailure(unreachableSentence(this.baseUrl, error));
      } finally {
        clearTimeout(silence);
      }
      await this.options.wait(RETRY_WAITS_MS[attempt - 1] ?? 0);
    }
  }
}

/** Reads the answer's body. Every piece restarts `silence`, the timer that aborts the request. */
async function textOf(response: Response, silence: NodeJS.Timeout): Promise<string> {
  const pieces: Uint8Array[] = [];
  silence.refresh();
  for await (const piece of response.body ?? []) {
    silence.refresh();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function encodedBody(body: unknown): [string | Uint8Array<ArrayBuffer> | null, Record<string, string>] {
  if (body === undefined) return [null, {}];
  const binary = body instanceof Uint8Array;
  return binary
    ? [new Uint8Array(body), { "Content-Type": "application/octet-stream" }]
    : [JSON.stringify(body), { "Content-Type": "application/json" }];
}

function refusalOf(httpStatus: number, text: string): ServiceRefusal {
  const refusal = wire.adminErrorSchema.safeParse(parsedJson(text)).data;
  const refused = { httpStatus, reason: refusal?.reason };
  // The service's message cannot say where the token came from, so this message replaces it.
  if (httpStatus === 401) return new ServiceRefusal(TOKEN_WRONG, refused);
  const otherwise = `The service answered with HTTP ${httpStatus}.${httpStatus === 404 ? " Give its base address, without /api." : ""}`;
  return new ServiceRefusal(refusal?.error ?? otherwise, refused);
}

function silentSentence(baseUrl: string, ms: number): string {
  return `${baseUrl} accepted the request and did not answer within ${Math.ceil(ms / 1000)} s. Check that the service runs at this URL; EDGETAPE_TIMEOUT sets a different timeout in seconds.`;
}

function unreachableSentence(baseUrl: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
  return `${baseUrl} cannot be reached (${reason}).`;
}
