/**
 * Parses the parameters of all operations (contract 3.1, 3.2, 3.3): blanks, unknown names, and one zod schema for each
 * parameter, which parses its value and documents it in `/openapi.json`. `says` makes a schema's messages: the problem,
 * and what is accepted if the problem does not say it.
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

export interface ParameterOptions {
  /** `warn` accepts unknown parameters and lists them. */
  unknownParameters: "refuse" | "warn";
}

/** The given parameters by name, and the unknown names that the deployment accepted. */
export interface GivenParameters {
  given: ReadonlyMap<string, unknown>;
  unknown: string[];
}

/** The schemas of an operation's parameters by name; that of an optional parameter accepts `null` and `undefined`. */
export type ParameterSchemas = Readonly<Record<string, z.ZodType>>;

/** The parsed values. */
export type Parsed<S extends ParameterSchemas, N extends keyof S = keyof S> = {
  [Name in N]: z.output<S[Name]>;
};

/** Members of the envelope that callers put into `params` by mistake. */
const ENVELOPE_MEMBERS: readonly string[] = ["apiname", "apikey", "fields", "params"];

/**
 * Parameters of paging by numbers, which generic clients send with every request, with the values that mean the first
 * page and are ignored. Names are normalised by `folded`.
 */
const PAGING: ReadonlyMap<string, readonly string[]> = new Map([
  ["offset", ["0"]],
  ["skip", ["0"]],
  ...["page", "pageno", "pagenum", "pagenumber", "pageindex", "currentpage"].map(
    (name): [string, string[]] => [name, ["0", "1"]],
  ),
]);

/** Normalised names of other services that are too different for `nearestName`. */
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

/** Returns the message of a schema: what is wrong with a value, and what is accepted. */
export function says(problem: ParamProblem, accepted?: string): string {
  return accepted === undefined ? problem : `${problem} ${accepted}`;
}

/**
 * Returns the members of `params` with a value, texts trimmed: `null`, `""` and blanks mean absent, as does the first
 * page of paging by numbers. Refuses the first name that is not `known`, with the nearest known one.
 */
export function givenParameters(
  params: Readonly<Record<string, unknown>>,
  known: readonly string[],
  { unknownParameters }: ParameterOptions,
): Result<GivenParameters, QueryDenial> {
  const given = new Map<string, unknown>();
  for (const [name, value] of Object.entries(params)) {
    if (isBlank(value) || (!known.includes(name) && isFirstPage(name, value))) continue;
    given.set(name, typeof value === "string" ? value.trim() : value);
  }
  const unknown = [...given.keys()].filter((name) => !known.includes(name));
  if (unknown[0] !== undefined && unknownParameters === "refuse") {
    const parameter = excerptOf(unknown[0]);
    return refused({ reason: "param_unknown", parameter, hint: hintFor(unknown[0], known), known });
  }
  return ok({ given, unknown: unknown.map(excerptOf) });
}

/** Parses the parameters of these `names` in this order. Refuses the first that is missing or invalid. */
export function readParameters<S extends ParameterSchemas, N extends keyof S & string>(
  schemas: S,
  names: readonly N[],
  given: ReadonlyMap<string, unknown>,
): Result<Parsed<S, N>, ParamInvalid> {
  const values: Partial<Record<N, unknown>> = {};
  for (const name of names) {
    const value = given.get(name);
    const parsed = schemas[name]?.safeParse(value);
    if (parsed?.success === false) return refused(refusalOf(name, value, parsed.error));
    values[name] = parsed?.data;
  }
  return ok(values as Parsed<S, N>);
}

/** Parses all of `params`: unknown names first, then the values in the order of `schemas`. */
export function parseParameters<S extends ParameterSchemas>(
  params: Readonly<Record<string, unknown>>,
  schemas: S,
  options: ParameterOptions,
): Result<{ values: Parsed<S>; unknown: string[] }, QueryDenial> {
  const names = Object.keys(schemas) as (keyof S & string)[];
  const parameters = givenParameters(params, names, options);
  if (!parameters.ok) return parameters;
  const { given, unknown } = parameters.value;
  const values = readParameters(schemas, names, given);
  return values.ok ? ok({ values: values.value as Parsed<S>, unknown }) : values;
}

/** Returns the schema of `tradedate`: a string of eight digits that is a real date. */
export function tradedateSchema() {
  return z
    .string({ error: ({ input }) => says("not_string", dateMeant(input)) })
    .regex(/^\d{8}$/, { error: ({ input }) => says("not_a_date", dateMeant(input)) })
    .refine((text) => parseBeijingDate(text) !== null, says("not_a_date"))
    .meta({ examples: ["20260311"] })
    .transform((text) => text as BeijingDate);
}

/** Returns the schema of `dataset`, which defaults to orders. */
export function datasetSchema() {
  return z
    .enum(DATASET_NAMES, says("value_unknown", DATASET_NAMES.join(", ")))
    .meta({ description: "Which dataset; orders when left out.", examples: ["trades"] });
}

/** Returns the day that a number or a text with separators means as YYYYMMDD, or undefined. */
function dateMeant(input: unknown): string | undefined {
  if (typeof input !== "string" && typeof input !== "number") return undefined;
  const [, year = "", month = "", day = ""] =
    /^(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?$/.exec(String(input)) ?? [];
  const text = year + month.padStart(2, "0") + day.padStart(2, "0");
  return parseBeijingDate(text) === null ? undefined : text;
}

/** Returns the schema of a JSON integer or decimal string from `from` to `to`, both inclusive. */
export function wholeNumberSchema({ from, to }: { from: number; to: number }) {
  const [notInteger, outOfRange] = [
    says("not_integer", `${from}-${to}`),
    says("out_of_range", `${from}-${to}`),
  ];
  const number = z.int(notInteger).min(from, outOfRange).max(to, outOfRange);
  const digits = z.string().regex(/^\d{1,15}$/, notInteger);
  return z.union([number, digits.transform(Number).pipe(number)], notInteger);
}

function refusalOf(parameter: string, value: unknown, { issues }: z.ZodError): ParamInvalid {
  if (value === undefined) return invalid(parameter, "missing");
  const [problem = "", ...accepted] = (issues[0]?.message ?? "").split(" ");
  const refusal = invalid(parameter, problem as ParamProblem, value);
  return accepted.length === 0 ? refusal : { ...refusal, accepted: accepted.join(" ") };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** Returns whether a parameter requests the first page in another service's form; a list of one value is that value. */
function isFirstPage(name: string, value: unknown): boolean {
  const [only = value] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  if (typeof only !== "string" && typeof only !== "number") return false;
  return PAGING.get(folded(name))?.includes(String(only).trim()) ?? false;
}

/** Normalises a name: lower case, without separators. Longer texts are not parameter names. */
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
