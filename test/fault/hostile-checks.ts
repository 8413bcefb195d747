/** What no answer and no line of the log may be, whatever was asked. */
import type { Answer } from "../support/http-client.ts";
import type { IssuedSecrets } from "../support/issued-secrets.ts";
import type { Service } from "../support/service.ts";
import { type Area, STATUSES } from "./hostile-requests.ts";

const CODES = [200, 1002, 403, 422, 429];
/** A stack, a file of ours, an exception's name. */
const INSIDE = /\bat \S+ \(|\.[jt]s:\d|Error:/;
/** No answer to a hostile request is larger: pages of the console and lists of the admin API. */
const MAX_ANSWER_BYTES = 2_000_000;

/** A valid envelope with a code of the table, no fault, nothing of the inside, no key; returns its reason. */
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

/** A status of the area, nothing of the inside, none of `secrets`; returns area and status. */
export function expectAreaAnswer(area: Area, answer: Answer, secrets: IssuedSecrets): string {
  const about = () => `HTTP ${answer.status} ${answer.text.slice(0, 400)}`;
  if (!STATUSES[area].includes(answer.status)) throw new Error(`a status that ${area} has not: ${about()}`);
  if (answer.bytes.length > MAX_ANSWER_BYTES) throw new Error(`too large: ${about()}`);
  // The pages of the documentation speak of errors.
  if (area !== "docs" && INSIDE.test(answer.text)) throw new Error(`leaks the inside: ${about()}`);
  const told = `${JSON.stringify(answer.headers)} ${answer.text}`;
  if (secrets.in(told).length > 0) throw new Error(`leaks a secret: ${about()}`);
  return `${area} ${answer.status}`;
}

/** No fault and no secret in the lines since the last look, which are then forgotten; lines like `but` may be. */
export function expectCleanLog(service: Service, but?: RegExp): void {
  const lines = service.logs.splice(0).filter((line) => but?.test(line) !== true);
  const faults = lines.filter((line) => /"kind":"fault"|"fault":|_fault"|Uncaught|Error:/.test(line));
  if (faults.length > 0)
    throw new Error(`${faults.length} faults in the log: ${faults.slice(0, 3).join("\n")}`);
  const leaked = service.secrets.in(lines.join("\n"));
  if (leaked.length > 0) throw new Error(`secrets in the log: ${leaked.join(", ")}`);
}
