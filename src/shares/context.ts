/** The handler context of one request to the drive, and the headers of every answer. */
import type { Language } from "../base/language.ts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Look } from "../pages/look.ts";
import type { ShareAccess } from "./open-share.ts";

export interface DriveContext {
  request: Request;
  language: Language;
  /** The language and theme that the sender chose; without a choice, the language is the browser's. */
  look: Look;
  log: RequestLog;
  access: ShareAccess;
  /** The public URL of the share, with its trailing slash. */
  shareUrl: string;
  waitUntil(work: Promise<unknown>): void;
}

/** Headers that a script of another site may read. */
const EXPOSED = [
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Repr-Digest",
  "Retry-After",
  "X-Reason",
  "X-Request-Id",
];

/**
 * Headers of every answer: no type sniffing, framing, indexing, shared caching or scripts. `no-transform` prevents an
 * edge from compressing a body, which would remove its length and strong tag. Scripts of any site may read answers if
 * they send the password. They cannot use the cookie: with `*`, a browser hides the answer to a request with cookies.
 */
const EVERY_ANSWER: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED.join(", "),
  "Cache-Control": "private, no-cache, no-transform",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Returns the headers of an answer: the common ones, the request id and `more`. */
export function driveHeaders({ log }: DriveContext, more: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...EVERY_ANSWER, "X-Request-Id": log.requestId, ...more });
}

/** Returns an answer with the common headers and `more`. A `HEAD` gets no body. */
export function driveAnswer(
  context: DriveContext,
  status: number,
  body: string | Uint8Array | null,
  more: Readonly<Record<string, string>>,
): Response {
  const isHead = context.request.method === "HEAD";
  return new Response(isHead ? null : body, { status, headers: driveHeaders(context, more) });
}
