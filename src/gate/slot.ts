/**
 * The worker's side of the gate: an operation takes the slot, works, and releases it exactly once in
 * effect, whatever happens to the object, to the client or to the worker in between.
 */
import { inTime, LateAnswer } from "../base/in-time.ts";
import { ok, type Result, refused } from "../base/result.ts";
import type { Gate } from "./gate-object.ts";
import {
  type AcquireRequest,
  type GateGrant,
  type GateRefusal,
  type GateRefused,
  type GateUse,
  isRefused,
  type LeaseStub,
  type ReleaseRequest,
} from "./protocol.ts";

/** An answer of the object that takes longer is a fault: the first byte is due in 15 s (contract 2.5). */
const ANSWER_MS = 5_000;

/** The worker stops this long before the object would let the next request in. */
const STOP_EARLY_MS = 500;

/** A taken slot of an object that has just started is asked for once more after this time, longer than ends wait. */
const ASK_AGAIN_MS = 600;

/** Where the gate objects are. */
export interface GateHome {
  namespace: DurableObjectNamespace<Gate>;
  /** Where an object is created at its first use; it never moves afterwards. */
  locationHint: DurableObjectLocationHint;
}

/** The gate objects, and the request's context that outlives its response. */
export interface GatePlace extends GateHome {
  ctx: Pick<ExecutionContext, "waitUntil">;
}

export interface SlotAsk {
  accountId: string;
  /** The interface whose slot and quota this is: its `apiname`. */
  interface: string;
  request: AcquireRequest;
  /** The request's own signal: the slot is freed as soon as the client has gone, at any stage. */
  signal: AbortSignal;
}

/** A taken slot. Its holder releases it on every path; `holdBody` does so for a body. */
export interface Slot {
  /** Today's counters with this request counted. */
  use: GateUse;
  /** Unix milliseconds of this isolate's clock at which work for the slot must have stopped. */
  stopAtMs: number;
  /**
   * Gives the slot back. Never rejects and takes at most 10 s: true when the object confirmed it, false
   * when it could not be reached and the slot frees itself at the end of the request's bound. Saying it
   * again costs nothing unless it adds a credit or an outcome.
   */
  release(request: ReleaseRequest): Promise<boolean>;
}

type Granted = GateGrant & { lease: LeaseStub };

/** Slots whose last answer to this isolate was a grant that no read has relied on yet. The oldest goes first. */
const granted = new Set<string>();
const MAX_GRANTED = 5_000;

/**
 * Returns whether the gate's last answer to this isolate let the account in, and uses that up: until the next grant
 * it is false. So of one grant at most one read is begun before the gate was asked, however many requests come.
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

/** The gate of the account on the interface; also for `/health`, the operator and `account_info`. */
export function gateOf(home: GateHome, accountId: string, interfaceName: string): DurableObjectStub<Gate> {
  return home.namespace.getByName(`${accountId}:${interfaceName}`, { locationHint: home.locationHint });
}

/**
 * Takes the slot of the account on the interface and charges the request, or tells why not (contract 2.1,
 * steps 8 to 10). Throws when the object cannot be asked; what it may have charged is then credited.
 *
 * @example
 * const slot = await takeSlot(place, { accountId, interface: "level2_order_history", request, signal });
 * if (!slot.ok) return slot;
 */
export async function takeSlot(place: GatePlace, ask: SlotAsk): Promise<Result<Slot, GateRefusal>> {
  const startMs = Date.now();
  const stub = () => gateOf(place, ask.accountId, ask.interface);
  let answer = await acquire(place, stub, ask.request);
  if (isRefused(answer) && answer.justStarted) {
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    answer = await acquire(place, stub, ask.request);
  }
  if (isRefused(answer)) {
    granted.delete(slotName(ask));
    const { justStarted: _, ...refusal } = answer;
    return refused(refusal);
  }

  noteGrant(ask);
  const slot = new HeldSlot(place, stub, answer, startMs + ask.request.boundMs - STOP_EARLY_MS);
  const onGone = () => slot.release({ credit: false });
  if (ask.signal.aborted) onGone();
  else ask.signal.addEventListener("abort", onGone, { once: true });
  return ok(slot);
}

/**
 * Asks the object, and once more if it fails before its answer came: the request id makes that safe. An
 * object that says it is overloaded is left alone.
 */
async function acquire(
  place: GatePlace,
  stub: () => DurableObjectStub<Gate>,
  request: AcquireRequest,
): Promise<Granted | GateRefused> {
  try {
    return await askOnce(place, stub(), request);
  } catch (error) {
    if (error instanceof LateAnswer || isOverloaded(error)) throw error;
  }
  try {
    return await askOnce(place, stub(), request);
  } catch (error) {
    // Either try may have been counted by an object that broke before it could answer.
    if (!isOverloaded(error))
      place.ctx.waitUntil(settled(stub().release(request.requestId, { credit: true })));
    throw error;
  }
}

async function askOnce(
  place: GatePlace,
  stub: DurableObjectStub<Gate>,
  request: AcquireRequest,
): Promise<Granted | GateRefused> {
  const pending: Promise<Granted | GateRefused> = stub.acquire(request);
  try {
    return await inTime(pending, ANSWER_MS);
  } catch (error) {
    if (error instanceof LateAnswer)
      place.ctx.waitUntil(
        settled(pending.then((late) => (isRefused(late) ? undefined : late.lease.release({ credit: true })))),
      );
    throw error;
  }
}

class HeldSlot implements Slot {
  readonly use: GateUse;
  readonly stopAtMs: number;
  readonly #place: GatePlace;
  readonly #stub: () => DurableObjectStub<Gate>;
  readonly #granted: Granted;
  #told: { request: ReleaseRequest; confirmed: Promise<boolean> } | undefined;

  constructor(place: GatePlace, stub: () => DurableObjectStub<Gate>, granted: Granted, stopAtMs: number) {
    this.use = granted.use;
    this.stopAtMs = stopAtMs;
    this.#place = place;
    this.#stub = stub;
    this.#granted = granted;
  }

  release(request: ReleaseRequest): Promise<boolean> {
    const told = this.#told;
    const isNews =
      told === undefined ||
      (request.credit && !told.request.credit) ||
      (request.outcome !== undefined && told.request.outcome === undefined);
    if (!isNews) return told.confirmed;
    const confirmed = this.#tell(request);
    this.#place.ctx.waitUntil(confirmed);
    this.#told = { request, confirmed };
    return confirmed;
  }

  /** By the lease, and by a fresh stub only if that fails: the lease of a restarted object is dead for good. */
  async #tell(request: ReleaseRequest): Promise<boolean> {
    const { lease } = this.#granted;
    try {
      const answer = await inTime(Promise.resolve(lease.release(request)), ANSWER_MS);
      if (answer?.written === false) this.#place.ctx.waitUntil(this.#seeWritten(request));
      else lease[Symbol.dispose]();
      return true;
    } catch (error) {
      if (isOverloaded(error)) return false;
    }
    return this.#tellAnew(request);
  }

  /** Stays until an end that the object has in memory is stored; one that died before that is told again. */
  async #seeWritten(request: ReleaseRequest): Promise<void> {
    const { lease } = this.#granted;
    try {
      await inTime(Promise.resolve(lease.written()), ANSWER_MS);
      lease[Symbol.dispose]();
    } catch {
      await this.#tellAnew(request);
    }
  }

  async #tellAnew(request: ReleaseRequest): Promise<boolean> {
    try {
      await inTime(this.#stub().release(this.#granted.id, request), ANSWER_MS);
      return true;
    } catch {
      return false;
    }
  }
}

/** Waits for `work` and forgets how it ended. */
async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}

/** The platform marks errors of an object that has more calls than it can take; more calls make it worse. */
function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}
