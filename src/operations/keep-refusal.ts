/**
 * Refusals are kept so that an operator can explain them (`edgetape explain <request id>`). They are written
 * behind the answer and never delay it. A write costs as much as a thousand reads and the database takes one
 * at a time, so a flood must not turn into writes: each isolate keeps a few of each account's and no more.
 */
import { addRefusal, type Refusal } from "../catalog/refusals.ts";
import type { Denial } from "../http/denial.ts";
import type { Scope } from "./operation.ts";

/** An account's refusals that are kept at once, and how often one more is. */
const BURST = 20;
const REFILL_MS = 30_000;

/** All of an isolate's, of every account. */
const TOTAL_BURST = 100;
const TOTAL_REFILL_MS = 2_000;

/** Buckets remembered; the one refilled longest ago goes first. */
const MAX_BUCKETS = 1_000;

interface Bucket {
  /** Instant (Unix milliseconds) at which the bucket is full again. */
  fullAtMs: number;
}

/** What bounds the refusals of one isolate; `take` says whether one more may be kept. */
export class RefusalBudget {
  readonly #total: Bucket = { fullAtMs: 0 };
  readonly #accounts = new Map<string, Bucket>();

  /** Whether a refusal of `account` (`""`: unknown) at `nowMs` may be kept; if so it is counted. */
  take(account: string, nowMs: number): boolean {
    const bucket = this.#accounts.get(account) ?? { fullAtMs: 0 };
    if (!hasSpace(bucket, BURST, REFILL_MS, nowMs)) return false;
    if (!hasSpace(this.#total, TOTAL_BURST, TOTAL_REFILL_MS, nowMs)) return false;
    count(bucket, REFILL_MS, nowMs);
    count(this.#total, TOTAL_REFILL_MS, nowMs);
    // Deleting first moves the entry to the end of the map's order: the first one is the oldest.
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

/** Whose request it was and what it asked for, as far as that was known. */
export type RefusedCaller = Pick<Refusal, "accountId" | "keyId" | "interface" | "symbol" | "tradedate">;

/** Keeps the refusal of the request of `scope` if the isolate's budget has space for it; never throws. */
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

/** A turn later: a call that is made at once goes out before the answer does. */
function behindTheAnswer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
