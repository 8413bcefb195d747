/** The handler context of one request to the drive, and the headers that every answer has. */
import type { Language } from "../base/language.ts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { ShareAccess } from "./open-share.ts";

/** Facts of the drive for the request's line in the log; never a password or an address as it is. */
interface DriveFacts {
  interface: "share";
  accountId: string;
  share: string;
  /** The path inside the share. */
  file: string;
  /** Bytes asked for of a file. */
  bytes: number;
  /** Hash of the caller's address. */
  address: string;
  reason: string;
  fault: string;
}

/** What the drive needs of the request's log. */
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
  /** The address of the share as people are given it, with its slash. */
  shareUrl: string;
  waitUntil(work: Promise<unknown>): void;
}

/** What a script of another site may read of an answer beside its body. */
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
 * What no answer of the drive does: be sniffed, framed, indexed, kept by strangers, or run anything.
 * `no-transform` keeps an edge from compressing a body, which would cost it its length and strong tag. Scripts of
 * any site may read it, if they send the password themselves: with `*` a browser never sends them the cookie.
 */
const EVERY_ANSWER: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED.join(", "),
  "Cache-Control": "private, no-cache, no-transform",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Headers of an answer: everybody's, the request's id, and `more`. */
export function driveHeaders(requestId: string, more: Readonly<Record<string, string>> = {}): Headers {
  return new Headers({ ...EVERY_ANSWER, "X-Request-Id": requestId, ...more });
}
