/** Sends a request as the signed-in holder and returns its outcome. */
import { filled, known, messages } from "./dom.js";

/** @typedef {import("./request.js").Body} Body */
/** @typedef {import("./answer-data.js").Row} Row */
/**
 * An answer of the service.
 *
 * @typedef {object} Answer
 * @property {number} code
 * @property {string} message
 * @property {{ fields?: string[], items?: Row[], next_cursor?: string | null } | null} data
 */
/**
 * The outcome of a request. `file` is set when the response is a file, which the caller reads. `answer` and `text` are
 * set when JSON was received. In all other cases `failed` is a sentence that says why. `reload` is set if the page must
 * be reloaded.
 *
 * @typedef {object} Result
 * @property {Response} [response]
 * @property {boolean} [file]
 * @property {Answer} [answer]
 * @property {string} [text]
 * @property {string} [failed]
 * @property {boolean} [reload]
 */

/**
 * Sends `body` and returns the outcome.
 *
 * @param {Body} body
 * @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
export async function ask(body, signal) {
  let response;
  try {
    response = await fetch("/console/api", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Accept-Language": known.language,
        "X-Form-Token": known.formToken,
      },
      body: JSON.stringify(body),
      signal,
    });
  } catch {
    return { failed: signal.aborted ? messages.stopped : messages.unreachable };
  }
  if ((response.headers.get("Content-Type") ?? "").includes("parquet")) return { response, file: true };
  /** @param {string} sentence */
  const failed = (sentence) => ({ failed: [sentence, idText(response)].join(" · "), response });
  let text;
  try {
    text = await response.text();
  } catch {
    return failed(signal.aborted ? messages.stopped : messages.brokenOff);
  }
  const answer = parsed(text);
  if (answer === null) return failed(filled(messages.notUnderstood, { status: response.status }));
  if ("error" in answer) return { failed: messages.refused[answer.error], reload: true };
  return { response, answer, text };
}

/**
 * Parses `text` as an answer or as the console's own refusal. Returns null if it is not JSON or not an object.
 *
 * @param {string} text
 * @returns {Answer | { error: keyof typeof messages.refused } | null}
 */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/**
 * Returns the request's id with its label, for support.
 *
 * @param {Response} response
 */
export function idText(response) {
  return `${messages.requestId} ${response.headers.get("X-Request-Id")}`;
}

/**
 * Returns today's remaining quota from the `RateLimit` header; an empty text if the plan has no limit.
 *
 * @param {Response} response
 */
export function quotaText(response) {
  const left = [...(response.headers.get("RateLimit") ?? "").matchAll(/"(\w+)";r=(\d+)/g)];
  return left
    .map(([, name = "", count]) =>
      filled(messages.left, { name: messages.quotas[name] ?? name, count: Number(count) }),
    )
    .join(", ");
}

/**
 * Returns a sentence with the seconds of the `Retry-After` header, or an empty text.
 *
 * @param {Response} response
 */
export function retryText(response) {
  const seconds = response.headers.get("Retry-After");
  return seconds === null ? "" : filled(messages.retryAfter, { seconds });
}

/**
 * Reads a whole file and calls `progress(bytes, total)` after each piece; `total` is 0 when it is unknown.
 *
 * @param {Response} response
 * @param {(bytes: number, total: number) => void} progress
 * @throws when the file is incomplete
 */
export async function readFile(response, progress) {
  const total = Number(response.headers.get("Content-Length") ?? 0);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("the answer has no body");
  const pieces = [];
  let bytes = 0;
  // The body is read with a reader, because some browsers cannot iterate a body.
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    progress(bytes, total);
  }
  if (total !== 0 && bytes !== total) throw new Error("the file broke off");
  return { blob: new Blob(pieces, { type: response.headers.get("Content-Type") ?? "" }), bytes };
}
