/** Schemas of each operation's `data`; the conformance test parses real answers with them. */
import * as z from "zod";
import { DATASET_NAMES, perDataset } from "../../datasets/registry.ts";
import { DATA_TYPES } from "../../entitlement/data-types.ts";
import { PLAN_NAMES } from "../../entitlement/principal.ts";
import type { AccountInfo, DataChanges, DataStatus, Estimate, ShareResult } from "../../operations/wire.ts";
import { lazily } from "../../orders/query/parameters.ts";
import type { Apiname } from "./parameters.ts";

/** A schema of `data` for every `apiname`. A share has its own envelope (contract 8.1). */
export const dataSchemas = lazily(() => {
  const date = z.string().regex(/^\d{8}$/);
  const day = date.meta({ description: "YYYYMMDD" });
  const time = z.string().regex(/^\d{9}$/);
  const instant = z.iso.datetime({ offset: true }).meta({ description: "RFC 3339 with +08:00" });
  const count = z.int().min(0);
  const build = z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta({ description: "The pack's build id: equal only for equal contents." });
  const range = z.strictObject({ at_least: count, at_most: count });
  const value = z.union([z.string(), z.number()]);

  const page = z.strictObject({
    fields: z.array(z.string()).meta({ description: "Names of the columns, in order." }),
    items: z.array(z.array(value)).meta({ description: "One array per record, aligned with fields." }),
    tradedate: day,
    page_size: z.int().min(1).max(10_000),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
    has_more: z.boolean(),
  });

  const share: z.ZodType<ShareResult> = z.strictObject({
    status: z.enum(["ready", "preparing"]),
    data_type: z.enum(DATA_TYPES),
    year: z.int(),
    start_date: day,
    end_date: day,
    file_count: count,
    size_bytes: count,
    url: z.string(),
    password: z.string(),
    expires_at: z.union([instant, z.literal("")]),
    retry_after: count.meta({ description: "Seconds; 0 when ready." }),
  });

  const dayWindow = z.strictObject({ from: date.nullable(), to: date }).nullable();
  const counter = z
    .strictObject({ limit: count.nullable(), used: count, left: count.nullable(), credited: count })
    .nullable();

  const accountInfo = z.strictObject({
    account_id: z.string(),
    key_id: z.string().nullable(),
    plan: z.enum(PLAN_NAMES).nullable(),
    plan_state: z.enum(["active", "expired", "none"]),
    plan_ends_at: instant.nullable(),
    windows: z.strictObject({
      ...perDataset("apiname", () => dayWindow),
      auction_tick: dayWindow,
      level2: dayWindow,
    }),
    quotas: z.array(
      z.strictObject({
        interface: z.string(),
        day,
        requests: counter,
        files: counter,
        resets_in: count.meta({ description: "Seconds" }),
        busy: z.boolean(),
      }),
    ),
    last_requests: z.array(
      z.strictObject({
        time: instant,
        request_id: z.string(),
        interface: z.string().nullable(),
        code: z.int(),
        reason: z.string(),
        symbol: z.string().nullable(),
        tradedate: z.string().nullable(),
        rows: count,
      }),
    ),
  });

  const statusDataset = z.strictObject({
    state: z.enum(["available", "degraded", "pending", "missing", "withdrawn", "damaged"]),
    revision: count.nullable(),
    build_id: build.nullable(),
    rows: count.nullable(),
    securities: count.nullable(),
    size_bytes: count.nullable(),
    published_at: instant.nullable(),
    quality: z
      .strictObject({ verdict: z.enum(["passed", "failed", "not_provable"]), summary: z.string() })
      .nullable(),
  });
  const dataStatus = z.strictObject({
    month: z.string(),
    window_from: date.nullable(),
    days: z.array(
      z
        .strictObject({
          tradedate: day,
          ...statusDataset.shape,
          datasets: z.strictObject(perDataset("name", () => statusDataset)),
        })
        .meta({ description: "Beside the date what is true of orders, and in datasets of each." }),
    ),
  });

  const codes = z.array(z.string().regex(/^\d{6}\.S[HZ]$/));
  const dataChanges = z.strictObject({
    changes: z.array(
      z.strictObject({
        change: count,
        at: instant,
        dataset: z.enum(DATASET_NAMES),
        tradedate: day,
        kind: z.enum(["published", "restored", "withdrawn", "damaged"]),
        revision: count,
        previous: count.nullable(),
        build_id: build.nullable(),
        securities: z.strictObject({ added: codes, removed: codes, changed: codes }).nullable(),
      }),
    ),
    next_after: count,
    has_more: z.boolean(),
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
    items: z.array(
      z.tuple([z.string(), z.enum(["SH", "SZ"]), count, count, time.nullable(), time.nullable()]),
    ),
  });

  const estimate = z.strictObject({
    symbol: z.string(),
    market: z.enum(["SH", "SZ"]),
    tradedate: day,
    revision: count,
    start_time: time,
    end_time: time,
    rows: range,
    page_size: count,
    pages: range,
    parquet_bytes: count,
    cost: z.strictObject({
      json: z.strictObject({ requests: range }),
      parquet: z.strictObject({ requests: z.literal(1), files: z.literal(1) }),
    }),
    left_today: z.strictObject({ requests: count.nullable(), files: count.nullable() }),
    resets_in: count,
  });

  return {
    ...perDataset("apiname", () => page),
    file_download: z.strictObject({ code: z.literal(200), message: z.string(), data: share }),
    account_info: accountInfo,
    data_status: dataStatus,
    data_changes: dataChanges,
    data_symbols: dataSymbols,
    ...perDataset("estimate", () => estimate),
  } as const satisfies Record<Apiname, z.ZodType> & {
    account_info: z.ZodType<AccountInfo>;
    data_status: z.ZodType<DataStatus>;
    data_changes: z.ZodType<DataChanges>;
    order_history_estimate: z.ZodType<Estimate>;
  };
});
