/** Checks that hold for every answer and log line, whatever the request. */
import type { Answer } from "../support/http-client.ts";
import type { IssuedSecrets } from "../support/issued-secrets.ts";
import type { Service } from "../support/service.ts";
import { type Area, STATUSES } from "./hostile-requests.ts";

const CODES = [200, 1002, 403, 422, 429];
/** A stack trace, a source file or an exception's name. */
const INSIDE = /\bat \S+ \(|\.[jt]s:\d|Error:/;
/** The maximum size of an answer. The largest answers are console pages and admin lists. */
const MAX_ANSWER_BYTES = 2_000_000;

/**
 * Expects a valid envelope with a documented code, no fault, no internal details and no key. Returns the reason of a
 * refusal, or `served`.
 */
export function expectEnvelope(answer: Answer): string {
  const about = () => `HTTP ${answer.status} ${answer.text.slice(0, 400)}`;
  if (answer.headers["content-type"] === "application/vnd.apache.parquet") {
    if (answer.status !== 200) throw new Error(about());
    return "served";
  }
  const { envelope, text } = answer;
  const wellFormed =
    Object.keys(envelope).join() === "code,message,data" &&
    CODES.includes(envelope.code) &&
    typeof envelope.message === "string" &&
    (envelope.code === 200) === (envelope.data !== null) &&
    answer.status < 500;
  if (!wellFormed) throw new Error(about());
  if (INSIDE.test(text) || /\bet_[0-9A-Za-z]{20}/.test(text)) throw new Error(`leaks: ${about()}`);
  return answer.reason ?? "served";
}

/**
 * Expects a status that `area` may return, no internal details and none of `secrets`. Returns the area and the status.
 */
export function expectAreaAnswer(area: Area, answer: Answer, secrets: IssuedSecrets): string {
  const about = () => `HTTP ${answer.status} ${answer.text.slice(0, 400)}`;
  if (!STATUSES[area].includes(answer.status))
    throw new Error(`a status that ${area} must not return: ${about()}`);
  if (answer.bytes.length > MAX_ANSWER_BYTES) throw new Error(`too large: ${about()}`);
  // Documentation pages quote error texts, so they are not checked for internal details.
  if (area !== "docs" && INSIDE.test(answer.text)) throw new Error(`leaks internals: ${about()}`);
  const told = `${JSON.stringify(answer.headers)} ${answer.text}`;
  if (secrets.in(told).length > 0) throw new Error(`leaks a secret: ${about()}`);
  return `${area} ${answer.status}`;
}

/**
 * Expects no fault and no secret in the log lines since the last call, except in lines that match `but`. Clears the
 * log.
 */
export function expectCleanLog(service: Service, but?: RegExp): void {
  const lines = service.logs.splice(0).filter((line) => but?.test(line) !== true);
  const faults = lines.filter((line) => /"kind":"fault"|"fault":|_fault"|Uncaught|Error:/.test(line));
  if (faults.length > 0)
    throw new Error(`${faults.length} faults in the log: ${faults.slice(0, 3).join("\n")}`);
  const leaked = service.secrets.in(lines.join("\n"));
  if (leaked.length > 0) throw new Error(`secrets in the log: ${leaked.join(", ")}`);
}
