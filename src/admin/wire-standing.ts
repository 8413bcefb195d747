/** Admin bodies about where accounts stand: lists, quotas, slots. */
import * as z from "zod";
import { planNameSchema } from "./wire-accounts.ts";
import { countSchema } from "./wire-fields.ts";

/** Days that may be read, both included; a `from` of null: all history. */
const windowSchema = z.strictObject({ from: z.string().nullable(), to: z.string() }).nullable();

/** Null while no plan is in force; a limit or what is left of null: unlimited. */
const counterSchema = z
  .strictObject({
    limit: countSchema.nullable(),
    used: countSchema,
    credited: countSchema,
    left: countSchema.nullable(),
  })
  .nullable();

/** What the key holder's own `account_info` tells, in its own words. */
export const accountInfoSchema = z.strictObject({
  account_id: z.string(),
  key_id: z.string().nullable(),
  plan: planNameSchema.nullable(),
  plan_state: z.enum(["active", "expired", "none"]),
  plan_ends_at: z.string().nullable(),
  windows: z.strictObject({
    level2_order_history: windowSchema,
    auction_tick: windowSchema,
    level2: windowSchema,
  }),
  quotas: z.array(
    z.strictObject({
      interface: z.string(),
      day: z.string(),
      requests: counterSchema,
      files: counterSchema,
      resets_in: countSchema,
      busy: z.boolean(),
    }),
  ),
  last_requests: z.array(
    z.strictObject({
      time: z.string(),
      request_id: z.string(),
      interface: z.string().nullable(),
      code: z.int(),
      reason: z.string(),
      symbol: z.string().nullable(),
      tradedate: z.string().nullable(),
      rows: countSchema,
    }),
  ),
});

export const standingSchema = z.strictObject({
  info: accountInfoSchema,
  /** The request in progress, if there is one, and when its slot frees itself at the latest. */
  slot: z.strictObject({ requestId: z.string(), until: z.string() }).nullable(),
});
export type Standing = z.infer<typeof standingSchema>;

/** Gives counts of today back; the counters never fall below zero. */
export const creditSchema = z
  .strictObject({ requests: countSchema.default(0), files: countSchema.default(0) })
  .refine(({ requests, files }) => requests + files > 0, "nothing is given back");
export type Credit = z.input<typeof creditSchema>;

export const accountListSchema = z.strictObject({
  accounts: z.array(
    z.strictObject({
      accountId: z.string(),
      contact: z.string(),
      note: z.string(),
      disabled: z.boolean(),
      /** The plan in force; when none is, the one that ended last. */
      plan: planNameSchema.nullable(),
      planState: z.enum(["active", "expired", "none"]),
      planEndsAt: z.string().nullable(),
      /** Keys in force. */
      keys: countSchema,
      lastUsedAt: z.string().nullable(),
    }),
  ),
  /** To be given as `after` for the next page; null on the last one. */
  next: z.string().nullable(),
});
export type AccountList = z.infer<typeof accountListSchema>;
