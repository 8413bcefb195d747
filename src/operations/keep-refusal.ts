/**
 * Stores refusals so that an operator can explain them (`edgetape explain <request id>`). They are written after the
 * answer and never delay it. Each isolate stores only a few refusals of each account, because a write costs as much as
 * a thousand reads, and the database handles one write at a time.
 */
import { addRefusal, type Refusal } from "../catalog/refusals.ts";
import type { Denial } from "../http/denial.ts";
import type { Scope } from "./operation.ts";

/** The number of refusals of an account that can be stored in quick succession. */
const BURST = 20;
/** The time after which one more refusal of the account can be stored. */
const REFILL_MS = 30_000;

/** The same limits for all accounts of an isolate together. */
const TOTAL_BURST = 100;
const TOTAL_REFILL_MS = 2_000;

/** The maximum number of accounts with a bucket. The bucket that was used longest ago is evicted first. */
const MAX_BUCKETS = 1_000;

interface Bucket {
  /** When the bucket is full again (Unix milliseconds). */
  fullAtMs: number;
}

/** Limits the stored refusals of one isolate. */
export class RefusalBudget {
  readonly #total: Bucket = { fullAtMs: 0 };
  readonly #accounts = new Map<string, Bucket>();

  /** Returns whether a refusal of `account` (`""` when unknown) at `nowMs` may be stored, and counts it. */
  take(account: string, nowMs: number): boolean {
    const bucket = this.#accounts.get(account) ?? { fullAtMs: 0 };
    if (!hasSpace(bucket, BURST, REFILL_MS, nowMs)) return false;
    if (!hasSpace(this.#total, TOTAL_BURST, TOTAL_REFILL_MS, nowMs)) return false;
    count(bucket, REFILL_MS, nowMs);
    count(this.#total, TOTAL_REFILL_MS, nowMs);
    // Deleting first moves the entry to the end of the map's order, so that the first entry is the oldest.
    this.#accounts.delete(account);
    this.#accounts.set(account, bucket);
    for (const oldest of this.#accounts.keys()) {
      if (this.#accounts.size <= MAX_BUCKETS) break;
      this.#accounts.delete(oldest);
    }
    return true;
  }
}

function hasSpace(bucket: Bucket, burst: number, refillMs: number, nowMs: number): boolean {
  return bucket.fullAtMs - nowMs <= (burst - 1) * refillMs;
}

function count(bucket: Bucket, refillMs: number, nowMs: number): void {
  bucket.fullAtMs = Math.max(bucket.fullAtMs, nowMs) + refillMs;
}

const budget = new RefusalBudget();

/** The caller and the request; facts that are not known yet are null. */
export type RefusedCaller = Pick<Refusal, "accountId" | "keyId" | "interface" | "symbol" | "tradedate">;

/** Stores the refusal of a request if the isolate's budget allows it. Never throws. */
export function keepRefusal(
  { env, ctx, requestId, nowMs }: Pick<Scope, "env" | "ctx" | "requestId" | "nowMs">,
  denial: Denial,
  caller: RefusedCaller,
): void {
  if (!budget.take(caller.accountId ?? "", nowMs)) return;
  const refusal = { requestId, atMs: nowMs, ...caller, denial: JSON.stringify(denial) };
  ctx.waitUntil(
    behindTheAnswer()
      .then(() => addRefusal(env.DB, refusal))
      .catch((error) => console.warn(JSON.stringify({ event: "refusal_not_kept", error: String(error) }))),
  );
}

/** Waits for one iteration of the event loop, so that the platform sends the answer before the write. */
function behindTheAnswer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
