/** `params` of `file_download` as one checked value (spec 4.1, 4.2; decisions 3). Pure. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DATA_TYPES, type DataType, dataTypeOf, FIRST_YEAR } from "../../entitlement/data-types.ts";
import { invalid, type ParamInvalid, type QueryDenial } from "../../orders/denial.ts";
import { givenParameters, type ParameterOptions, parseInteger } from "../../orders/parameters.ts";

const SHARE_PARAMETERS = ["data_type", "year"] as const;

/** A checked question for a share. */
export interface ShareQuery {
  dataType: DataType;
  /** From the type's first year to the present one in Beijing. */
  year: number;
  /** Unknown parameters that the deployment lets pass. */
  unknownParameters: string[];
}

/**
 * Reads the parameters of a share; `today` is the Beijing day. Refuses unknown names first, then an absent
 * or unknown type, then a year that is none or out of the type's range, naming what is accepted.
 */
export function parseShareQuery(
  params: Readonly<Record<string, unknown>>,
  today: BeijingDate,
  options: ParameterOptions,
): ShareQuery | QueryDenial {
  const parameters = givenParameters(params, SHARE_PARAMETERS, options);
  if ("reason" in parameters) return parameters;
  const { given, unknown } = parameters;
  const dataType = parseDataType(given.get("data_type"));
  if (typeof dataType === "object") return dataType;
  const years = { from: FIRST_YEAR[dataType], to: Number(today.slice(0, 4)) };
  const year = parseInteger("year", given.get("year"), years);
  if (year === null) return { ...invalid("year", "missing"), accepted: `${years.from}-${years.to}` };
  return typeof year === "object" ? year : { dataType, year, unknownParameters: unknown };
}

function parseDataType(value: unknown): DataType | ParamInvalid {
  const accepted = DATA_TYPES.join(", ");
  if (value === undefined) return { ...invalid("data_type", "missing"), accepted };
  return dataTypeOf(value) ?? { ...invalid("data_type", "value_form", value), accepted };
}
