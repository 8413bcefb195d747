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

/** Limits the stored refusals of one isolate. */
export class RefusalBudget {
  /** When the bucket of all accounts is full again (Unix milliseconds). */
  #totalFullAtMs = 0;
  /** The same for each account's bucket. The least recently used bucket comes first. */
  readonly #fullAtMs = new Map<string, number>();

  /** Returns whether a refusal of `account` (`""` when unknown) at `nowMs` may be stored, and counts it. */
  take(account: string, nowMs: number): boolean {
    const fullAtMs = Math.max(this.#fullAtMs.get(account) ?? 0, nowMs);
    const totalFullAtMs = Math.max(this.#totalFullAtMs, nowMs);
    if (fullAtMs - nowMs > (BURST - 1) * REFILL_MS) return false;
    if (totalFullAtMs - nowMs > (TOTAL_BURST - 1) * TOTAL_REFILL_MS) return false;
    this.#totalFullAtMs = totalFullAtMs + TOTAL_REFILL_MS;
    // Deleting first moves the entry to the end of the map's order.
    this.#fullAtMs.delete(account);
    this.#fullAtMs.set(account, fullAtMs + REFILL_MS);
    const [oldest = account] = this.#fullAtMs.keys();
    if (this.#fullAtMs.size > MAX_BUCKETS) this.#fullAtMs.delete(oldest);
    return true;
  }
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
  // Waits for one iteration of the event loop, so that the platform sends the answer before the write.
  ctx.waitUntil(
    new Promise((resolve) => setTimeout(resolve, 0))
      .then(() => addRefusal(env.DB, refusal))
      .catch((error) => console.warn(JSON.stringify({ event: "refusal_not_kept", error: String(error) }))),
  );
}
