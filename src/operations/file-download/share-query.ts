/** `params` of `file_download` as one checked value (contract 3.11, 3.12). Pure. */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DATA_TYPES, type DataType, FIRST_YEAR } from "../../entitlement/data-types.ts";
import {
  givenParameters,
  lazily,
  type ParameterOptions,
  readParameters,
  says,
  wholeNumberSchema,
} from "../../orders/query/parameters.ts";
import { invalid, type QueryDenial } from "../../orders/query/query-denial.ts";

const ACCEPTED_TYPES = DATA_TYPES.join(", ");

/** The parameters of a share. The valid years depend on the type and on today, as the message says. */
export const shareParameters = lazily(() => ({
  data_type: z
    .enum(DATA_TYPES, says("value_unknown", ACCEPTED_TYPES))
    .meta({ description: "auction_tick from 2022, level2 from 2017." }),
  year: wholeNumberSchema({ from: Math.min(...Object.values(FIRST_YEAR)), to: 9999 }).meta({
    description: "Up to the present year in Beijing.",
  }),
}));

/** A validated request for a share. */
export interface ShareQuery {
  dataType: DataType;
  /** From the type's first year to the current one in Beijing. */
  year: number;
  /** Unknown parameters that the deployment accepted. */
  unknownParameters: string[];
}

/**
 * Parses the parameters of a share; `today` is the Beijing day. Refuses unknown names first, then an absent or unknown
 * type, then an invalid year or one outside the type's range, naming what is accepted.
 */
export function parseShareQuery(
  params: Readonly<Record<string, unknown>>,
  today: BeijingDate,
  options: ParameterOptions,
): Result<ShareQuery, QueryDenial> {
  const schemas = shareParameters();
  const parameters = givenParameters(params, Object.keys(schemas), options);
  if (!parameters.ok) return parameters;
  const { given, unknown } = parameters.value;
  const type = readParameters(schemas, ["data_type"], given);
  if (!type.ok) return refused({ ...type.refusal, accepted: ACCEPTED_TYPES });
  const { data_type: dataType } = type.value;
  const [from, to] = [FIRST_YEAR[dataType], Number(today.slice(0, 4))];
  const accepted = `${from}-${to}`;
  const asked = readParameters(schemas, ["year"], given);
  if (!asked.ok) return refused({ ...asked.refusal, accepted });
  const { year } = asked.value;
  if (year < from || year > to) {
    return refused({ ...invalid("year", "out_of_range", given.get("year")), accepted });
  }
  return ok({ dataType, year, unknownParameters: unknown });
}
