/** Admin bodies of explanations: why a request was answered as it was, or how it would be answered now. */
import * as z from "zod";
import { accountIdSchema } from "./wire-accounts.ts";

const wordsSchema = z.strictObject({ zh: z.string(), en: z.string() });

/** What is known of a request that was made. */
export const explainedRequestSchema = z.strictObject({
  requestId: z.string(),
  /**
   * `refused` or `served`; `in_progress` holds the slot now; `unfinished` was accepted and its end was never
   * told; `unknown` is not known (any more).
   */
  state: z.enum(["refused", "served", "in_progress", "unfinished", "unknown"]),
  accountId: z.string().nullable(),
  keyId: z.string().nullable(),
  interface: z.string().nullable(),
  /** RFC 3339, Beijing time. */
  at: z.string().nullable(),
  code: z.int().nullable(),
  reason: z.string().nullable(),
  /** Whether it counts against the day's quota; false too for one that was given back. */
  charged: z.boolean(),
  /** To paste to the customer. */
  text: wordsSchema,
});
export type ExplainedRequest = z.infer<typeof explainedRequestSchema>;

/** A request to be judged as if it were made now. At most one of `key`, `keyId` and `account` says by whom. */
export const explainSchema = z
  .strictObject({
    /** The body as the customer sends it; its own `apikey` counts when none of the others is given. */
    request: z.string().max(70_000),
    key: z.string().max(512).optional(),
    keyId: z.string().optional(),
    account: accountIdSchema.optional(),
  })
  .refine(
    ({ key, keyId, account }) => [key, keyId, account].filter((each) => each !== undefined).length <= 1,
    "give one of key, keyId and account",
  );
export type Explain = z.input<typeof explainSchema>;

export const explainedStepSchema = z.strictObject({
  /** Of contract 2.1. */
  step: z.int().min(1).max(10),
  about: z.string(),
  /** `not_judged`: looking would have counted. */
  result: z.enum(["passed", "refused", "not_judged"]),
  /** What was looked at and found, for the operator. */
  detail: z.string(),
});
export type ExplainedStep = z.infer<typeof explainedStepSchema>;

/** What the request would be answered now, and why; nothing was counted, taken or made. */
export const explanationSchema = z.strictObject({
  accountId: z.string().nullable(),
  keyId: z.string().nullable(),
  /** In their order, up to the first refusal. */
  steps: z.array(explainedStepSchema),
  code: z.int(),
  /** `success`, or the reason as in `X-Reason`. */
  reason: z.string(),
  httpStatus: z.int(),
  message: wordsSchema,
});
export type Explanation = z.infer<typeof explanationSchema>;
