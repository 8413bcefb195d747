/**
 * What each operation accepts, as schemas. The server judges parameters with parsers of its own, which tell
 * better what is wrong than a schema can; `test/conformance/openapi.test.ts` holds the two against each other,
 * name by name and value by value. What a schema cannot say (a real date, start before end) is in the words.
 */
import * as z from "zod";
import { DATA_TYPES } from "../../entitlement/data-types.ts";
import { FIELDS, LEGACY_NAMES } from "../../orders/record.ts";
import { EXAMPLE } from "../example-day.ts";

const TIME = String.raw`([01]\d|2[0-3])`;
const SIXTY = String.raw`[0-5]\d`;

/** Null, `""` and blanks are the same as leaving an optional parameter out. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish();

const symbol = z
  .string()
  .regex(
    /^\s*(\d{6}(\.([sS][hHsS]|[sS][sS][eE]|[xX][sS][hH][gG]|[sS][zZ]|[sS][zZ][sS][eE]|[xX][sS][hH][eE]|[bB][jJ]))?|([sS][hHzZ]|[bB][jJ])\d{6})\s*$/,
  )
  .meta({
    description:
      "One security: six digits, with a suffix (.SH .SS .SSE .XSHG, .SZ .SZSE .XSHE) or a prefix (sh, sz), in any case. Bare digits are looked up in the day. The Beijing exchange (.BJ) is understood but not carried.",
    examples: [EXAMPLE.symbol, "600519.SH", "sz000001"],
  });

const tradedate = z
  .string()
  .regex(/^\d{8}$/)
  .meta({
    description:
      "The day in Beijing, YYYYMMDD, a real date. Left out: the newest trading day of the calendar, loaded or not; with a cursor, the cursor's day.",
    examples: [EXAMPLE.tradedate],
  });

const timeOfDay = z
  .string()
  .regex(new RegExp(`^(${TIME}:${SIXTY}(:${SIXTY})?|${TIME}${SIXTY}${SIXTY}(\\d{3})?)$`));
const startTime = timeOfDay.meta({
  description: "Inclusive. HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm, Beijing time; before end_time.",
  examples: ["09:30", "093000500"],
});
const endTime = timeOfDay.meta({ description: "Exclusive; the forms of start_time.", examples: ["09:31"] });

const digits = z.string().regex(/^0*[1-9]\d*$/);
const pageSize = z.union([z.int().min(1), digits]).meta({
  description: "Rows of a page; 10000 by default, a larger value is served as 10000.",
  examples: [10_000],
});

const cursor = z
  .string()
  .meta({ description: "next_cursor of the page before, unchanged. Left out on the first page." });

const names = [...FIELDS, ...Object.keys(LEGACY_NAMES)];
const piece = String.raw`\s*(${names.join("|")})?\s*`;
export const fieldsSchema = optional(
  z.union([
    z.string().regex(new RegExp(`^${piece}(,${piece})*$`)),
    z.array(z.enum(names as [string, ...string[]])),
  ]),
).meta({
  description: `Columns in the order wanted, as a comma-separated string or an array: ${FIELDS.join(", ")}, and the legacy names order_no (exchange_order_id) and side (order_code). Left out: the ten standard ones.`,
  examples: ["time,price,volume"],
});

const timeWindow = {
  symbol,
  tradedate: optional(tradedate),
  start_time: optional(startTime),
  end_time: optional(endTime),
};

/** `params` of order history with JSON pages. */
export const pageParams = z.strictObject({
  symbol,
  tradedate: timeWindow.tradedate,
  format: optional(z.literal("json").meta({ description: "The default." })),
  start_time: timeWindow.start_time,
  end_time: timeWindow.end_time,
  page_size: optional(pageSize),
  limit: optional(
    pageSize.meta({ description: "Another name of page_size; both and different is refused." }),
  ),
  cursor: optional(cursor),
});

/** `params` of order history with a Parquet file; a value for any parameter of pages is refused. */
export const fileParams = z.strictObject({
  symbol,
  tradedate: timeWindow.tradedate,
  format: z.literal("parquet").meta({ description: "The whole day of the security as one file." }),
});

/** A schema of `params` for every `apiname`. */
export const PARAMS = {
  level2_order_history: z.union([pageParams, fileParams]),
  file_download: z.strictObject({
    data_type: z.enum(DATA_TYPES).meta({ description: "auction_tick from 2022, level2 from 2017." }),
    year: z
      .union([z.int().min(2017).max(9999), z.string().regex(/^\d{4}$/)])
      .meta({ description: "Up to the present year in Beijing.", examples: [2026] }),
  }),
  account_info: z.strictObject({}),
  data_status: z.strictObject({
    month: optional(
      z
        .string()
        .regex(/^\d{4}(0[1-9]|1[0-2])$/)
        .meta({ description: "YYYYMM; the present month in Beijing when left out.", examples: ["202603"] }),
    ),
  }),
  data_changes: z.strictObject({
    since: optional(
      z.string().meta({
        description:
          "Changes from this day (YYYYMMDD, YYYY-MM-DD) or instant (RFC 3339 with an offset) on, inclusive.",
        examples: ["20260301", "2026-03-01T00:00:00+08:00"],
      }),
    ),
    after: optional(
      z
        .union([z.int().min(0), z.string().regex(/^\d{1,15}$/)])
        .meta({ description: "Changes behind this number: next_after of an earlier answer.", examples: [0] }),
    ),
    limit: optional(
      z
        .union([z.int().min(1).max(50), z.string().regex(/^0*([1-9]|[1-4]\d|50)$/)])
        .meta({ description: "At most so many; 50 by default.", examples: [50] }),
    ),
  }),
  data_symbols: z.strictObject({
    tradedate: timeWindow.tradedate,
    market: optional(
      z
        .string()
        .regex(/^\s*[sS][hHzZ]\s*$/)
        .meta({ description: "SH or SZ; both when left out.", examples: ["SH"] }),
    ),
  }),
  order_history_estimate: z.strictObject({ ...timeWindow, page_size: optional(pageSize) }),
} as const;

export type Apiname = keyof typeof PARAMS;

/** One sentence on each operation. */
export const SUMMARIES: Readonly<Record<Apiname, string>> = {
  level2_order_history:
    "Order records of one security on one trading day: JSON pages by cursor, or one Parquet file. Each accepted request counts; one at a time per account.",
  file_download:
    "The share of one year's daily files: an address, a password, what it covers. Counts nothing.",
  account_info: "Plan, windows, what is left of today's quotas, the last 20 requests. Counts nothing.",
  data_status: "The trading days of a month and their states. Counts nothing.",
  data_changes: "What changed of the days that may be read, so that a copy can follow. Counts nothing.",
  data_symbols: "The securities of a day with rows, file sizes, first and last times. Counts nothing.",
  order_history_estimate: "Rows, pages, bytes and cost of an order query before it is made. Counts nothing.",
};
