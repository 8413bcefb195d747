/** What callers ask for, as the service's parameters (contract 3). */
import { ConfigurationError } from "./errors.ts";
import type { Field, FieldName } from "./types.ts";
import { MOST_ROWS, type Selection } from "./walk.ts";

export interface SecurityQuery {
  /** `600519`, `600519.SH` or `sh600519`. */
  symbol: string;
  /** YYYYMMDD or YYYY-MM-DD; without it the newest trading day, loaded or not. */
  date?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface TimeQuery extends SecurityQuery {
  /** HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm, inclusive. */
  start?: string | undefined;
  /** The same forms, exclusive. */
  end?: string | undefined;
  /** Rows of a request, 1 to 10,000. */
  pageSize?: number | undefined;
}

export interface OrderQuery<F extends FieldName = Field> extends TimeQuery {
  /** Columns in the order wanted; the ten standard ones by default. */
  fields?: readonly F[] | undefined;
  /** Told when the day was rebuilt while it was read and is read again from its first row. */
  onRebuild?: ((tradedate: string | null) => void) | undefined;
}

export interface ParquetQuery extends SecurityQuery {
  fields?: readonly FieldName[] | undefined;
}

/** A walk needs it to continue elsewhere, whatever columns were asked for. */
const HELPER = "time";

const QUERY_OPTIONS = ["symbol", "date", "start", "end", "pageSize", "fields", "signal", "onRebuild"];

/** Refuses options that JavaScript would let pass: a misnamed `tradedate` would quietly ask for the newest day. */
function refuseUnknown(query: object): void {
  const unknown = Object.keys(query).find((name) => !QUERY_OPTIONS.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationError(`there is no option ${unknown}; there are ${QUERY_OPTIONS.join(", ")}`);
}

/** The walk's own terms; `hidesLast` when a column was added that nobody asked for. */
export function selectionOf(query: OrderQuery<FieldName>): { selection: Selection; hidesLast: boolean } {
  refuseUnknown(query);
  const { symbol, date, start, end, pageSize = MOST_ROWS } = query;
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new ConfigurationError("pageSize is 1 to 10,000");
  const fields = namesOf(query.fields);
  const hidesLast = fields !== null && !fields.includes(HELPER);
  return {
    hidesLast,
    selection: {
      params: { symbol, ...(start ? { start_time: start } : {}), ...(end ? { end_time: end } : {}) },
      tradedate: date ? dateOf(date) : null,
      fields: hidesLast ? [...fields, HELPER] : fields,
      pageSize: Math.min(pageSize, MOST_ROWS),
    },
  };
}

/** The body's members of a Parquet request. */
export function parquetBody(query: ParquetQuery): Record<string, unknown> {
  refuseUnknown(query);
  const { symbol, date, fields } = query;
  const params = { symbol, format: "parquet", ...(date ? { tradedate: dateOf(date) } : {}) };
  const names = namesOf(fields);
  return names === null ? { params } : { params, fields: names };
}

/** `2026-03-11` as `20260311`; anything else as it is, for the service to judge. */
export function dateOf(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? date.replaceAll("-", "") : date;
}

/** The names once each, as the service would answer them; null for the standard ones. */
function namesOf(fields: readonly string[] | undefined): string[] | null {
  return fields === undefined || fields.length === 0 ? null : [...new Set(fields)];
}
