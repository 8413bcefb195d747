/**
 * Runs random histories of a gate and compares each step with an independent model, and each answer to a new request
 * with the gate's prediction. A history contains requests, new and repeated; releases sent once, twice, late or never;
 * restarts; operator actions; clock jumps; and stored rows with a field that this version does not use.
 */
import { describe, expect, it } from "vitest";
import type { DailyLimits } from "../../../src/entitlement/principal.ts";
import {
  acquire,
  emptyRow,
  free,
  type GateRow,
  GRANTS_KEPT,
  release,
  stateOf,
  verdictOf,
} from "../../../src/gate/lease.ts";
import type { GateKind } from "../../../src/gate/protocol.ts";
import { GateModel } from "../../support/gate-model.ts";
import { printedRandom, type Random, randomFrom } from "../../support/random.ts";
import { proofSize } from "../../support/tier.ts";

const HISTORIES = proofSize(10_000);
const STEPS = 60;
const DAY_MS = 86_400_000;

/** Runs one history. Returns the first difference between gate and model, or `null`. */
function firstDifference(random: Random): string | null {
  const startMs = Date.parse("2026-11-27T00:00:00+08:00") + random.integer(0, DAY_MS - 1);
  let nowMs = startMs;
  let row: GateRow = emptyRow(nowMs);
  const model = new GateModel(nowMs);
  const limits: DailyLimits = random.pick([
    { requests: null, files: null },
    { requests: 6, files: null },
    { requests: null, files: 3 },
    { requests: 9, files: 4 },
    { requests: 0, files: 0 },
  ]);
  const requestIds = ["first"];
  const ids = ["unknown"];
  for (let step = 0; step < STEPS; step++) {
    nowMs += random.pick([0, 1, 50, 59_999, 60_000, 400_000, -3, random.chance(0.05) ? 9 * 3_600_000 : 7]);
    const chance = random.next();
    if (chance < 0.5) {
      const isNew = random.chance(0.7);
      if (isNew) requestIds.push(`r${step}`);
      const requestId = isNew ? `r${step}` : random.pick(requestIds.slice(-30));
      const kind: GateKind = requestId.length % 2 === 0 ? "json" : "parquet";
      const ask = { requestId, kind, limits, boundMs: kind === "json" ? 60_000 : 300_000 };
      const predicted = verdictOf(stateOf(row, nowMs), kind, limits);
      const next = acquire(row, ask, `g${step}`, nowMs);
      row = next.row;
      const refused = "reason" in next.answer ? next.answer : null;
      if (isNew && JSON.stringify(predicted) !== JSON.stringify(refused))
        return `step ${step}: ${requestId} got ${JSON.stringify(refused)}, not ${JSON.stringify(predicted)}`;
      const told =
        "id" in next.answer
          ? `in: ${next.answer.use.requests} requests, ${next.answer.use.files} files`
          : next.answer.reason === "slot_busy"
            ? "slot_busy"
            : next.answer.unit;
      const expected = model.acquire(ask, `g${step}`, nowMs);
      if (told !== expected) return `step ${step}: ${requestId} was told ${told}, the model says ${expected}`;
      ids.push(`g${step}`, requestId);
    } else if (chance < 0.95) {
      const id = random.chance(0.6) ? (row.holder?.id ?? "unknown") : random.pick(ids.slice(-40));
      const credit = random.chance(0.2);
      const about = { code: 200, reason: "", symbol: "", tradedate: "", rows: 0 };
      const outcome = { atMs: nowMs, requestId: id, ...about };
      const hasOutcome = random.chance(0.6);
      const request = { credit, ...(hasOutcome ? { outcome } : {}) };
      row = release(row, id, request);
      if (release(row, id, request) !== row) return `step ${step}: a repeated release changes the row`;
      model.release(id, { credit, hasOutcome });
    } else if (chance < 0.98) {
      // The object restarts: it reads the row from JSON, in which a later version has added a field.
      row = JSON.parse(JSON.stringify({ ...row, added: step }));
    } else {
      row = free(row);
      model.free();
    }
    const difference = model.differenceTo(stateOf(row, nowMs), nowMs);
    if (difference !== null) return `step ${step}: ${difference}`;
    if (row.grants.length > GRANTS_KEPT) return `step ${step}: ${row.grants.length} grants are kept`;
  }
  return null;
}

describe("the gate's lease", () => {
  it(`agrees with a model in ${HISTORIES} random histories of ${STEPS} steps`, () => {
    const random = printedRandom("gate histories");
    for (let n = 0; n < HISTORIES; n++) {
      const seed = random.integer(0, 2 ** 31 - 1);
      const difference = firstDifference(randomFrom(seed));
      if (difference !== null) expect.fail(`history of seed ${seed}, ${difference}`);
    }
  });
});
