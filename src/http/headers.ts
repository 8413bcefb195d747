/** The headers of every answer of `/api` (contract 1.5, 1.7, 1.10, 1.11, 6.2). */
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { DailyLimits } from "../entitlement/principal.ts";
import { formatWindow, type TimeWindow } from "../orders/query/time-window.ts";

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

/** What one account has used of one interface today; the headers include `files` only when the answer is a file. */
export interface QuotaFacts {
  kind: "json" | "parquet";
  limits: DailyLimits;
  use: { requests: number; files: number; resetSeconds: number };
}

/** The facts that the headers of an answer state. A refusal has only those that were known by then. */
export interface AnswerFacts {
  requestId: string;
  reason?: string;
  retryAfterSeconds?: number;
  /** What the account has used of the interface today; the headers leave out counters without a limit. */
  quota?: QuotaFacts;
  window?: TimeWindow;
  revision?: number;
  /** The build id of the pack that the answer is read from. */
  buildId?: string;
  rows?: number;
  /** Unknown parameters that the deployment ignored instead of refusing. */
  unknownParameters?: readonly string[];
}

/** Returns the headers for `facts`, without the content headers. */
export function answerHeaders(facts: AnswerFacts): Headers {
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
  if (facts.quota !== undefined) setQuotaHeaders(headers, facts.quota);
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
export interface Quota {
  name: "requests" | "files";
  limit: number;
  used: number;
  resetSeconds: number;
}

/**
 * Writes `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-11: lists of strings with
 * parameters q(uota), w(indow), r(emaining), t(ime to the reset). Writes nothing for an empty list.
 */
export function writeQuotas(headers: Headers, quotas: readonly Quota[]): void {
  if (quotas.length === 0) return;
  const policies = quotas.map(({ name, limit }) => `"${name}";q=${limit};w=${DAY_SECONDS}`);
  const states = quotas.map(
    ({ name, limit, used, resetSeconds }) => `"${name}";r=${Math.max(0, limit - used)};t=${resetSeconds}`,
  );
  headers.set("RateLimit-Policy", policies.join(", "));
  headers.set("RateLimit", states.join(", "));
}

function setQuotaHeaders(headers: Headers, { kind, limits, use }: QuotaFacts): void {
  const names = kind === "parquet" ? (["requests", "files"] as const) : (["requests"] as const);
  const quotas = names.flatMap((name) => {
    const limit = limits[name];
    return limit === null ? [] : [{ name, limit, used: use[name], resetSeconds: use.resetSeconds }];
  });
  writeQuotas(headers, quotas);
}
