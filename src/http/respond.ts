/**
 * Builds the answers of `/api` to served and refused requests: the response envelope (contract 1.3) and the headers
 * (contract 1.5, 1.7, 1.10, 1.11, 6.2).
 */
import type { Language } from "../base/language.ts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { DailyLimits } from "../entitlement/principal.ts";
import { formatWindow, type TimeWindow } from "../orders/query/time-window.ts";
import type { Denial } from "./denial.ts";
import { type AnswerFormat, messageOf, outcomeOf } from "./outcome.ts";

const DAY_SECONDS = 86_400;

const EXPOSED = [
  "X-Request-Id",
  "X-Reason",
  "X-Window",
  "X-Revision",
  "X-Build",
  "X-Row-Count",
  "X-Warning",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Content-Disposition",
];

/** Any origin may call: `/api` uses no cookies, and the key is in the body. */
const CORS_HEADERS: Readonly<Record<string, string>> = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED.join(", "),
};

/** The facts that the headers of an answer state. A refusal has only those that were known by then. */
export interface AnswerFacts {
  requestId: string;
  reason?: string;
  retryAfterSeconds?: number;
  /**
   * What the account has used of the interface today. The headers leave out counters without a limit, and `files` unless
   * the answer is a file.
   */
  quota?: {
    kind: AnswerFormat;
    limits: DailyLimits;
    use: { requests: number; files: number; resetSeconds: number };
  };
  window?: TimeWindow;
  revision?: number;
  /** The build id of the pack that the answer is read from. */
  buildId?: string;
  rows?: number;
  /** Unknown parameters that the deployment ignored instead of refusing. */
  unknownParameters?: readonly string[];
}

/** Returns the headers for `facts`, without the content headers. */
function answerHeaders(facts: AnswerFacts): Headers {
  const headers = new Headers({
    ...SECURITY_HEADERS,
    ...CORS_HEADERS,
    "Cache-Control": "private, no-store",
    "X-Request-Id": facts.requestId,
  });
  if (facts.reason !== undefined) headers.set("X-Reason", facts.reason);
  if (facts.retryAfterSeconds !== undefined) headers.set("Retry-After", String(facts.retryAfterSeconds));
  if (facts.window !== undefined) headers.set("X-Window", formatWindow(facts.window));
  if (facts.revision !== undefined) headers.set("X-Revision", String(facts.revision));
  if (facts.buildId !== undefined) headers.set("X-Build", facts.buildId);
  if (facts.rows !== undefined) headers.set("X-Row-Count", String(facts.rows));
  if (facts.unknownParameters !== undefined && facts.unknownParameters.length > 0) {
    headers.set("X-Warning", `unknown parameters ignored: ${namesOf(facts.unknownParameters)}`);
  }
  if (facts.quota !== undefined) {
    const { kind, limits, use } = facts.quota;
    const names = kind === "parquet" ? (["requests", "files"] as const) : (["requests"] as const);
    const quotas = names.flatMap((name) => {
      const limit = limits[name];
      return limit === null ? [] : [{ name, limit, used: use[name], resetSeconds: use.resetSeconds }];
    });
    writeQuotas(headers, quotas);
  }
  return headers;
}

/** The maximum number of names in a header; a body of 64 KiB can hold thousands. */
const MOST_NAMES = 10;

/** Returns at most `MOST_NAMES` of the names, already shortened by `excerptOf`, and how many more there are. */
function namesOf(names: readonly string[]): string {
  const listed = names.slice(0, MOST_NAMES).map(encodeURIComponent);
  const more = names.length - listed.length;
  return more > 0 ? `${listed.join(", ")}, and ${more} more` : listed.join(", ");
}

/** Returns the answer to a browser's preflight request. */
export function preflight(requestId: string): Response {
  const headers = answerHeaders({ requestId });
  headers.set("Access-Control-Allow-Methods", "POST, OPTIONS");
  // The wildcard does not cover Authorization, which some clients send although it is ignored.
  headers.set("Access-Control-Allow-Headers", "*, Authorization");
  headers.set("Access-Control-Max-Age", String(DAY_SECONDS));
  return new Response(null, { status: 204, headers });
}

/** One daily counter that has a limit. */
interface Quota {
  name: "requests" | "files";
  limit: number;
  used: number;
  resetSeconds: number;
}

/**
 * Writes `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-11: lists of strings with
 * parameters q(uota), w(indow), r(emaining), t(ime to the reset). Writes nothing for an empty list.
 */
function writeQuotas(headers: Headers, quotas: readonly Quota[]): void {
  if (quotas.length === 0) return;
  const policies = quotas.map(({ name, limit }) => `"${name}";q=${limit};w=${DAY_SECONDS}`);
  const states = quotas.map(
    ({ name, limit, used, resetSeconds }) => `"${name}";r=${Math.max(0, limit - used)};t=${resetSeconds}`,
  );
  headers.set("RateLimit-Policy", policies.join(", "));
  headers.set("RateLimit", states.join(", "));
}

const JSON_TYPE = "application/json; charset=utf-8";
const PARQUET_TYPE = "application/vnd.apache.parquet";

/** How to answer one request. */
export interface AnswerContext {
  requestId: string;
  language: Language;
  /** Taken from `params.format`, which may not be validated yet. */
  format: AnswerFormat;
}

/** Returns a refusal: `data` is null, the message says what to do, `X-Reason` names the reason. */
export function refuse(
  denial: Denial,
  { requestId, language, format }: AnswerContext,
  facts: Omit<AnswerFacts, "requestId" | "reason" | "retryAfterSeconds"> = {},
): Response {
  const outcome = outcomeOf(denial);
  const { code, reason, status, retryAfterSeconds } = outcome;
  const headers = answerHeaders({
    ...facts,
    requestId,
    reason,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  });
  headers.set("Content-Type", JSON_TYPE);
  if (denial.reason === "method_not_allowed") headers.set("Allow", "POST, OPTIONS");
  if (denial.reason === "quota_used") {
    const { unit, limit, resetSeconds } = denial;
    writeQuotas(headers, [{ name: unit, limit, used: limit, resetSeconds }]);
  }
  const body = { code, message: messageOf(outcome, language, requestId), data: null };
  return new Response(JSON.stringify(body), { status: status[format], headers });
}

/** Returns a success whose `data` is a small value. */
export function succeed(data: object, facts: AnswerFacts): Response {
  const body = { code: 200, message: "success", data };
  return new Response(JSON.stringify(body), { status: 200, headers: jsonHeaders(facts) });
}

/** Returns the headers of a successful JSON answer whose body is made elsewhere. */
export function jsonHeaders(facts: AnswerFacts): Headers {
  const headers = answerHeaders(facts);
  headers.set("Content-Type", JSON_TYPE);
  return headers;
}

/** Returns the headers of a Parquet answer (contract 6.2) without `Content-Length`, which the body sets. */
export function parquetHeaders(facts: AnswerFacts, fileName: string): Headers {
  const headers = answerHeaders(facts);
  headers.set("Content-Type", PARQUET_TYPE);
  headers.set("Content-Disposition", `attachment; filename="${fileName}"`);
  headers.set("Accept-Ranges", "none");
  return headers;
}

/** The members of a page (contract 5.1). */
export interface OrderPage {
  /** Column names in the requested order. */
  fields: readonly string[];
  /** The JSON bytes of `items`, an array of arrays, in pieces. */
  items: readonly Uint8Array[];
  tradedate: string;
  pageSize: number;
  /** `null` on the last page. */
  nextCursor: string | null;
}

/**
 * Returns the success envelope of a page, with its members in the order of contract 1.3 and 5.1, in pieces that share
 * no memory. Contains the pieces of the items themselves, because parsing and printing them again would cost as much as
 * decoding the page.
 */
export function pageBody({ fields, items, tradedate, pageSize, nextCursor }: OrderPage): Uint8Array[] {
  const encoder = new TextEncoder();
  const head = encoder.encode(
    `{"code":200,"message":"success","data":{"fields":${JSON.stringify(fields)},"items":`,
  );
  const rest = { tradedate, page_size: pageSize, next_cursor: nextCursor, has_more: nextCursor !== null };
  const tail = encoder.encode(`,${JSON.stringify(rest).slice(1)}}`);
  return [head, ...items, tail];
}
