/** Admin bodies about accounts, keys, plans and subscriptions. */
import * as z from "zod";
import { PLANS } from "../entitlement/plans.ts";
import { PLAN_NAMES } from "../entitlement/principal.ts";
import { countSchema, instantSchema, sha256Schema } from "./wire-fields.ts";

/** The id of an account that exists: earlier releases took any printable text. */
export const accountIdSchema = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\p{C}]+$/u, "expected printable characters");

/** The form of new ids: `.` and `..` would be resolved in URLs, and blanks or look-alike marks mislead. */
const NEW_ACCOUNT_ID = /^[\p{L}\p{Nd}_-]{1,128}$/u;

/** What `isNewAccountId` asks, as a clause for messages. */
export const NEW_ACCOUNT_ID_FORM = "1 to 128 letters of any script, digits, - or _";

/** Returns whether an account may be created with this id. */
export function isNewAccountId(text: string): boolean {
  return NEW_ACCOUNT_ID.test(text);
}

export const planNameSchema = z.enum(PLAN_NAMES);
export type PlanName = z.infer<typeof planNameSchema>;

/** A daily limit; null is unlimited. */
const limitSchema = countSchema.nullable();

export const newAccountSchema = z.strictObject({
  /** Made up when absent. An id that exists is refused with 409. */
  accountId: z.string().trim().refine(isNewAccountId, `expected ${NEW_ACCOUNT_ID_FORM}`).optional(),
  contact: z.string().trim().max(200).default(""),
  note: z.string().trim().max(2_000).default(""),
});
export type NewAccount = z.input<typeof newAccountSchema>;

/** Who to write to, and what to know; what is absent stays. */
export const accountContactSchema = z
  .strictObject({
    contact: z.string().trim().max(200).optional(),
    note: z.string().trim().max(2_000).optional(),
  })
  .refine(({ contact, note }) => contact !== undefined || note !== undefined, "nothing is given");
export type AccountContact = z.input<typeof accountContactSchema>;

/** A plan from `start` (inclusive) to `end` (exclusive). */
export const subscriptionSchema = z
  .strictObject({ plan: planNameSchema, start: instantSchema, end: instantSchema })
  .refine((subscription) => subscription.start < subscription.end, "start must be before end");
export type SubscriptionInput = z.input<typeof subscriptionSchema>;

/**
 * A plan beside those the account has, from now when `start` is absent. Only a weekly card may leave its end
 * out: 7 × 24 hours from its start.
 */
export const addSubscriptionSchema = z
  .strictObject({ plan: planNameSchema, start: instantSchema.optional(), end: instantSchema.optional() })
  .refine(({ plan, end }) => end !== undefined || plan === "weekly", "end is missing");
export type AddSubscription = z.input<typeof addSubscriptionSchema>;

/**
 * Moves the end of the plan's last subscription: by so many milliseconds, or until an instant. One that is over
 * is not revived: the plan begins anew, now.
 */
export const extendSubscriptionSchema = z
  .strictObject({
    plan: planNameSchema,
    byMs: z.int().min(1).optional(),
    until: instantSchema.optional(),
  })
  .refine(({ byMs, until }) => (byMs === undefined) !== (until === undefined), "give either byMs or until");
export type ExtendSubscription = z.input<typeof extendSubscriptionSchema>;

/** Replaces all subscriptions of the account. They may overlap: the best one counts (contract 7.5). */
export const subscriptionListSchema = z.strictObject({ subscriptions: z.array(subscriptionSchema).max(200) });
export type SubscriptionList = z.input<typeof subscriptionListSchema>;

/** The account's own limits: an absent member falls back to the plan's, null is unlimited. */
export const ownLimitsSchema = z.strictObject({
  requests: limitSchema.exactOptional(),
  files: limitSchema.exactOptional(),
});
export type OwnLimits = z.infer<typeof ownLimitsSchema>;

export const newKeySchema = z.strictObject({
  name: z.string().trim().max(100).default(""),
  /** The key stops working at this instant; absent or null: never. */
  expires: instantSchema.nullable().default(null),
});
export type NewKey = z.input<typeof newKeySchema>;

/** The only answer that ever contains a key. */
export const issuedKeySchema = z.strictObject({ keyId: z.string(), key: z.string(), accountId: z.string() });
export type IssuedKey = z.infer<typeof issuedKeySchema>;

/** The old key of a roll works on for so long. */
export const MAX_OVERLAP_MS = 7 * 86_400_000;

/** A new key of the same name; the old one ends after the overlap, or earlier if it does already. */
export const rollKeySchema = z.strictObject({
  overlapMs: z.int().min(0).max(MAX_OVERLAP_MS).default(86_400_000),
});
export type RollKey = z.input<typeof rollKeySchema>;

export const rolledKeySchema = issuedKeySchema.extend({
  /** The id of the old key, and the instant from which it is refused. */
  replaces: z.string(),
  replacedUntil: z.string(),
});
export type RolledKey = z.infer<typeof rolledKeySchema>;

export const keySummarySchema = z.strictObject({
  keyId: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** The key's first characters; empty for a key that was imported as its hash. */
  firstCharacters: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  /** At most an hour behind; null: never used. */
  lastUsedAt: z.string().nullable(),
});
export type KeySummary = z.infer<typeof keySummarySchema>;

/** From when until when, the end excluded. */
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
  /** Sessions of the console in force, and links that still open one. */
  console: z.strictObject({ sessions: z.array(consoleSpanSchema), invites: z.array(consoleSpanSchema) }),
});
export type Account = z.infer<typeof accountSchema>;

/** One existing customer's key, in plain or as the SHA-256 of its UTF-8 bytes: exactly one of both. */
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

/** Imported keys with fewer characters are refused unless the operator allows them: they can be guessed. */
export const SHORTEST_IMPORTED_KEY = 20;

/** At most this many rows in one import request; a longer file is sent in several. */
export const KEY_IMPORT_MAX_ROWS = 1_000;

export const keyImportSchema = z.strictObject({
  rows: z.array(keyImportRowSchema).min(1).max(KEY_IMPORT_MAX_ROWS),
  /** Takes new keys of fewer than 20 characters too. */
  allowShort: z.boolean().default(false),
});
export type KeyImport = z.input<typeof keyImportSchema>;

/**
 * What an import did: `imported` rows brought a new key or changed the plan's end, `unchanged` rows were
 * there already, `refused` rows changed nothing. The same import again changes nothing.
 */
export const keysImportedSchema = z.strictObject({
  imported: countSchema,
  unchanged: countSchema,
  refused: z.array(z.strictObject({ row: z.int().min(1), error: z.string() })),
});
export type KeysImported = z.infer<typeof keysImportedSchema>;

/** Returns whether the plan may read order history at all; the daily limits of one that may not mean nothing. */
export function hasOrderHistory(plan: PlanName): boolean {
  return PLANS[plan].order_history.kind !== "none";
}

/** Daily limits of the order-history interface by plan, in force within 30 s. */
export const planListSchema = z.strictObject({
  plans: z
    .array(z.strictObject({ plan: planNameSchema, requests: limitSchema, files: limitSchema }))
    .min(1)
    .max(PLAN_NAMES.length),
});
export type PlanList = z.infer<typeof planListSchema>;
