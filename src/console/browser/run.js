/** Sends a request as the signed-in holder and says what became of it. */
import { known, words } from "./known.js";
import { filled } from "./table.js";

/**
 * The answer to `body`: `{response, file: true}` when a file begins, `{response, answer, text}` for JSON, else
 * `{failed}`, a sentence that says why there is neither, with the request's id where one is known.
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
    return { failed: signal.aborted ? words.stopped : words.unreachable };
  }
  if ((response.headers.get("Content-Type") ?? "").includes("parquet")) return { response, file: true };
  const failed = (sentence) => ({ failed: [sentence, idText(response)].join(" · "), response });
  let text;
  try {
    text = await response.text();
  } catch {
    return failed(signal.aborted ? words.stopped : words.brokenOff);
  }
  const answer = parsed(text);
  if (answer?.error !== undefined) return { failed: words.refused[answer.error], reload: true };
  if (answer === null) return failed(filled(words.notUnderstood, { status: response.status }));
  return { response, answer, text };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The request's id with its name, for support. */
export function idText(response) {
  return `${words.requestId} ${response.headers.get("X-Request-Id")}`;
}

/** What is left today, from the headers that programs get too; empty where nothing is limited. */
export function quotaText(response) {
  const left = [...(response.headers.get("RateLimit") ?? "").matchAll(/"(\w+)";r=(\d+)/g)];
  return left
    .map(([, name, count]) => filled(words.left, { name: words.quotas[name] ?? name, count: Number(count) }))
    .join(", ");
}

/** What an answer says about asking again, or nothing. */
export function retryText(response) {
  const seconds = response.headers.get("Retry-After");
  return seconds === null ? "" : filled(words.retryAfter, { seconds });
}

/**
 * Reads a file to its end, telling `progress(bytes, total)` on the way; `total` is 0 when it is not known.
 * Throws when it does not come whole.
 */
export async function readFile(response, progress) {
  const total = Number(response.headers.get("Content-Length") ?? 0);
  const reader = response.body.getReader();
  const pieces = [];
  let bytes = 0;
  // Not every browser lets a body be iterated.
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    progress(bytes, total);
  }
  if (total !== 0 && bytes !== total) throw new Error("the file broke off");
  return { blob: new Blob(pieces, { type: response.headers.get("Content-Type") }), bytes };
}
