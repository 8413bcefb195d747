/**
 * Parses the parameters of all operations (contract 3.1, 3.2, 3.3). It handles blanks and unknown names. One zod schema
 * for each parameter parses its value and documents it in `/openapi.json`. A schema only accepts or refuses;
 * `problemOf` describes what is wrong with a refused value.
 */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import { DATASET_NAMES } from "../../datasets/registry.ts";
import { nearestName } from "./nearest-name.ts";
import {
  excerptOf,
  invalid,
  type NameHint,
  type ParamInvalid,
  type ParamProblem,
  type QueryDenial,
} from "./query-denial.ts";

/** What happens to unknown parameters. `warn` accepts and lists them. */
export type OnUnknown = "refuse" | "warn";

/** The problem of a refused value. `accepted` names the accepted values when the text of the problem does not. */
export type Problem = readonly [problem: ParamProblem, accepted?: string | undefined];

/** The schema of a parameter, and the function that describes a refused value. */
export interface Parameter<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  problemOf: (refused: unknown) => Problem;
}

/** An operation's parameters by name; the schema of an optional one accepts `null` and `undefined`. */
export type ParameterSet = Readonly<Record<string, Parameter>>;

/** The parsed values. */
export type Parsed<P extends ParameterSet, N extends keyof P = keyof P> = {
  [Name in N]: z.output<P[Name]["schema"]>;
};

/** Members of the envelope that callers put into `params` by mistake. */
const ENVELOPE_MEMBERS: readonly string[] = ["apiname", "apikey", "fields", "params"];

/**
 * Parameters for paging by page number or offset, which generic clients send with every request. Each name has the
 * values that mean the first page; a parameter with such a value is ignored. Names are normalised by `folded`.
 */
const PAGING: ReadonlyMap<string, readonly string[]> = new Map([
  ["offset", ["0"]],
  ["skip", ["0"]],
  ...["page", "pageno", "pagenum", "pagenumber", "pageindex", "currentpage"].map(
    (name): [string, string[]] => [name, ["0", "1"]],
  ),
]);

/**
 * Names that other services use, normalised by `folded`, each with the name that this service uses. They are too
 * different for `nearestName` to find.
 */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tradedate: "date day dt tradingday tradingdate",
    symbol: "code tscode stock stockcode seccode secucode security securityid ticker instrument",
    start_time: "start begin begintime from",
    end_time: "end until to",
    page_size: "size rows count perpage",
    cursor: "next token pagetoken continuation",
    format: "output type filetype",
  }).flatMap(([name, others]) => others.split(" ").map((other): [string, string] => [other, name])),
);

/** Returns a function that makes a value on first use, because creating schemas would slow down every cold start. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns the optional form of a parameter with its documentation. */
export function optional<Schema extends z.ZodType>(
  { schema, problemOf }: Parameter<Schema>,
  meta: { description: string; examples?: unknown[] },
): Parameter<z.ZodOptional<z.ZodNullable<Schema>>> {
  return { schema: schema.nullish().meta(meta), problemOf };
}

/** Returns the schemas of `parameters` by name. */
export function schemasOf<P extends ParameterSet>(parameters: P): { [Name in keyof P]: P[Name]["schema"] } {
  const schemas = Object.entries(parameters).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(schemas) as { [Name in keyof P]: P[Name]["schema"] };
}

/**
 * Returns the members of `params` that have a value, with strings trimmed. `null`, `""` and blanks count as absent, and
 * so does a page number or offset that means the first page. Refuses the first name that is not `known`, with a hint at
 * what was probably meant; with `warn`, accepts such names and returns them as `unknown`.
 */
export function givenParameters(
  params: Readonly<Record<string, unknown>>,
  known: readonly string[],
  onUnknown: OnUnknown,
): Result<{ given: ReadonlyMap<string, unknown>; unknown: string[] }, QueryDenial> {
  const given = new Map<string, unknown>();
  for (const [name, value] of Object.entries(params)) {
    if (isBlank(value) || (!known.includes(name) && isFirstPage(name, value))) continue;
    given.set(name, typeof value === "string" ? value.trim() : value);
  }
  const unknown = [...given.keys()].filter((name) => !known.includes(name));
  if (unknown[0] !== undefined && onUnknown === "refuse") {
    const parameter = excerptOf(unknown[0]);
    return refused({ reason: "param_unknown", parameter, hint: hintFor(unknown[0], known), known });
  }
  return ok({ given, unknown: unknown.map(excerptOf) });
}

/** Parses the parameters `names` in this order. Refuses the first that is missing or invalid. */
export function readParameters<P extends ParameterSet, N extends keyof P & string>(
  parameters: P,
  names: readonly N[],
  given: ReadonlyMap<string, unknown>,
): Result<Parsed<P, N>, ParamInvalid> {
  const values: Partial<Record<N, unknown>> = {};
  for (const name of names) {
    const value = given.get(name);
    const { schema, problemOf } = parameters[name] as Parameter;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const [problem, accepted] = value === undefined ? (["missing"] as const) : problemOf(value);
      const refusal = invalid(name, problem, value);
      return refused(accepted === undefined ? refusal : { ...refusal, accepted });
    }
    values[name] = parsed.data;
  }
  return ok(values as Parsed<P, N>);
}

/** Checks all names in `params`, then parses the values in the order of `parameters`. */
export function parseParameters<P extends ParameterSet>(
  params: Readonly<Record<string, unknown>>,
  parameters: P,
  onUnknown: OnUnknown,
): Result<{ values: Parsed<P>; unknown: string[] }, QueryDenial> {
  const names = Object.keys(parameters) as (keyof P & string)[];
  const found = givenParameters(params, names, onUnknown);
  if (!found.ok) return found;
  const { given, unknown } = found.value;
  const values = readParameters(parameters, names, given);
  return values.ok ? ok({ values: values.value as Parsed<P>, unknown }) : values;
}

/** Returns the parameter `tradedate`: a string of eight digits that is a real date. */
export function tradedateParameter() {
  const schema = z
    .string()
    .regex(/^\d{8}$/)
    .refine((text) => parseBeijingDate(text) !== null)
    .meta({ examples: ["20260311"] })
    .transform((text) => text as BeijingDate);
  const problemOf = (value: unknown): Problem => [
    typeof value === "string" ? "not_a_date" : "not_string",
    dateMeant(value),
  ];
  return { schema, problemOf };
}

/** Returns the parameter `dataset`, which defaults to orders. */
export function datasetParameter() {
  const schema = z
    .enum(DATASET_NAMES)
    .meta({ description: "The dataset; orders when omitted.", examples: ["trades"] })
    .nullish();
  return { schema, problemOf: (): Problem => ["value_unknown", DATASET_NAMES.join(", ")] };
}

/** Returns a parameter that is a string in the form of `schema`; `accepted` shows the form. */
export function textParameter<Schema extends z.ZodType>(schema: Schema, accepted: string) {
  const problemOf = (value: unknown): Problem =>
    typeof value === "string" ? ["value_form", accepted] : ["not_string"];
  return { schema, problemOf };
}

/** Returns the day that a number or a text with separators means, as YYYYMMDD; undefined when it means no day. */
function dateMeant(input: unknown): string | undefined {
  if (typeof input !== "string" && typeof input !== "number") return undefined;
  const [, year = "", month = "", day = ""] =
    /^(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?$/.exec(String(input)) ?? [];
  const text = year + month.padStart(2, "0") + day.padStart(2, "0");
  return parseBeijingDate(text) === null ? undefined : text;
}

/** Returns a parameter that is a JSON integer or decimal string from `from` to `to`, both inclusive. */
export function wholeNumberParameter({ from, to }: { from: number; to: number }) {
  const number = z.int().min(from).max(to);
  const digits = z.string().regex(DIGITS);
  const schema = z.union([number, digits.transform(Number).pipe(number)]);
  const problemOf = (value: unknown): Problem => {
    const isWhole = Number.isSafeInteger(value) || (typeof value === "string" && DIGITS.test(value));
    return [isWhole ? "out_of_range" : "not_integer", `${from}-${to}`];
  };
  return { schema, problemOf };
}

/** The digits of a whole number that a double holds exactly. */
const DIGITS = /^\d{1,15}$/;

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * Returns whether a parameter requests the first page in another service's form. A list of one value counts as that
 * value.
 */
function isFirstPage(name: string, value: unknown): boolean {
  const [only = value] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  if (typeof only !== "string" && typeof only !== "number") return false;
  return PAGING.get(folded(name))?.includes(String(only).trim()) ?? false;
}

/**
 * Normalises a name: lower case, without separators. Only the first 32 characters are used, because no parameter name
 * is longer.
 */
function folded(name: string): string {
  return name
    .slice(0, 32)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, "");
}

function hintFor(name: string, known: readonly string[]): NameHint | null {
  if (ENVELOPE_MEMBERS.includes(name)) return { kind: "envelope", name };
  if (PAGING.has(folded(name)) && known.includes("cursor")) return { kind: "paging" };
  const other = OTHER_NAMES.get(folded(name));
  if (other !== undefined && known.includes(other)) return { kind: "nearest", name: other };
  const nearest = nearestName(name, known);
  return nearest === null ? null : { kind: "nearest", name: nearest };
}
