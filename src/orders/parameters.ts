/** What the parameters of all operations have in common (decisions 3): blanks, unknown names, dates, numbers. */
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { excerptOf, invalid, type NameHint, type ParamInvalid, type QueryDenial } from "./denial.ts";
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

/** Members of the envelope that callers put into `params` by mistake. */
const ENVELOPE_MEMBERS: readonly string[] = ["apiname", "apikey", "fields", "params"];

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

/** A `tradedate` parameter: a string of eight digits that is a real date; `null` when left out. */
export function parseTradedate(value: unknown): BeijingDate | null | ParamInvalid {
  if (value === undefined) return null;
  if (typeof value !== "string") return invalid("tradedate", "not_string", value);
  return parseBeijingDate(value) ?? invalid("tradedate", "not_a_date", value);
}

/** A JSON integer or a string of decimal digits from `from` to `to`, both included; `null` when left out. */
export function parseInteger(
  parameter: string,
  value: unknown,
  { from, to }: { from: number; to: number },
): number | null | ParamInvalid {
  if (value === undefined) return null;
  const accepted = `${from}-${to}`;
  const integer = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof integer !== "number" || !Number.isSafeInteger(integer)) {
    return { ...invalid(parameter, "not_integer", value), accepted };
  }
  if (integer < from || integer > to) return { ...invalid(parameter, "out_of_range", value), accepted };
  return integer;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function hintFor(name: string, known: readonly string[]): NameHint | null {
  if (ENVELOPE_MEMBERS.includes(name)) return { kind: "envelope", name };
  const nearest = nearestName(name, known);
  return nearest === null ? null : { kind: "nearest", name: nearest };
}
