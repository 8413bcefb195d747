/**
 * The worker's side of the gate. An operation takes the slot, does its work and releases the slot. If something fails
 * in between, the slot is still released exactly once.
 */
import { inTime, LateAnswer } from "../base/in-time.ts";
import { ok, type Result, refused } from "../base/result.ts";
import type { UseDenial } from "../entitlement/caller-denial.ts";
import type { Gate } from "./gate-object.ts";
import {
  type AcquireRequest,
  type GateGrant,
  type GateRefused,
  type GateUse,
  isRefused,
  type LeaseStub,
  type ReleaseRequest,
} from "./protocol.ts";

/**
 * The longest wait for the object's answer. A longer wait is a fault, because the first byte is due within 15 s
 * (contract 2.5).
 */
const ANSWER_MS = 5_000;

/** The worker stops this long before the object frees the slot by itself. */
const STOP_EARLY_MS = 500;

/**
 * How long the worker waits before it repeats a request that a newly started object refused. An object needs less time
 * to store the end of a grant.
 */
const ASK_AGAIN_MS = 600;

/** The location of the gate objects. */
export interface GateHome {
  namespace: DurableObjectNamespace<Gate>;
  /** The region where an object is created at its first use; it never moves afterwards. */
  locationHint: DurableObjectLocationHint;
}

/** The gate objects and the request's context. The context outlives the response. */
export interface GatePlace extends GateHome {
  ctx: Pick<ExecutionContext, "waitUntil">;
}

export interface SlotAsk {
  accountId: string;
  /** The `apiname` of the interface whose slot and quota are used. */
  interface: string;
  request: AcquireRequest;
  /** The request's signal: the slot is freed as soon as the client disconnects, at any stage. */
  signal: AbortSignal;
}

/** A taken slot. The holder must release it on every path; `holdBody` does so for a body. */
export interface Slot {
  /** Today's counters including this request. */
  use: GateUse;
  /** The deadline by which work for the slot must have stopped, in Unix milliseconds of this isolate's clock. */
  stopAtMs: number;
  /**
   * Releases the slot. Never rejects and takes at most 10 s. Returns whether the object confirmed; otherwise the slot
   * frees itself at the request's deadline. A repeated call has an effect only if it adds a credit or an outcome.
   */
  release(request: ReleaseRequest): Promise<boolean>;
}

type Granted = GateGrant & { lease: LeaseStub };

/**
 * The accounts and interfaces whose next request may read before the gate answers. For each, the gate's last answer to
 * this isolate was a grant, and no request has read early since then.
 */
const granted = new Set<string>();
const MAX_GRANTED = 5_000;

/**
 * Returns whether the gate's last answer to this isolate, for this account and interface, was a grant; false from the
 * next call until the next grant. One grant therefore permits at most one read before the gate answers.
 */
export function spendGrant(of: Pick<SlotAsk, "accountId" | "interface">): boolean {
  return granted.delete(slotName(of));
}

function noteGrant(of: Pick<SlotAsk, "accountId" | "interface">): void {
  granted.add(slotName(of));
  for (const oldest of granted) {
    if (granted.size <= MAX_GRANTED) break;
    granted.delete(oldest);
  }
}

function slotName(of: Pick<SlotAsk, "accountId" | "interface">): string {
  return `${of.accountId}:${of.interface}`;
}

/** Returns the gate object of the account and interface. */
export function gateOf(home: GateHome, accountId: string, interfaceName: string): DurableObjectStub<Gate> {
  return home.namespace.getByName(`${accountId}:${interfaceName}`, { locationHint: home.locationHint });
}

/**
 * Takes the slot of the account and interface and charges the request, or returns the refusal (contract 2.1, steps 8 to
 * 10). When the object cannot be reached, credits the request in case it was charged, and throws.
 *
 * @example
 * const slot = await takeSlot(place, { accountId, interface: "level2_order_history", request, signal });
 * if (!slot.ok) return slot;
 */
export async function takeSlot(place: GatePlace, ask: SlotAsk): Promise<Result<Slot, UseDenial>> {
  const startMs = Date.now();
  const stub = () => gateOf(place, ask.accountId, ask.interface);
  const request = { ...ask.request, owner: { accountId: ask.accountId, service: ask.interface } };
  let answer = await acquire(place, stub, request);
  if (isRefused(answer) && answer.justStarted) {
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    answer = await acquire(place, stub, request);
  }
  if (isRefused(answer)) {
    granted.delete(slotName(ask));
    const { justStarted: _, ...refusal } = answer;
    return refused(refusal);
  }

  noteGrant(ask);
  const slot = heldSlot(place, stub, answer, startMs + ask.request.boundMs - STOP_EARLY_MS);
  const onGone = () => slot.release({ credit: false });
  if (ask.signal.aborted) onGone();
  else ask.signal.addEventListener("abort", onGone, { once: true });
  return ok(slot);
}

/**
 * Calls the object, and calls it again if the first call fails. That is safe, because the object charges a request id
 * once. An object that is overloaded or answers too late is not called again.
 */
async function acquire(
  { ctx }: GatePlace,
  stub: () => DurableObjectStub<Gate>,
  request: AcquireRequest,
): Promise<Granted | GateRefused> {
  for (let attempt = 1; ; attempt++) {
    const pending: Promise<Granted | GateRefused> = stub().acquire(request);
    try {
      return await inTime(pending, ANSWER_MS);
    } catch (error) {
      const isLate = error instanceof LateAnswer;
      const refund = (late: Granted | GateRefused) =>
        isRefused(late) ? undefined : late.lease.release({ credit: true });
      if (isLate) ctx.waitUntil(pending.then(refund).catch(() => undefined));
      if (attempt === 1 && !isLate && !isOverloaded(error)) continue;
      // Either attempt may have been counted by an object that failed before it answered.
      if (attempt > 1 && !isOverloaded(error)) {
        const credited = stub().release(request.requestId, { credit: true });
        ctx.waitUntil(credited.catch(() => undefined));
      }
      throw error;
    }
  }
}

/** Returns the slot of a grant. `stub` returns a new stub of the gate object. */
function heldSlot(
  { ctx }: GatePlace,
  stub: () => DurableObjectStub<Gate>,
  { id, use, lease }: Granted,
  stopAtMs: number,
): Slot {
  let last: { request: ReleaseRequest; confirmed: Promise<boolean> } | undefined;

  /** Releases through the lease; if that fails, through a new stub. The lease of a restarted object no longer works. */
  async function tell(request: ReleaseRequest): Promise<boolean> {
    try {
      const answer = await inTime(Promise.resolve(lease.release(request)), ANSWER_MS);
      if (answer?.written === false) ctx.waitUntil(seeWritten(request));
      else lease[Symbol.dispose]();
      return true;
    } catch (error) {
      return isOverloaded(error) ? false : tellAnew(request);
    }
  }

  /** Waits until the object has stored the release. Sends it again if the object fails before that. */
  async function seeWritten(request: ReleaseRequest): Promise<void> {
    try {
      await inTime(Promise.resolve(lease.written()), ANSWER_MS);
      lease[Symbol.dispose]();
    } catch {
      await tellAnew(request);
    }
  }

  async function tellAnew(request: ReleaseRequest): Promise<boolean> {
    try {
      await inTime(stub().release(id, request), ANSWER_MS);
      return true;
    } catch {
      return false;
    }
  }

  return {
    use,
    stopAtMs,
    release(request) {
      const told = last;
      const isNews =
        told === undefined ||
        (request.credit && !told.request.credit) ||
        (request.outcome !== undefined && told.request.outcome === undefined);
      if (!isNews) return told.confirmed;
      const confirmed = tell(request);
      ctx.waitUntil(confirmed);
      last = { request, confirmed };
      return confirmed;
    },
  };
}

/** Returns whether the platform marked `error` as coming from an overloaded object, which must not be called again. */
function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}
