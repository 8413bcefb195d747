/** Compares the usage that a gate writes into the catalog with the sums over random events. */
import { describe, expect, it } from "vitest";
import type { DayUsage } from "../../../src/catalog/usage.ts";
import {
  acquire,
  afterWrite,
  credit,
  emptyRow,
  type GateRow,
  planWrite,
  release,
  unwrittenDays,
} from "../../../src/gate/lease.ts";
import type { AcquireRequest } from "../../../src/gate/protocol.ts";
import { printedRandom, type Random, randomFrom } from "../../support/random.ts";

const NOON = Date.parse("2026-11-27T12:00:00+08:00");
const DAY_MS = 86_400_000;
const EVERY_MS = 600_000;
const OWNER = { accountId: "one", service: "level2_order_history" };

const ask = (requestId: string, change: Partial<AcquireRequest> = {}): AcquireRequest => ({
  requestId,
  boundMs: 60_000,
  kind: "json",
  limits: { requests: null, files: null },
  owner: OWNER,
  ...change,
});

/** Returns a gate that served one file of 5,000 bytes at noon. */
function afterOneFile(): GateRow {
  const { row } = acquire(emptyRow(NOON), ask("a", { kind: "parquet" }), "g", NOON);
  return release(row, "g", { credit: false, bytes: 5_000 });
}

const ONE_FILE: DayUsage = { day: "20261127", requests: 1, files: 1, bytes: 5_000 };

describe("the unwritten totals of the gate's usage", () => {
  it("include a past day whose totals grew during the write", () => {
    const more = acquire(afterOneFile(), ask("b"), "h", NOON + 1).row;
    const turned = acquire(release(more, "h", { credit: false }), ask("c"), "i", NOON + DAY_MS).row;
    expect(unwrittenDays(afterWrite(turned, [ONE_FILE]))[0]).toEqual({ ...ONE_FILE, requests: 2 });
  });

  it("count the bytes of a body once, or not at all if the request is credited", () => {
    const row = afterOneFile();
    expect(release(row, "g", { credit: false, bytes: 5_000 })).toBe(row);
    const second = acquire(row, ask("b"), "h", NOON + 1).row;
    expect(unwrittenDays(release(second, "h", { credit: true, bytes: 70 }))).toEqual([ONE_FILE]);
  });
});

describe("the instant of the next usage write", () => {
  it("is set once per interval, and never for a gate without an owner", () => {
    const row = planWrite(afterOneFile(), NOON, EVERY_MS);
    expect(row.writeAtMs).toBe(NOON + EVERY_MS);
    expect(planWrite(row, NOON + EVERY_MS - 1, EVERY_MS)).toBe(row);
    const { owner: _, ...former } = acquire(emptyRow(NOON), ask("a"), "g", NOON).row;
    expect(planWrite(former, NOON, EVERY_MS)).toBe(former);
  });

  it("is set again when the previous instant passed without a write", () => {
    const row = planWrite(afterOneFile(), NOON, EVERY_MS);
    expect(planWrite(row, NOON + 3 * EVERY_MS, EVERY_MS).writeAtMs).toBe(NOON + 4 * EVERY_MS);
  });
});

/** Runs one history. Returns the catalog's actual and expected content as JSON. */
function history(random: Random): { has: string; due: string } {
  const due = new Map<string, DayUsage>();
  const catalog = new Map<string, DayUsage>();
  let nowMs = NOON;
  let row = emptyRow(nowMs);
  const dayOf = () => new Date(nowMs + 8 * 3_600_000).toISOString().slice(0, 10).replaceAll("-", "");
  const count = (requests: number, files: number, bytes: number) => {
    const day = dayOf();
    const { requests: r, files: f, bytes: b } = due.get(day) ?? { requests: 0, files: 0, bytes: 0 };
    due.set(day, { day, requests: r + requests, files: f + files, bytes: b + bytes });
  };
  const write = () => {
    for (const day of unwrittenDays(row)) catalog.set(day.day, day);
  };
  for (let step = 0; step < 60; step++) {
    nowMs += random.pick([1_000, 60_000, 5 * 3_600_000, 2 * DAY_MS]);
    const kind = random.pick(["json", "parquet"] as const);
    const bytes = random.integer(0, 9_999);
    row = acquire(row, ask(`r${step}`, { kind }), `g${step}`, nowMs).row;
    const isFault = random.chance(0.2);
    row = release(row, `g${step}`, { credit: isFault, bytes });
    if (!isFault) count(1, kind === "parquet" ? 1 : 0, bytes);
    if (!isFault && random.chance(0.1)) {
      row = credit(row, { requests: 1, files: 0 }, nowMs);
      count(-1, 0, 0);
    }
    // The answer to this write is lost, so the gate does not record the write.
    if (random.chance(0.3)) write();
    // The answer to this write arrives, so the gate records the write.
    if (random.chance(0.3)) {
      const days = unwrittenDays(row);
      write();
      row = afterWrite(JSON.parse(JSON.stringify(row)) as GateRow, days);
    }
  }
  write();
  const served = (days: Map<string, DayUsage>) =>
    JSON.stringify(
      [...days.values()].filter((day) => day.requests + day.files + day.bytes > 0).toSorted(byDay),
    );
  return { has: served(catalog), due: served(due) };
}

const byDay = (one: DayUsage, other: DayUsage) => one.day.localeCompare(other.day);

describe("the gate's usage", () => {
  it("is correct in the catalog after each of 300 random histories of 60 requests", () => {
    const random = printedRandom("usage histories");
    for (let n = 0; n < 300; n++) {
      const seed = random.integer(0, 2 ** 31 - 1);
      const { has, due } = history(randomFrom(seed));
      if (has !== due) expect.fail(`history of seed ${seed}: the catalog has ${has}, due is ${due}`);
    }
  });
});
