/**
 * Tests the gate object in workerd under concurrent calls, and counts its writes. `gate-histories.proof.worker.test.ts`
 * compares the slot, the quota, releases and restarts with a model.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { AcquireRequest } from "../../../src/gate/protocol.ts";

const { GATE } = env as unknown as Env;

const UNLIMITED = { requests: null, files: null };

function json(change: Partial<AcquireRequest> = {}): AcquireRequest {
  return { requestId: crypto.randomUUID(), boundMs: 60_000, kind: "json", limits: UNLIMITED, ...change };
}

/** Returns a gate that no other test uses, because the tests of a file share storage. */
function freshGate() {
  const name = `account-${crypto.randomUUID()}:level2_order_history`;
  return { stub: () => GATE.getByName(name) };
}

async function granted(gate: ReturnType<typeof freshGate>, ask: AcquireRequest = json()) {
  const answer = await gate.stub().acquire(ask);
  if ("reason" in answer) throw new Error(`refused: ${answer.reason}`);
  return answer;
}

afterEach(() => vi.useRealTimers());

describe("the slot of a gate object (contract 2.4)", () => {
  it("is granted to one of 40 concurrent requests, and only that request is charged", async () => {
    const gate = freshGate();
    const answers = await Promise.all(Array.from({ length: 40 }, () => gate.stub().acquire(json())));
    expect(answers.filter((answer) => !("reason" in answer))).toHaveLength(1);
    expect(answers.filter((answer) => "reason" in answer && answer.reason === "slot_busy")).toHaveLength(39);
    expect((await gate.stub().state()).use.requests).toBe(1);
  });

  it("stays taken when the object restarts, and the refusal says that the object has just started", async () => {
    const gate = freshGate();
    const grant = await granted(gate);
    await runInDurableObject(gate.stub(), (_, state) => state.abort("restarted by the test")).catch(
      () => undefined,
    );
    expect(await gate.stub().acquire(json())).toEqual({ reason: "slot_busy", justStarted: true });
    await gate.stub().release(grant.id, { credit: false });
    expect((await granted(gate)).use.requests).toBe(2);
  });
});

describe("the daily quota of a gate object (contract 7.3)", () => {
  it("allows exactly 40 files when 50 workers request one file each under a limit of 40", async () => {
    const gate = freshGate();
    const ask = () => json({ kind: "parquet", limits: { requests: null, files: 40 } });
    const refusals: string[] = [];
    const worker = async () => {
      for (;;) {
        const answer = await gate.stub().acquire(ask());
        if ("reason" in answer && answer.reason === "slot_busy") continue;
        if ("reason" in answer) return refusals.push(answer.reason);
        await answer.lease.release({ credit: false });
        return;
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    expect(refusals).toEqual(Array(10).fill("quota_used"));
    expect((await gate.stub().state()).use).toMatchObject({ requests: 40, files: 40 });
  });
});

describe("the writes of a gate object", () => {
  const rowsWritten = async (gate: ReturnType<typeof freshGate>) =>
    Number(
      await runInDurableObject(
        gate.stub(),
        (_, state) => state.storage.sql.exec("SELECT total_changes() AS n").one().n,
      ),
    );

  it("are one row for a grant, one for a release, and none for a refusal or a repeated release", async () => {
    const gate = freshGate();
    await granted(gate, json({ requestId: "warm" }));
    await gate.stub().release("warm", { credit: false });
    const before = await rowsWritten(gate);
    const grant = await granted(gate);
    await gate.stub().acquire(json());
    await grant.lease.release({ credit: false });
    await grant.lease.release({ credit: false });
    grant[Symbol.dispose]();
    await gate.stub().state();
    expect((await rowsWritten(gate)) - before).toBe(2);
  });

  it("are one row per page while a caller pages, and one more for the last release", async () => {
    const gate = freshGate();
    const first = await granted(gate);
    await first.lease.release({ credit: false, hasMore: true });
    const before = await rowsWritten(gate);
    for (let page = 1; page <= 100; page++) {
      const grant = await granted(gate);
      await grant.lease.release({ credit: false, hasMore: page < 100 });
    }
    expect((await rowsWritten(gate)) - before).toBe(101);
    expect((await gate.stub().state()).use.requests).toBe(101);
  });

  it("are two rows for a page if it follows a pause, is credited, or was requested by an earlier version", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const gate = freshGate();
    await (await granted(gate)).lease.release({ credit: false, hasMore: true });
    const before = await rowsWritten(gate);
    vi.setSystemTime(Date.now() + 501);
    const slow = await granted(gate);
    expect(await slow.lease.release({ credit: false, hasMore: true })).toEqual({ written: true });
    const former = await granted(gate);
    expect(await former.lease.release({ credit: false })).toEqual({ written: true });
    const faulty = await granted(gate);
    expect(await faulty.lease.release({ credit: true, hasMore: true })).toEqual({ written: true });
    expect((await rowsWritten(gate)) - before).toBe(6);
  });
});
