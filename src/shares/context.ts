/** The handler context of one request to the drive, and the headers of every answer. */
import type { Language } from "../base/language.ts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { ShareAccess } from "./open-share.ts";

/** Facts for the request log line; never a password or an unhashed network address. */
interface DriveFacts {
  interface: "share";
  accountId: string;
  share: string;
  /** The path inside the share. */
  file: string;
  /** Bytes requested of a file. */
  bytes: number;
  /** Hash of the caller's network address. */
  address: string;
  reason: string;
  fault: string;
}

/** The part of the request log that the drive uses. */
export interface DriveLog {
  readonly requestId: string;
  note(facts: Partial<DriveFacts>): void;
  stage<T>(name: string, run: () => Promise<T>): Promise<T>;
}

export interface DriveContext {
  request: Request;
  /** `HEAD` stays `HEAD`. */
  method: string;
  language: Language;
  log: DriveLog;
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
 * they send the password; with `*` a browser never sends the cookie.
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
export function driveHeaders(requestId: string, more: Readonly<Record<string, string>> = {}): Headers {
  return new Headers({ ...EVERY_ANSWER, "X-Request-Id": requestId, ...more });
}
