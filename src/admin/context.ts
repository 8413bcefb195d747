/** Reads admin requests, whose bodies are parsed strictly, and converts the properties of answers. */
import type { Context } from "hono";
import type * as z from "zod";
import { readAtMost } from "../base/read-at-most.ts";
import { ok, refused } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import type { DatasetDay } from "../catalog/days.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { Operator } from "../entitlement/operators.ts";
import { type Env, nowMs, settingsOf } from "../env.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import { dataTypeSchema } from "./wire.ts";
import { beijingDateSchema, datasetSchema } from "./wire-fields.ts";

/** `operator` is the holder of the token in the request. */
export type AdminEnv = { Bindings: Env; Variables: { operator: Operator } };
export type AdminContext = Context<AdminEnv>;

/**
 * A route: the scopes that permit it besides `admin`, its handler, and the status of its answer (default 200). Routes
 * that `read` and `publish` permit return no customer data.
 */
export type Route = readonly [
  scopes: "read" | "publish" | "read publish" | "admin",
  handle: (c: AdminContext) => Promise<Answered<object>>,
  status?: 201,
];

/** Routes by method and path below `/admin`. A path without parameters comes before the patterns that match it. */
export type Routes = Readonly<Record<string, Route>>;

/** The maximum size of a JSON body. Ten years of calendar days or 1,000 imported keys are far smaller. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Reads a part of a request. Returns its value, or a refusal. */
type Reader<Value> = (c: AdminContext) => Answered<Value> | Promise<Answered<Value>>;

/**
 * Returns a function that reads the request with `readers` in order and passes the values to `answer`. When a reader
 * refuses, its refusal is the result. The function is the handler of a route, or a reader itself.
 *
 * @example reading([dayOf, bodyOf(wire.withdrawDaySchema)], async (c, day, { note }) => …)
 */
export function reading<Values extends readonly unknown[], Value>(
  readers: readonly [...{ [Place in keyof Values]: Reader<Values[Place]> }],
  answer: (c: AdminContext, ...values: Values) => Answered<Value> | Promise<Answered<Value>>,
): (c: AdminContext) => Promise<Answered<Value>> {
  return async (c) => {
    const values: unknown[] = [];
    for (const read of readers) {
      const part = await read(c);
      if (!part.ok) return part;
      values.push(part.value);
    }
    return answer(c, ...(values as unknown as Values));
  };
}

/**
 * Returns the reader of a JSON body, which is parsed with `schema`. If the body is empty and `whenEmpty` is given,
 * `whenEmpty` is parsed instead.
 */
export function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  whenEmpty?: z.input<Schema>,
): Reader<z.output<Schema>> {
  return async (c) => {
    const bytes = await readAtMost(c.req.raw.body, MAX_BODY_BYTES);
    if (bytes === null) return refused({ reason: "body_too_large", maxBytes: MAX_BODY_BYTES });
    if (bytes.length === 0 && whenEmpty !== undefined) return parsed(schema, whenEmpty, "The body");
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
    } catch {
      const problem = "it is not JSON in UTF-8";
      return refused({ reason: "malformed", what: "The body", place: "", problem });
    }
    return parsed(schema, value, "The body");
  };
}

/** Returns the reader of the whole query. */
export function queryOf<Schema extends z.ZodType>(schema: Schema): Reader<z.output<Schema>> {
  return (c) => parsed(schema, c.req.query(), "The query");
}

/** Returns the reader of one parameter of the query. */
export function inQuery<Schema extends z.ZodType>(name: string, schema: Schema): Reader<z.output<Schema>> {
  return (c) => parsed(schema, c.req.query(name), name);
}

/** Returns the reader of one parameter of the path. */
export function inPath<Schema extends z.ZodType>(name: string, schema: Schema): Reader<z.output<Schema>> {
  return (c) => parsed(schema, c.req.param(name), `The ${name} in the path`);
}

/** Returns `value` parsed with `schema`, or a refusal that names `what` and the path of the first problem. */
function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): Answered<z.output<Schema>> {
  const result = schema.safeParse(value);
  if (result.success) return ok(result.data);
  const [issue] = result.error.issues;
  const place = masked((issue?.path ?? []).join("."));
  return refused({ reason: "malformed", what, place, problem: masked(issue?.message ?? "invalid") });
}

/** Masks all that looks like a key or a token, because a caller may have sent one as a property name. */
function masked(text: string): string {
  return text.replaceAll(/(eta?_)[0-9A-Za-z]+/g, "$1…");
}

/** Returns the refusal for an unknown `id`. Masks everything in the id that looks like a key or a token. */
export function absent(noun: string, id: string): AdminRefusal {
  const shown = masked(id).slice(0, 100);
  return { reason: "absent", what: shown === "" ? `${noun} with an empty id` : `${noun} ${shown}` };
}

/** Returns the dataset in the query (orders when absent), or a refusal. */
export const datasetOf = inQuery("dataset", datasetSchema.default("orders"));

/** Returns the data type in the path, or a refusal. */
export const dataTypeOf = inPath("type", dataTypeSchema);

/** Returns the day in the path, or a refusal. */
export const tradedateOf = inPath("date", beijingDateSchema);

/** Returns the day in the path and the dataset in the query (orders when absent), or a refusal. */
export const dayOf = reading(
  [datasetOf, tradedateOf],
  (_, dataset, tradedate): Answered<DatasetDay> => ok({ dataset, tradedate }),
);

/** Returns the operator and the current time. */
export function byOf(c: AdminContext): By {
  return { actor: c.get("operator").actor, nowMs: nowMs(settingsOf(c.env)) };
}

/** Matches the names of properties that hold instants. Other names that end in `Ms` hold durations. */
const INSTANT = /^(at|start|end|until)Ms$|AtMs$/;
type InstantName = "atMs" | "startMs" | "endMs" | "untilMs" | `${string}AtMs`;

/** The type that `readable` returns: every instant is text, and the name of its property has no `Ms`. */
export type Readable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Each)[]
    ? Readable<Each>[]
    : {
        [Name in keyof Value as Name extends InstantName & `${infer Short}Ms`
          ? Short
          : Name]: Name extends InstantName ? string | Extract<Value[Name], null> : Readable<Value[Name]>;
      };

/**
 * Returns a copy of `value` in which every instant, at any depth, is RFC 3339 text in Beijing time or null. The names
 * of these properties lose `Ms`: `endMs` becomes `end`. Durations keep their names and stay in milliseconds.
 *
 * @example readable({ keyId: "key_1", revokedAtMs: null }) // { keyId: "key_1", revokedAt: null }
 */
export function readable<Value>(value: Value): Readable<Value> {
  return converted(value) as Readable<Value>;
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!INSTANT.test(name) || !(typeof member === "number" || member === null))
        return [name, converted(member)];
      return [name.slice(0, -2), member === null ? null : beijingTimestamp(member)];
    }),
  );
}

/**
 * Returns an object with the `dataset` property of an answer. For orders the object is empty, because earlier versions
 * of the CLI refuse the property.
 */
export function nameOf(dataset: DatasetName): { dataset?: DatasetName } {
  return dataset === "orders" ? {} : { dataset };
}
