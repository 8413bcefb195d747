/** Admin bodies about customers: accounts, keys, plans, console links, quota, and explanations of requests. */

import * as z from "zod";
import { PLANS } from "../entitlement/plans.ts";
import { PLAN_NAMES } from "../entitlement/principal.ts";
import { partSchemas } from "../operations/wire.ts";
import { countSchema, instantSchema, sha256Schema } from "./wire-fields.ts";

/** The id of an existing account. Earlier releases accepted any printable text. */
export const accountIdSchema = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\p{C}]+$/u, "expected printable characters");

/**
 * The form of new ids. It excludes spaces and other characters that make different ids look alike. It also excludes `.`
 * and `..`, which URLs resolve.
 */
export const NEW_ACCOUNT_ID = /^[\p{L}\p{Nd}_-]{1,128}$/u;

/** The form of new ids, as a clause for messages. */
export const NEW_ACCOUNT_ID_FORM = "1 to 128 letters of any script, digits, - or _";

export const planNameSchema = z.enum(PLAN_NAMES);
export type PlanName = z.infer<typeof planNameSchema>;

/** A daily limit; null is unlimited. */
const limitSchema = countSchema.nullable();

export const newAccountSchema = z.strictObject({
  /** Generated when absent. An existing id is refused with 409. */
  accountId: z.string().trim().regex(NEW_ACCOUNT_ID, `expected ${NEW_ACCOUNT_ID_FORM}`).optional(),
  contact: z.string().trim().max(200).default(""),
  note: z.string().trim().max(2_000).default(""),
});

/** An account's new contact and note. A property that is absent stays unchanged. */
export const accountContactSchema = z
  .strictObject({
    contact: z.string().trim().max(200).optional(),
    note: z.string().trim().max(2_000).optional(),
  })
  .refine(({ contact, note }) => contact !== undefined || note !== undefined, "give contact or note");

/** A plan from `start` (inclusive) to `end` (exclusive). */
export const subscriptionSchema = z
  .strictObject({ plan: planNameSchema, start: instantSchema, end: instantSchema })
  .refine((subscription) => subscription.start < subscription.end, "start must be before end");
export type SubscriptionInput = z.input<typeof subscriptionSchema>;

/** An additional plan, by default from now. Only a weekly card may omit `end`; it then lasts 7 × 24 hours. */
export const addSubscriptionSchema = z
  .strictObject({ plan: planNameSchema, start: instantSchema.optional(), end: instantSchema.optional() })
  .refine(({ plan, end }) => end !== undefined || plan === "weekly", "end is missing");

/**
 * Moves the end of the plan's last subscription by a number of milliseconds or to an instant. If that subscription has
 * ended, a new one starts now.
 */
export const extendSubscriptionSchema = z
  .strictObject({
    plan: planNameSchema,
    byMs: z.int().min(1).optional(),
    until: instantSchema.optional(),
  })
  .refine(({ byMs, until }) => (byMs === undefined) !== (until === undefined), "give either byMs or until");

/** Replaces all subscriptions of the account. They may overlap; the best plan then applies (contract 7.5). */
export const subscriptionListSchema = z.strictObject({ subscriptions: z.array(subscriptionSchema).max(200) });

/** The account's own daily limits. Where one is absent, the plan's limit applies; null is unlimited. */
export const ownLimitsSchema = z.strictObject({
  requests: limitSchema.exactOptional(),
  files: limitSchema.exactOptional(),
});
export type OwnLimits = z.infer<typeof ownLimitsSchema>;

/**
 * The usage of a month of Beijing days by account and service. A service is an interface (`level2_order_history`) or
 * the data type of a share's files (`auction_tick`). Credited requests are not counted, and accounts without usage are
 * not listed.
 */
export const usageListSchema = z.strictObject({
  month: z.string(),
  usage: z.array(
    z.strictObject({
      accountId: z.string(),
      service: z.string(),
      requests: countSchema,
      /** Number of requests for whole files; `requests` includes them. */
      files: countSchema,
      /** Bytes of response bodies. */
      bytes: countSchema,
    }),
  ),
});
export type UsageList = z.infer<typeof usageListSchema>;

export const newKeySchema = z.strictObject({
  name: z.string().trim().max(100).default(""),
  /** When the key expires. Absent or null means that it never expires. */
  expires: instantSchema.nullable().default(null),
});

/** A new key. Only this answer and `RolledKey` ever contain a key. */
export const issuedKeySchema = z.strictObject({ keyId: z.string(), key: z.string(), accountId: z.string() });
export type IssuedKey = z.infer<typeof issuedKeySchema>;

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Replaces a key with a new one of the same name. The old key stops working at most `overlapMs` later. */
export const rollKeySchema = z.strictObject({
  overlapMs: z.int().min(0).max(WEEK_MS).default(DAY_MS),
});

export const rolledKeySchema = issuedKeySchema.extend({
  /** The id of the old key. */
  replaces: z.string(),
  /** The instant from which the old key is refused: RFC 3339, Beijing time. */
  replacedUntil: z.string(),
});
export type RolledKey = z.infer<typeof rolledKeySchema>;

export const keySummarySchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** The key's first characters; empty for a key imported as a hash. */
  firstCharacters: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  /** The last recorded use, at most an hour before the actual one; null when the key was never used. */
  lastUsedAt: z.string().nullable(),
});
export type KeySummary = z.infer<typeof keySummarySchema>;

/** A console session or a one-time link, valid from `createdAt` (inclusive) to `expiresAt` (exclusive). */
const consoleSpanSchema = z.strictObject({ createdAt: z.string(), expiresAt: z.string() });

export const accountSchema = z.strictObject({
  accountId: z.string(),
  contact: z.string(),
  note: z.string(),
  disabled: z.boolean(),
  createdAt: z.string(),
  ownLimits: ownLimitsSchema,
  subscriptions: z.array(z.strictObject({ plan: planNameSchema, start: z.string(), end: z.string() })),
  keys: z.array(keySummarySchema),
  /** Valid console sessions and links. */
  console: z.strictObject({ sessions: z.array(consoleSpanSchema), invites: z.array(consoleSpanSchema) }),
});
export type Account = z.infer<typeof accountSchema>;

/** One existing customer's key: either the key itself or the SHA-256 of its UTF-8 bytes. */
export const keyImportRowSchema = z
  .strictObject({
    key: z.string().trim().min(1).max(512).optional(),
    sha256: sha256Schema.optional(),
    account: accountIdSchema,
    plan: planNameSchema,
    start: instantSchema,
    end: instantSchema,
  })
  .refine((row) => (row.key === undefined) !== (row.sha256 === undefined), "give either key or sha256")
  .refine((row) => row.start < row.end, "start must be before end");
export type KeyImportRow = z.input<typeof keyImportRowSchema>;
export type KeyImportRowParsed = z.output<typeof keyImportRowSchema>;

/** The minimum length of an imported key in characters. Shorter keys can be guessed, so they need `allowShort`. */
export const SHORTEST_IMPORTED_KEY = 20;

/** The maximum number of rows in one import request; a longer file is sent in several requests. */
export const KEY_IMPORT_MAX_ROWS = 1_000;

export const keyImportSchema = z.strictObject({
  rows: z.array(keyImportRowSchema).min(1).max(KEY_IMPORT_MAX_ROWS),
  /** Whether new keys of fewer than 20 characters are accepted. */
  allowShort: z.boolean().default(false),
});

/**
 * The result of an import. `imported`: number of rows that added a key or a plan, or changed a plan's end. `unchanged`:
 * number of rows that were already in the catalog. `refused`: the rows that were not imported, each with its error. A
 * repeated import changes nothing.
 */
export const keysImportedSchema = z.strictObject({
  imported: countSchema,
  unchanged: countSchema,
  refused: z.array(z.strictObject({ row: z.int().min(1), error: z.string() })),
});
export type KeysImported = z.infer<typeof keysImportedSchema>;

/** Returns whether the plan includes order history. On a plan without it, daily limits have no effect. */
export function hasOrderHistory(plan: PlanName): boolean {
  return PLANS[plan].order_history.kind !== "none";
}

/** The daily limits of each plan, which apply to each history interface separately. Changes take effect within 30 s. */
export const planListSchema = z.strictObject({
  plans: z
    .array(z.strictObject({ plan: planNameSchema, requests: limitSchema, files: limitSchema }))
    .min(1)
    .max(PLAN_NAMES.length),
});
export type PlanList = z.infer<typeof planListSchema>;

/** A link is valid for a day by default and a week at most. */
export const newInviteSchema = z.strictObject({
  validMs: z.int().min(60_000).max(WEEK_MS).default(DAY_MS),
});

export const inviteSchema = z.strictObject({
  accountId: z.string(),
  /** The link, which the key holder can open once. It cannot be shown again. */
  url: z.url(),
  /** RFC 3339, Beijing time, exclusive. */
  expiresAt: z.string(),
});
export type Invite = z.infer<typeof inviteSchema>;

export const standingSchema = z.strictObject({
  /** What `account_info` returns to the key holder. */
  info: partSchemas().accountInfo,
  /** The request that holds the dataset's slot, and when the slot is freed at the latest; null when it is free. */
  slot: z.strictObject({ requestId: z.string(), until: z.string() }).nullable(),
});
export type Standing = z.infer<typeof standingSchema>;

/** Reduces today's counters; they never fall below zero. */
export const creditSchema = z
  .strictObject({ requests: countSchema.default(0), files: countSchema.default(0) })
  .refine(({ requests, files }) => requests + files > 0, "give a number of requests or files");

export const accountListSchema = z.strictObject({
  accounts: z.array(
    z.strictObject({
      accountId: z.string(),
      contact: z.string(),
      note: z.string(),
      disabled: z.boolean(),
      /** The plan in force, otherwise the plan that ended last; null when the account has had no plan so far. */
      plan: planNameSchema.nullable(),
      planState: z.enum(["active", "expired", "none"]),
      planEndsAt: z.string().nullable(),
      /** Number of keys that are neither revoked nor expired. */
      keys: countSchema,
      lastUsedAt: z.string().nullable(),
    }),
  ),
  /** The value of `after` for the next page; null on the last page. */
  next: z.string().nullable(),
});
export type AccountList = z.infer<typeof accountListSchema>;

const bilingualSchema = z.strictObject({ zh: z.string(), en: z.string() });

/** What is known about a past request. */
export const explainedRequestSchema = z.strictObject({
  requestId: z.string(),
  /**
   * `in_progress`: the request holds the slot now. `unfinished`: it was accepted, but its outcome was never reported.
   * `unknown`: it was never recorded, or its record has been deleted.
   */
  state: z.enum(["refused", "served", "in_progress", "unfinished", "unknown"]),
  accountId: z.string().nullable(),
  keyId: z.string().nullable(),
  interface: z.string().nullable(),
  /** RFC 3339, Beijing time. */
  at: z.string().nullable(),
  code: z.int().nullable(),
  reason: z.string().nullable(),
  /** Whether the request counts against the day's quota; false when it was credited. */
  charged: z.boolean(),
  /** The explanation for the customer. */
  text: bilingualSchema,
});
export type ExplainedRequest = z.infer<typeof explainedRequestSchema>;

/** A request to evaluate as if it were made now. At most one of `key`, `keyId` and `account` names the caller. */
export const explainSchema = z
  .strictObject({
    /** The body as the customer sends it. Its `apikey` is used when no caller is named. */
    request: z.string().max(70_000),
    key: z.string().max(512).optional(),
    keyId: z.string().optional(),
    account: accountIdSchema.optional(),
  })
  .refine(
    ({ key, keyId, account }) => [key, keyId, account].filter((each) => each !== undefined).length <= 1,
    "give at most one of key, keyId and account",
  );
export type Explain = z.input<typeof explainSchema>;

const explainedStepSchema = z.strictObject({
  /** The step of contract 2.1. */
  step: z.int().min(1).max(10),
  about: z.string(),
  /** `not_judged`: evaluating the step would have counted a request. */
  result: z.enum(["passed", "refused", "not_judged"]),
  /** What was checked and found, for operators. */
  detail: z.string(),
});
export type ExplainedStep = z.infer<typeof explainedStepSchema>;

/** The answer that the request would get now, and the steps that lead to it. Nothing was counted or changed. */
export const explanationSchema = z.strictObject({
  accountId: z.string().nullable(),
  keyId: z.string().nullable(),
  /** The steps in order, up to the first refusal. */
  steps: z.array(explainedStepSchema),
  code: z.int(),
  /** `success`, or the reason as in `X-Reason`. */
  reason: z.string(),
  httpStatus: z.int(),
  message: bilingualSchema,
});
export type Explanation = z.infer<typeof explanationSchema>;
