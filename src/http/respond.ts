/** Builds the answers of `/api` to served and refused requests, in the response envelope of contract 1.3. */

import type { Language } from "../base/language.ts";
import type { Denial } from "./denial.ts";
import { type AnswerFacts, answerHeaders, writeQuotas } from "./headers.ts";
import { type AnswerFormat, messageOf, outcomeOf } from "./outcome.ts";

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
