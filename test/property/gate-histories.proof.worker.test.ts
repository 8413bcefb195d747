/**
 * Runs random histories of the real gate object inside workerd and compares each step with an independent model. The
 * histories contain requests and repeated requests, lost answers, releases sent once, twice, late or never, leases
 * dropped without a release, restarts, clock jumps, and workers of the previous version.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import type { AcquireRequest, GateKind, LeaseStub, ReleaseRequest } from "../../src/gate/protocol.ts";
import { GateModel } from "../support/gate-model.ts";
import { type Random, randomFrom } from "../support/random.ts";
import { proofSize } from "../support/tier.ts";

const { GATE, EDGETAPE_SEED } = env as unknown as Env;

const HISTORIES = proofSize(1_000);
const STEPS = 12;
const LONGEST_BOUND_MS = 300_000;

/** A worker that received a grant. It is removed once its release is stored or its lease is dropped. */
interface Working {
  requestId: string;
  grantId: string;
  untilMs: number;
  lease: LeaseStub;
  /** The release that the worker sent, and sends again after a restart. */
  told?: ReleaseRequest;
  /** Whether the worker has finished: it released the slot, its deadline passed, or the grant never arrived. */
  isOver?: true;
}

/** One gate, its workers and the model. */
class History {
  readonly #random: Random;
  readonly #name = crypto.randomUUID();
  readonly #model: GateModel;
  readonly #limits: AcquireRequest["limits"];
  #nowMs: number;
  #lastAskMs: number;
  #working: Working[] = [];
  #requestIds = ["first"];
  #grantIds = ["unknown"];
  /** The worker whose release is so far only in the object's memory. */
  #carriedOf: Working | undefined;

  constructor(random: Random) {
    this.#random = random;
    this.#nowMs = Date.parse("2026-11-27T00:00:00+08:00") + random.integer(0, 86_399_999);
    this.#lastAskMs = this.#nowMs;
    this.#limits = random.pick([
      { requests: null, files: null },
      { requests: 6, files: null },
      { requests: 9, files: 3 },
    ]);
    vi.setSystemTime(this.#nowMs);
    this.#model = new GateModel(this.#nowMs);
  }

  async run(): Promise<void> {
    const random = this.#random;
    for (let step = 0; step < STEPS; step++) {
      this.#nowMs += random.pick([0, 1, 50, 400, 59_999, 60_000, -3, random.chance(0.1) ? 9 * 3_600_000 : 7]);
      vi.setSystemTime(this.#nowMs);
      for (const one of this.#working) if (one.untilMs <= this.#nowMs) one.isOver = true;
      const chance = random.next();
      if (chance < 0.45) await this.#acquire(step);
      else if (chance < 0.75) await this.#end();
      else if (chance < 0.82) await this.#tellAgain();
      else if (chance < 0.87) await this.#storeCarried();
      else if (chance < 0.96) await this.#restart();
      else await this.#drop();
      expect(this.#model.differenceTo(await this.#stub().state(), this.#nowMs)).toBeNull();
    }
    // The slot is always free when the longest possible deadline of the last request has passed.
    vi.setSystemTime(this.#lastAskMs + LONGEST_BOUND_MS);
    expect((await this.#stub().state()).holder).toBeNull();
    for (const { lease } of this.#working) lease[Symbol.dispose]();
    vi.clearAllTimers();
  }

  #stub() {
    return GATE.getByName(this.#name);
  }

  #ask(step: number): AcquireRequest {
    this.#lastAskMs = Math.max(this.#lastAskMs, this.#nowMs);
    const requestId = this.#random.chance(0.8) ? `r${step}` : this.#random.pick(this.#requestIds.slice(-8));
    this.#requestIds.push(requestId);
    const kind: GateKind = requestId.length % 2 === 0 ? "json" : "parquet";
    return { requestId, kind, limits: this.#limits, boundMs: kind === "json" ? 60_000 : LONGEST_BOUND_MS };
  }

  async #acquire(step: number): Promise<void> {
    const ask = this.#ask(step);
    const answer = await this.#stub().acquire(ask);
    if ("reason" in answer) {
      const told = answer.reason === "slot_busy" ? answer.reason : answer.unit;
      expect(told).toBe(this.#model.acquire(ask, "none", this.#nowMs));
      return this.#stored();
    }
    const { use, id: grantId } = answer;
    const said = `in: ${use.requests} requests, ${use.files} files`;
    expect(said).toBe(this.#model.acquire(ask, grantId, this.#nowMs));
    this.#granted({
      requestId: ask.requestId,
      grantId,
      untilMs: this.#nowMs + ask.boundMs,
      lease: answer.lease,
    });
    // The answer is lost: the worker never receives the lease, and the worker's context ends.
    if (this.#random.chance(0.1)) await this.#drop();
  }

  /** Records a grant and asserts that no other request is running, which is the first guarantee of the gate. */
  #granted(working: Working): void {
    const others = this.#working.filter((one) => !one.isOver && one.requestId !== working.requestId);
    expect(others.map(({ requestId }) => requestId)).toEqual([]);
    // The first answer to a repeated request was lost, so no worker uses that grant.
    for (const one of this.#working) if (one.requestId === working.requestId) one.isOver = true;
    this.#grantIds.push(working.grantId);
    this.#working.push(working);
    this.#carriedOf = undefined;
    this.#model.store();
  }

  /**
   * Releases through a worker's lease. Workers of the previous version do not send `hasMore`, so their release is
   * stored at once.
   */
  async #end(): Promise<void> {
    const working = this.#working.at(-1);
    if (working === undefined) return this.#tellAgain();
    const isPresent = this.#random.chance(0.8);
    const request: ReleaseRequest = {
      credit: this.#random.chance(0.15),
      ...(this.#random.chance(0.8) ? { outcome: outcomeOf(working.requestId, this.#nowMs) } : {}),
      ...(isPresent ? { hasMore: this.#random.chance(0.8) } : {}),
    };
    const written = (await working.lease.release(request))?.written;
    this.#told(working.grantId, request);
    working.told = request;
    working.isOver = true;
    if (written === false) {
      expect(request).toMatchObject({ credit: false, hasMore: true });
      this.#carriedOf = working;
      return;
    }
    await this.#stored();
    this.#working.pop();
    working.lease[Symbol.dispose]();
    await this.#settle();
  }

  /**
   * Releases a recent grant, named by its id or by its request's id, through a new stub. The release can be late,
   * repeated or for an ended grant.
   */
  async #tellAgain(): Promise<void> {
    const ids = this.#random.chance(0.5) ? this.#grantIds : this.#requestIds;
    const id = this.#random.pick(ids.slice(-6));
    for (const each of this.#working) {
      if (each.grantId === id || each.requestId === id) each.isOver = true;
    }
    const request = { credit: this.#random.chance(0.3) };
    await this.#stub().release(id, request);
    this.#told(id, request);
    await this.#stored();
  }

  /** Advances the clock by the longest time that a release waits in memory, so that the object stores it. */
  async #storeCarried(): Promise<void> {
    const carried = this.#carriedOf;
    if (carried === undefined) return;
    const stored = carried.lease.written();
    await runInDurableObject(this.#stub(), () => vi.advanceTimersByTime(500));
    this.#nowMs += 500;
    await stored;
    this.#carriedOf = undefined;
    this.#model.store();
  }

  /**
   * Restarts the object, which loses its memory. A worker whose release was only in memory sends it again, at once or
   * after the next request.
   */
  async #restart(): Promise<void> {
    const carried = this.#carriedOf;
    const waiting = carried?.lease.written().then<string, string>(
      () => "stored",
      () => "lost",
    );
    await runInDurableObject(this.#stub(), (_, state) => state.abort("restarted by the test")).catch(
      () => undefined,
    );
    // The platform drops the timers of a destroyed object, so the fake timers are cleared.
    vi.clearAllTimers();
    vi.setSystemTime(this.#nowMs);
    this.#model.restart();
    this.#carriedOf = undefined;
    const dead = this.#working;
    this.#working = [];
    if (carried?.told !== undefined) {
      expect(await waiting).toBe("lost");
      if (this.#random.chance(0.3)) await this.#acquire(1_000);
      await this.#stub().release(carried.grantId, carried.told);
      this.#told(carried.grantId, carried.told);
      await this.#stored();
    }
    const atWork = dead.filter(({ isOver }) => !isOver);
    for (const working of atWork) {
      await expect(Promise.resolve(working.lease.release({ credit: false }))).rejects.toThrow();
      // Either the worker releases the slot through a new stub, or the worker has also ended and only the deadline
      // frees the slot.
      if (this.#random.chance(0.4)) continue;
      await this.#stub().release(working.grantId, { credit: false });
      this.#told(working.grantId, { credit: false });
      await this.#stored();
    }
  }

  /** Ends a worker's context, whether or not the worker received its lease. */
  async #drop(): Promise<void> {
    const working = this.#working.pop();
    if (working === undefined) return;
    working.lease[Symbol.dispose]();
    await this.#settle();
    this.#told(working.grantId, { credit: false });
    await this.#stored();
  }

  #told(id: string, { credit, outcome }: ReleaseRequest): void {
    this.#model.release(id, { credit, hasOutcome: outcome !== undefined });
  }

  /** Records that the model's state is stored, unless a release is still only in the object's memory. */
  async #stored(): Promise<void> {
    const carried = this.#carriedOf;
    if (carried !== undefined && (await this.#storedHolderId()) === carried.grantId) return;
    this.#carriedOf = undefined;
    this.#model.store();
  }

  #storedHolderId(): Promise<string | undefined> {
    return runInDurableObject(this.#stub(), (_, { storage }) => {
      const { row } = storage.sql.exec<{ row: string }>("SELECT row FROM gate").one();
      return JSON.parse(row).holder?.id;
    });
  }

  /** Waits until the object has processed a disposal, which has no answer. Calls are processed in order. */
  async #settle(): Promise<void> {
    await this.#stub().state();
  }
}

function outcomeOf(requestId: string, atMs: number) {
  return { atMs, requestId, code: 200, reason: "", symbol: "600519", tradedate: "20261127", rows: 1 };
}

afterEach(() => vi.useRealTimers());

describe("the gate object", () => {
  it(`agrees with a model in ${HISTORIES} random histories of ${STEPS} steps`, async () => {
    const seed = Number(EDGETAPE_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`gate object histories: EDGETAPE_SEED=${seed}`);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const random = randomFrom(seed);
    for (let n = 0; n < HISTORIES; n++) {
      const own = random.integer(0, 2 ** 31 - 1);
      await new History(randomFrom(own)).run().catch((error) => {
        throw new Error(`history of seed ${own}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      });
    }
  });
});
