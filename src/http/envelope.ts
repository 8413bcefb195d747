/** Parses the request envelope (contract 1.2) from bytes into `apiname`, `apikey`, `params` and `fields`. */
import * as z from "zod";
import { parsedJson } from "../base/json.ts";
import { ok, type Result, refused } from "../base/result.ts";
import { HISTORY_PARAMETERS } from "../orders/query/query-denial.ts";
import type { EnvelopeDenial, RequiredMember } from "./denial.ts";

/** Parameters that belong in `params`; callers sometimes put them at the top level of the body by mistake. */
const PARAMETERS = [...HISTORY_PARAMETERS, "data_type", "year", "month"] as const;

/** The maximum size of a body. A larger one is refused with HTTP 413 (contract 1.2). */
export const BODY_LIMIT_BYTES = 64 * 1024;

/** The longest header value or URL, in characters. A longer one is refused before any pattern is matched against it. */
export const HEADER_LIMIT = 8 * 1024;

/**
 * Reading of a body that is too large stops after this many bytes. The body is read at all because a client that is
 * still sending does not read the answer.
 */
const DRAIN_BYTES = 1024 * 1024;

/** Checked without a copy, so that every name in `params` reaches the operation, which refuses unknown names. */
const jsonObject = z.custom<Record<string, unknown>>(isObject);

export const envelopeSchema = z.object({
  apiname: z.string().regex(/\S/),
  apikey: z.string().meta({ description: "The caller's key; keys in headers are ignored." }),
  params: jsonObject,
  /** Not checked here. The operations that use `fields` check its value. */
  fields: z.unknown().optional(),
});

export type Envelope = z.infer<typeof envelopeSchema>;

/**
 * Reads the request's body as a JSON object of at most 64 KiB. Ignores `Content-Type` and accepts a byte order mark.
 * Refuses a larger body (`body_too_large`) and anything that is not UTF-8, not JSON, not an object, or incomplete
 * (`envelope_invalid`).
 */
export async function readBody(request: Request): Promise<Result<Record<string, unknown>, EnvelopeDenial>> {
  let bytes: Uint8Array | null;
  try {
    bytes = await readLimited(request);
  } catch {
    // The connection broke. This is not a fault of the service, and the client does not receive the answer.
    return refused({ reason: "envelope_invalid", problem: "not_json" });
  }
  if (bytes === null) return refused({ reason: "body_too_large", limitBytes: BODY_LIMIT_BYTES });
  const text = decodeUtf8(bytes);
  if (text === null) return refused({ reason: "envelope_invalid", problem: "not_utf8" });
  const body = parsedJson(text);
  if (body === undefined) return refused({ reason: "envelope_invalid", problem: "not_json" });
  return isObject(body) ? ok(body) : refused({ reason: "envelope_invalid", problem: "not_object" });
}

/**
 * Returns the envelope of a decoded body. Refuses absent and wrongly typed members and names all of them. An empty
 * `apikey` is accepted here and later refused as an unknown key (contract 1.9). Other members are ignored. For an
 * `apiname` in `paramsOptional`, absent or null `params` count as `{}`.
 */
export function parseEnvelope(
  body: Readonly<Record<string, unknown>>,
  paramsOptional: ReadonlySet<unknown> = new Set(),
): Result<Envelope, EnvelopeDenial> {
  const apiname = trimmed(body.apiname);
  const isWhole = !paramsOptional.has(apiname) || (body.params ?? null) !== null;
  const params = isWhole ? body.params : {};
  const parsed = envelopeSchema.safeParse({ ...body, apiname, apikey: trimmed(body.apikey), params });
  if (parsed.success) return ok(parsed.data);
  const failed = new Set(parsed.error.issues.map((issue) => issue.path[0]));
  const members = (["apiname", "apikey", "params"] satisfies RequiredMember[]).filter((name) =>
    failed.has(name),
  );
  const wrong = members.filter((name) => !isAbsent(body[name]));
  const flat = members.includes("params") ? (PARAMETERS.find((name) => name in body) ?? null) : null;
  return refused({ reason: "envelope_invalid", problem: "members", members, wrong, flat });
}

function trimmed(value: unknown): unknown {
  return typeof value === "string" ? value.trim() : value;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * Refuses a request with a URL or a header value longer than `HEADER_LIMIT`; returns null otherwise. It runs before
 * authentication, so that all later code may assume short headers.
 */
export function oversized({ url, headers }: Pick<Request, "url" | "headers">): EnvelopeDenial | null {
  if (url.length > HEADER_LIMIT) return { reason: "not_found", path: "" };
  for (const [name, value] of headers) {
    if (value.length > HEADER_LIMIT) return { reason: "envelope_invalid", problem: "header_length", name };
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readLimited(request: Request): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(BODY_LIMIT_BYTES);
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    if (size + chunk.length <= BODY_LIMIT_BYTES) bytes.set(chunk, size);
    size += chunk.length;
    if (size > DRAIN_BYTES) break;
  }
  return size > BODY_LIMIT_BYTES ? null : bytes.subarray(0, size);
}

/** Returns the decoded text without a byte order mark; null if the bytes are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
