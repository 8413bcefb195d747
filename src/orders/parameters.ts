/**
 * What the parameters of all operations have in common (decisions 3): blanks, unknown names, and one zod schema
 * for each parameter, which reads its value and is also what `/openapi.json` says of it. A schema's messages are
 * made by `says`: the problem, and what is accepted where the problem alone does not tell.
 */
import * as z from "zod";
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import {
  excerptOf,
  invalid,
  type NameHint,
  type ParamInvalid,
  type ParamProblem,
  type QueryDenial,
} from "./denial.ts";
import { nearestName } from "./nearest-name.ts";

export interface ParameterOptions {
  /** `warn` lets unknown parameters pass and lists them. */
  unknownParameters: "refuse" | "warn";
}

/** The parameters that were given, by name, and the unknown names that the deployment lets pass. */
export interface GivenParameters {
  given: ReadonlyMap<string, unknown>;
  unknown: string[];
}

/** The schemas of an operation's parameters by name; one that may be left out takes `null` and `undefined` too. */
export type ParameterSchemas = Readonly<Record<string, z.ZodType>>;

/** What the schemas make of the values. */
export type Parsed<S extends ParameterSchemas, N extends keyof S = keyof S> = {
  [Name in N]: z.output<S[Name]>;
};

/** Members of the envelope that callers put into `params` by mistake. */
const ENVELOPE_MEMBERS: readonly string[] = ["apiname", "apikey", "fields", "params"];

/** Makes a value once, when it is first asked for: schemas cost a cold start more than anything that uses them. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The message of a schema: what is wrong with a value, and what is accepted. */
export function says(problem: ParamProblem, accepted?: string): string {
  return accepted === undefined ? problem : `${problem} ${accepted}`;
}

/**
 * The members of `params` that carry a value: `null`, `""` and blanks are the same as leaving one out.
 * Refuses the first name that is not `known`, with the nearest known one.
 */
export function givenParameters(
  params: Readonly<Record<string, unknown>>,
  known: readonly string[],
  { unknownParameters }: ParameterOptions,
): GivenParameters | QueryDenial {
  const given = new Map(Object.entries(params).filter(([, value]) => !isBlank(value)));
  const unknown = [...given.keys()].filter((name) => !known.includes(name));
  if (unknown[0] !== undefined && unknownParameters === "refuse") {
    const parameter = excerptOf(unknown[0]);
    return { reason: "param_unknown", parameter, hint: hintFor(unknown[0], known), known };
  }
  return { given, unknown: unknown.map(excerptOf) };
}

/** The parameters of these `names`, read in this order; refuses the first that is missing or wrong. */
export function readParameters<S extends ParameterSchemas, N extends keyof S & string>(
  schemas: S,
  names: readonly N[],
  given: ReadonlyMap<string, unknown>,
): Parsed<S, N> | ParamInvalid {
  const values: Partial<Record<N, unknown>> = {};
  for (const name of names) {
    const value = given.get(name);
    const parsed = schemas[name]?.safeParse(value);
    if (parsed?.success === false) return refusalOf(name, value, parsed.error);
    values[name] = parsed?.data;
  }
  return values as Parsed<S, N>;
}

/** All of `params` at once: unknown names first, then the values in the order of `schemas`. */
export function parseParameters<S extends ParameterSchemas>(
  params: Readonly<Record<string, unknown>>,
  schemas: S,
  options: ParameterOptions,
): { values: Parsed<S>; unknown: string[] } | QueryDenial {
  const names = Object.keys(schemas) as (keyof S & string)[];
  const parameters = givenParameters(params, names, options);
  if ("reason" in parameters) return parameters;
  const values = readParameters(schemas, names, parameters.given);
  return isRefusal(values) ? values : { values: values as Parsed<S>, unknown: parameters.unknown };
}

/** A `tradedate`: a string of eight digits that is a real date. */
export function tradedateSchema() {
  return z
    .string(says("not_string"))
    .regex(/^\d{8}$/, says("not_a_date"))
    .refine((text) => parseBeijingDate(text) !== null, says("not_a_date"))
    .meta({ examples: ["20260311"] })
    .transform((text) => text as BeijingDate);
}

/** A JSON integer or a string of decimal digits from `from` to `to`, both included. */
export function wholeNumberSchema({ from, to }: { from: number; to: number }) {
  const [notInteger, outOfRange] = [
    says("not_integer", `${from}-${to}`),
    says("out_of_range", `${from}-${to}`),
  ];
  const number = z.int(notInteger).min(from, outOfRange).max(to, outOfRange);
  const digits = z.string().regex(/^\d{1,15}$/, notInteger);
  return z.union([number, digits.transform(Number).pipe(number)], notInteger);
}

/** Whether `readParameters` refused: no parameter is called `reason`. */
function isRefusal(read: object): read is ParamInvalid {
  return "reason" in read;
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

function hintFor(name: string, known: readonly string[]): NameHint | null {
  if (ENVELOPE_MEMBERS.includes(name)) return { kind: "envelope", name };
  const nearest = nearestName(name, known);
  return nearest === null ? null : { kind: "nearest", name: nearest };
}
