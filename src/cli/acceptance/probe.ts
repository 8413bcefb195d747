/**
 * Sends HTTP requests with any method and header, follows no redirects, and lets the caller read the body at any pace.
 * `fetch` gives less control over connections and reading.
 */
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { performance } from "node:perf_hooks";
import { parsedJson } from "../../base/json.ts";

/** Cloudflare's checks refuse clients without a user agent. */
const USER_AGENT = "edgetape-acceptance/1";
/** A connection counts as failed after this time without activity. */
const SILENT_MS = 60_000;

export interface Probe {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** The longest pause without data (60,000 ms by default). Slow readers need a longer one. */
  silentMs?: number | undefined;
}

/** An answer whose body has not been read. */
export interface OpenReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: IncomingMessage;
  /** Closes the connection, as a disconnecting client does. */
  hangUp(): void;
}

/** Sends a request and waits for the status and headers of the answer. Rejects when there is no answer. */
export function open(
  url: string,
  { method = "GET", headers = {}, json, silentMs }: Probe = {},
): Promise<OpenReply> {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const sent: Record<string, string> = { "User-Agent": USER_AGENT, ...headers };
  if (body !== undefined) {
    sent["Content-Type"] ??= "application/json";
    sent["Content-Length"] = String(body.length);
  }
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // Each request has its own connection, so that other requests do not affect it.
    const outgoing = send(url, { method, headers: sent, agent: false }, (message) => {
      message.on("error", () => {});
      resolve({
        status: message.statusCode ?? 0,
        headers: message.headers,
        body: message,
        hangUp: () => outgoing.destroy(),
      });
    });
    outgoing.setTimeout(silentMs ?? SILENT_MS, () =>
      outgoing.destroy(new Error("the connection was silent for too long")),
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(`no answer (${error.code ?? error.message})`));
    });
    outgoing.end(body);
  });
}

/** Sends a request and reads the whole answer. Rejects when the body is incomplete. */
export async function ask(url: string, probe: Probe = {}) {
  const startedMs = performance.now();
  const { status, headers, body } = await open(url, probe);
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece as Buffer);
  if (!body.complete) throw new Error("the body ended early");
  return { status, headers, bytes: Buffer.concat(pieces), tookMs: performance.now() - startedMs };
}

/** A whole answer; `tookMs` is the time from the request to the last byte. */
export type Reply = Awaited<ReturnType<typeof ask>>;

/** Returns the first value of a header, or null. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Returns the body as the envelope of `/api` (contract 1.3), or null if it is not an envelope. */
export function envelopeOf(bytes: Buffer): { code: number; message: string; data: unknown } | null {
  const value = parsedJson(bytes.toString("utf8"));
  if (typeof value !== "object" || value === null) return null;
  const { code, message, data } = value as Record<string, unknown>;
  return typeof code === "number" && typeof message === "string" ? { code, message, data } : null;
}
