/** `params` of `file_download` as one checked value (contract 3.11, 3.12). Pure. */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DATA_TYPES, type DataType, FIRST_YEAR } from "../../entitlement/data-types.ts";
import {
  givenParameters,
  lazily,
  type ParameterOptions,
  type Problem,
  readParameters,
  wholeNumberParameter,
} from "../../orders/query/parameters.ts";
import { invalid, type QueryDenial } from "../../orders/query/query-denial.ts";

const ACCEPTED_TYPES = DATA_TYPES.join(", ");

/** The parameters of a share. The valid years depend on the type and on today. */
export const shareParameters = lazily(() => {
  const year = wholeNumberParameter({ from: Math.min(...Object.values(FIRST_YEAR)), to: 9999 });
  return {
    data_type: {
      schema: z.enum(DATA_TYPES).meta({ description: "auction_tick (from 2022) or level2 (from 2017)." }),
      problemOf: (): Problem => ["value_unknown", ACCEPTED_TYPES],
    },
    year: { ...year, schema: year.schema.meta({ description: "At most the current year in Beijing." }) },
  };
});

/** A validated request for a share. */
export interface ShareQuery {
  dataType: DataType;
  /** The year, from the type's first one to the current one in Beijing. */
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
  const parameters = shareParameters();
  const found = givenParameters(params, Object.keys(parameters), options);
  if (!found.ok) return found;
  const { given, unknown } = found.value;
  const type = readParameters(parameters, ["data_type"], given);
  if (!type.ok) return refused({ ...type.refusal, accepted: ACCEPTED_TYPES });
  const { data_type: dataType } = type.value;
  const [from, to] = [FIRST_YEAR[dataType], Number(today.slice(0, 4))];
  const accepted = `${from}-${to}`;
  const asked = readParameters(parameters, ["year"], given);
  if (!asked.ok) return refused({ ...asked.refusal, accepted });
  const { year } = asked.value;
  if (year < from || year > to) {
    return refused({ ...invalid("year", "out_of_range", given.get("year")), accepted });
  }
  return ok({ dataType, year, unknownParameters: unknown });
}
