/**
 * The schemas of every answer's `data`. They determine the types here, the answers in `/openapi.json`, the account in
 * the admin API and the declarations of the TypeScript client. A test compares the Python client's types with them.
 * Operations import types only, so that serving a request creates no schema.
 */
import * as z from "zod";
import { DATASET_NAMES, perDataset } from "../datasets/registry.ts";
import { DATA_TYPES } from "../entitlement/data-types.ts";
import { PLAN_NAMES } from "../entitlement/principal.ts";
import { lazily } from "../orders/query/parameters.ts";

/** The schemas of the named parts. A type of the same name is inferred from each. */
export const partSchemas = lazily(() => {
  const date = z.string().regex(/^\d{8}$/);
  const day = date.describe("YYYYMMDD");
  const time = z.string().regex(/^\d{9}$/);
  const instant = z.iso.datetime({ offset: true }).describe("RFC 3339 with +08:00");
  const count = z.int().min(0);
  const market = z.enum(["SH", "SZ"]);
  const build = z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe("The pack's build id: equal only for equal contents.");

  const dayWindow = z
    .strictObject({ from: date.nullable(), to: date })
    .describe("Days from `from` to `to` as YYYYMMDD, both inclusive; `from` is null for all history.");
  const counter = z
    .strictObject({ limit: count.nullable(), used: count, left: count.nullable(), credited: count })
    .describe("A daily counter; null means unlimited. `used` includes credited requests.");

  const quota = z
    .strictObject({
      interface: z.string(),
      day: date.describe("The Beijing day of the counters, YYYYMMDD."),
      requests: counter
        .nullable()
        .describe("JSON and Parquet requests together. Null while no plan is in force."),
      files: counter.nullable().describe("Parquet files."),
      resets_in: count.describe("Whole seconds until the counters reset."),
      busy: z
        .boolean()
        .describe("Whether a request is in progress, so that another one would be refused with `slot_busy`."),
    })
    .describe("The counters of one interface on one Beijing day.");

  const lastRequest = z
    .strictObject({
      time: instant,
      request_id: z.string(),
      interface: z.string().nullable(),
      code: z.int(),
      reason: z.string().describe("`success`, or a refusal's reason as in `X-Reason`."),
      symbol: z.string().nullable().describe("Null for a refusal before the security was known."),
      tradedate: z.string().nullable(),
      rows: count.describe("Number of rows served; 0 for a refusal."),
    })
    .describe("A finished request, served or refused.");

  const accountInfo = z.strictObject({
    account_id: z.string(),
    key_id: z
      .string()
      .nullable()
      .describe("The id of the calling key, never the key; null for a holder signed in at the console."),
    plan: z
      .enum(PLAN_NAMES)
      .nullable()
      .describe("The plan in force, else the one that ended last; null when there is neither."),
    plan_state: z.enum(["active", "expired", "none"]),
    plan_ends_at: instant
      .nullable()
      .describe("When that plan ends or ended (RFC 3339, Beijing time, exclusive)."),
    windows: z
      .strictObject({
        ...perDataset("apiname", () => dayWindow.nullable()),
        auction_tick: dayWindow.nullable(),
        level2: dayWindow.nullable(),
      })
      .describe("The readable days of each service; null when the plan does not include it."),
    quotas: z.array(quota).describe("One for each interface with a slot, orders first."),
    last_requests: z
      .array(lastRequest)
      .describe("At most 20, newest first: accepted requests, and those refused ones that were stored."),
  });

  const statusDataset = z
    .strictObject({
      state: z
        .enum(["available", "degraded", "pending", "missing", "withdrawn", "damaged"])
        .describe(
          "`available`, `degraded` (served, but incomplete), `pending` (expected or being loaded), `missing` (an earlier trading day, not loaded), `withdrawn`, `damaged`.",
        ),
      revision: count
        .nullable()
        .describe("Null unless `available` or `degraded`, like the following members."),
      build_id: build.nullable(),
      rows: count.nullable(),
      securities: count.nullable(),
      size_bytes: count.nullable().describe("The size of the whole day's pack."),
      published_at: instant.nullable(),
      quality: z
        .strictObject({ verdict: z.enum(["passed", "failed", "not_provable"]), summary: z.string() })
        .nullable()
        .describe(
          "The verdict of the quality check, and the failed checks in one sentence; null when no check ran.",
        ),
    })
    .describe("A dataset of a day.");

  const statusDay = z
    .strictObject({
      tradedate: day,
      ...statusDataset.shape,
      datasets: z.strictObject(perDataset("name", () => statusDataset)),
    })
    .describe("The members after `tradedate` describe the orders; `datasets` describes every dataset.");

  const dataStatus = z.strictObject({
    month: z.string().describe("YYYYMM"),
    window_from: date.nullable().describe("The first day that the plan covers; null for all history."),
    days: z
      .array(statusDay)
      .describe("The days of the window, up to today, that are trading days or have data; oldest first."),
  });

  const codes = z.array(z.string().regex(/^\d{6}\.S[HZ]$/));
  const change = z
    .strictObject({
      change: count.describe("Increases with every change of any day."),
      at: instant,
      dataset: z.enum(DATASET_NAMES),
      tradedate: day,
      kind: z
        .enum(["published", "restored", "withdrawn", "damaged"])
        .describe("`restored`: earlier content is served again."),
      revision: count.describe("The new revision, or the one that is no longer served."),
      previous: count.nullable().describe("The previous revision; null for a day's first one."),
      build_id: build
        .nullable()
        .describe("The build id of `revision`; null when the service no longer has that revision."),
      securities: z
        .strictObject({ added: codes, removed: codes, changed: codes })
        .nullable()
        .describe(
          "The securities that differ from the previous revision, such as `600519.SH`; null when there is none to compare with.",
        ),
    })
    .describe("A change of a readable day of a dataset.");

  const dataChanges = z.strictObject({
    changes: z.array(change).describe("Changes in order."),
    next_after: count.describe(
      "The value of `after` for the next request, which then neither skips nor repeats a change.",
    ),
    has_more: z.boolean().describe("Whether further changes follow."),
  });

  const dataSymbols = z.strictObject({
    tradedate: day,
    revision: count,
    fields: z.tuple([
      z.literal("symbol"),
      z.literal("market"),
      z.literal("rows"),
      z.literal("size_bytes"),
      z.literal("first_time"),
      z.literal("last_time"),
    ]),
    items: z
      .array(z.tuple([z.string(), market, count, count, time.nullable(), time.nullable()]))
      .describe("One array for each security, by symbol, then market."),
  });

  const range = z
    .strictObject({ at_least: count, at_most: count })
    .describe(
      "The range of possible values, both ends inclusive. For a whole day, the ends are equal; for a time window they can differ, because no single rows are read.",
    );

  const estimate = z.strictObject({
    symbol: z.string(),
    market,
    tradedate: day,
    revision: count,
    start_time: time.describe("HHMMSSmmm, inclusive."),
    end_time: time.describe("HHMMSSmmm, exclusive."),
    rows: range.describe("Number of rows in the window."),
    page_size: count,
    pages: range.describe("Number of JSON pages; a window without rows takes one page."),
    parquet_bytes: count.describe(
      "The size of the Parquet file with all fields, which always holds the whole day.",
    ),
    cost: z
      .strictObject({
        json: z.strictObject({ requests: range }),
        parquet: z.strictObject({ requests: z.literal(1), files: z.literal(1) }),
      })
      .describe("The cost in today's counters."),
    left_today: z
      .strictObject({ requests: count.nullable(), files: count.nullable() })
      .describe("The remaining counters; null for unlimited."),
    resets_in: count.describe("Whole seconds until the counters reset."),
    whole_day: z
      .strictObject({
        securities: count.describe("Securities of the dataset on that day."),
        quota_days: count
          .nullable()
          .describe(
            "How many days of quota a Parquet file of every security takes; null without a limit, or with a limit of 0.",
          ),
        in_share: z
          .boolean()
          .describe(
            "Whether the plan includes the day as one file of a `level2` share, which uses no quota.",
          ),
      })
      .describe("The cost of a Parquet file of every security of the day."),
  });

  const shareResult = z.strictObject({
    status: z.enum(["ready", "preparing"]),
    data_type: z.enum(DATA_TYPES),
    year: z.int(),
    start_date: date.describe("The day of the first covered file, YYYYMMDD."),
    end_date: date.describe("The day of the last covered file, YYYYMMDD."),
    file_count: count,
    size_bytes: count,
    url: z.string(),
    password: z.string(),
    expires_at: z.union([instant, z.literal("")]).describe("RFC 3339 in Beijing time, exclusive."),
    retry_after: count.describe("Whole seconds; 0 when ready."),
  });

  return {
    dayWindow,
    counter,
    quota,
    lastRequest,
    accountInfo,
    statusDataset,
    statusDay,
    dataStatus,
    change,
    dataChanges,
    dataSymbols,
    range,
    estimate,
    shareResult,
  };
});

type Parts = ReturnType<typeof partSchemas>;

export type DayWindow = z.infer<Parts["dayWindow"]>;
export type Counter = z.infer<Parts["counter"]>;
export type Quota = z.infer<Parts["quota"]>;
export type LastRequest = z.infer<Parts["lastRequest"]>;
export type AccountInfo = z.infer<Parts["accountInfo"]>;
export type StatusDataset = z.infer<Parts["statusDataset"]>;
export type StatusDay = z.infer<Parts["statusDay"]>;
export type DataStatus = z.infer<Parts["dataStatus"]>;
export type Change = z.infer<Parts["change"]>;
export type DataChanges = z.infer<Parts["dataChanges"]>;
export type DataSymbols = z.infer<Parts["dataSymbols"]>;
export type Range = z.infer<Parts["range"]>;
export type Estimate = z.infer<Parts["estimate"]>;
export type ShareResult = z.infer<Parts["shareResult"]>;

/** The schema of `data` for every `apiname`. A share has its own envelope (contract 8.1). */
export const dataSchemas = lazily(() => {
  const parts = partSchemas();
  const page = z.strictObject({
    fields: z.array(z.string()).describe("Names of the columns, in order."),
    items: z
      .array(z.array(z.union([z.string(), z.number()])))
      .describe("One array per record, aligned with fields."),
    tradedate: parts.dataSymbols.shape.tradedate,
    page_size: z.int().min(1).max(10_000),
    next_cursor: z.string().nullable().describe("Null on the last page."),
    has_more: z.boolean(),
  });
  return {
    ...perDataset("apiname", () => page),
    file_download: z.strictObject({ code: z.literal(200), message: z.string(), data: parts.shareResult }),
    account_info: parts.accountInfo,
    data_status: parts.dataStatus,
    data_changes: parts.dataChanges,
    data_symbols: parts.dataSymbols,
    ...perDataset("estimate", () => parts.estimate),
  };
});
