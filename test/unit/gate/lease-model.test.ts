/**
 * 10,000 random histories of one gate, each step compared with a model that keeps lists of what
 * happened instead of counters and a row.
 */
import { describe, expect, it } from "vitest";
import { acquire, emptyRow, free, type GateRow, release, stateOf } from "../../../src/gate/lease.ts";
import type { AcquireRequest, GateKind, GateLimits } from "../../../src/gate/protocol.ts";
import { printedRandom, type Random, randomFrom } from "../../support/random.ts";

const HISTORIES = 10_000;
const STEPS = 60;
const BEIJING_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;

/** One request the model has let in, and everything that is true of it. */
interface Served {
  requestId: string;
  kind: GateKind;
  grantId: string;
  dayNumber: number;
  paid: boolean;
  ended: boolean;
}

class Model {
  dayNumber: number;
  /** Everyone ever let in, in the order of the latest grant. */
  served: Served[] = [];
  /** The day of every charge that was given back. */
  refunds: number[] = [];
  inside: { who: Served; grantId: string; leavesAtMs: number } | null = null;

  constructor(nowMs: number) {
    this.dayNumber = dayNumberOf(nowMs);
  }

  /** Counted by looking at everyone who paid on the day, whether remembered or not. */
  used(kind?: GateKind): number {
    return this.served.filter(
      (one) => one.paid && one.dayNumber === this.dayNumber && (kind ?? one.kind) === one.kind,
    ).length;
  }

  /** Everything given back of what was charged today. */
  refunded(): number {
    return this.refunds.filter((dayNumber) => dayNumber === this.dayNumber).length;
  }

  giveBack(who: Served): void {
    if (who.paid) this.refunds.push(who.dayNumber);
    who.paid = false;
  }

  look(nowMs: number): void {
    this.dayNumber = Math.max(this.dayNumber, dayNumberOf(nowMs));
  }

  remembered(): Served[] {
    return this.served.slice(-20);
  }

  acquire(ask: AcquireRequest, grantId: string, nowMs: number): string {
    this.look(nowMs);
    const known = this.remembered().find((one) => one.requestId === ask.requestId);
    const inside = this.inside;
    if (inside !== null && nowMs < inside.leavesAtMs && inside.who.requestId !== ask.requestId) {
      if (known !== undefined && !known.ended) this.giveBack(known);
      return "slot_busy";
    }
    let who = known;
    if (who === undefined || !who.paid) {
      if (this.used() + 1 > (ask.limits.requests ?? Infinity)) return "requests";
      if (ask.kind === "parquet" && this.used("parquet") + 1 > (ask.limits.files ?? Infinity)) return "files";
      who = { ...ask, grantId, dayNumber: this.dayNumber, paid: true, ended: false };
    }
    who.grantId = grantId;
    this.served = [...this.served.filter((one) => one !== known), who];
    this.inside = { who, grantId, leavesAtMs: nowMs + ask.boundMs };
    return `in: ${this.used()} requests, ${this.used("parquet")} files`;
  }

  release(id: string, isCredit: boolean, hasOutcome: boolean): void {
    if (this.inside !== null && [this.inside.grantId, this.inside.who.requestId].includes(id))
      this.inside = null;
    const who = this.remembered().find((one) => one.grantId === id || one.requestId === id);
    if (who === undefined) return;
    if (isCredit) this.giveBack(who);
    if (hasOutcome) who.ended = true;
  }
}

function dayNumberOf(nowMs: number): number {
  return Math.floor((nowMs + BEIJING_MS) / DAY_MS);
}

/** Runs one history; returns the first difference between gate and model, or `null`. */
function firstDifference(random: Random): string | null {
  const startMs = Date.parse("2026-11-27T00:00:00+08:00") + random.integer(0, DAY_MS - 1);
  let nowMs = startMs;
  let row: GateRow = emptyRow(nowMs);
  const model = new Model(nowMs);
  const limits: GateLimits = random.pick([
    { requests: null, files: null },
    { requests: 6, files: null },
    { requests: null, files: 3 },
    { requests: 9, files: 4 },
  ]);
  const requestIds = ["first"];
  const ids = ["unknown"];
  for (let step = 0; step < STEPS; step++) {
    nowMs += random.pick([0, 1, 50, 59_999, 60_000, 400_000, -3, random.chance(0.05) ? 9 * 3_600_000 : 7]);
    if (random.chance(0.5)) {
      const isNew = random.chance(0.7);
      if (isNew) requestIds.push(`r${step}`);
      const requestId = isNew ? `r${step}` : random.pick(requestIds.slice(-30));
      const kind: GateKind = requestId.length % 2 === 0 ? "json" : "parquet";
      const ask = { requestId, kind, limits, boundMs: kind === "json" ? 60_000 : 300_000 };
      const next = acquire(row, ask, `g${step}`, nowMs);
      row = next.row;
      const told =
        "id" in next.answer
          ? `in: ${next.answer.use.requests} requests, ${next.answer.use.files} files`
          : next.answer.reason === "slot_busy"
            ? "slot_busy"
            : next.answer.unit;
      const expected = model.acquire(ask, `g${step}`, nowMs);
      if (told !== expected) return `step ${step}: ${requestId} was told ${told}, the model says ${expected}`;
      ids.push(`g${step}`, requestId);
    } else if (random.chance(0.97)) {
      const id = random.chance(0.6) ? (row.holder?.id ?? "unknown") : random.pick(ids.slice(-40));
      const isCredit = random.chance(0.2);
      const outcome = {
        atMs: nowMs,
        requestId: id,
        code: 200,
        reason: "",
        symbol: "",
        tradedate: "",
        rows: 0,
      };
      const hasOutcome = random.chance(0.6);
      row = release(row, id, { credit: isCredit, ...(hasOutcome ? { outcome } : {}) });
      model.release(id, isCredit, hasOutcome);
    } else {
      row = free(row);
      model.inside = null;
    }
    const state = stateOf(row, nowMs);
    model.look(nowMs);
    const inside =
      model.inside !== null && nowMs < model.inside.leavesAtMs ? model.inside.who.requestId : null;
    const seen = [
      state.holder?.requestId ?? null,
      state.use.requests,
      state.use.files,
      state.credited?.requests,
      state.last.length,
    ];
    const due = [
      inside,
      model.used(),
      model.used("parquet"),
      model.refunded(),
      model.remembered().filter((one) => one.ended).length,
    ];
    if (JSON.stringify(seen) !== JSON.stringify(due)) return `step ${step}: gate ${seen}, model ${due}`;
    if (row.grants.length > 20) return `step ${step}: ${row.grants.length} grants are kept`;
  }
  return null;
}

describe("gate histories", () => {
  it(`agree with the model in ${HISTORIES} random histories of ${STEPS} steps`, () => {
    const random = printedRandom("gate histories");
    for (let n = 0; n < HISTORIES; n++) {
      const seed = random.integer(0, 2 ** 31 - 1);
      const difference = firstDifference(randomFrom(seed));
      if (difference !== null) expect.fail(`history of seed ${seed}, ${difference}`);
    }
  });
});
