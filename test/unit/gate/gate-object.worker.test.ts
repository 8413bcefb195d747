/** Tests the gate object in workerd, with its storage, RPC and restarts. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { AcquireRequest } from "../../../src/gate/protocol.ts";

const { GATE } = env as unknown as Env;

/** Longer than an expected event takes on a busy machine, and shorter than the 60 s after which a slot expires. */
const PATIENCE = { timeout: 20_000 };

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

async function restart(gate: ReturnType<typeof freshGate>) {
  await runInDurableObject(gate.stub(), (_, state) => state.abort("restarted by the test")).catch(
    () => undefined,
  );
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

  it("can be released by lease, grant id or request id; a second release does not affect the next holder", async () => {
    const gate = freshGate();
    const first = await granted(gate);
    await first.lease.release({ credit: false });
    await first.lease.release({ credit: false });
    const second = await granted(gate);
    await gate.stub().release(first.id, { credit: false });
    expect((await gate.stub().state()).holder).not.toBeNull();
    await gate.stub().release(second.id, { credit: false });
    const ask = json();
    await granted(gate, ask);
    await gate.stub().release(ask.requestId, { credit: true });
    expect(await gate.stub().state()).toMatchObject({ holder: null, use: { requests: 2 } });
  });

  it("is released when the caller drops the lease", async () => {
    const gate = freshGate();
    const grant = await granted(gate);
    grant[Symbol.dispose]();
    await vi.waitFor(async () => expect((await gate.stub().state()).holder).toBeNull(), PATIENCE);
    expect((await gate.stub().state()).use.requests).toBe(1);
  });

  it("stays taken when the object restarts, and can then be released only through a new stub", async () => {
    const gate = freshGate();
    const grant = await granted(gate);
    await restart(gate);
    expect(await gate.stub().acquire(json())).toEqual({ reason: "slot_busy", justStarted: true });
    await expect(Promise.resolve(grant.lease.release({ credit: false }))).rejects.toThrow();
    await gate.stub().release(grant.id, { credit: false });
    expect((await granted(gate)).use.requests).toBe(2);
  });

  it("expires exactly at the end of its 60 s if it is not released", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime("2026-11-27T01:30:00.000Z");
    const gate = freshGate();
    await granted(gate, json({ boundMs: 60_000 }));
    await restart(gate);
    vi.setSystemTime("2026-11-27T01:30:59.999Z");
    expect(await gate.stub().acquire(json())).toMatchObject({ reason: "slot_busy" });
    vi.setSystemTime("2026-11-27T01:31:00.000Z");
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

  it("is reset at midnight in Beijing, while a slot that is held stays held", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime("2026-11-27T15:59:59.999Z");
    const gate = freshGate();
    const grant = await granted(gate, json({ limits: { requests: 1, files: null } }));
    expect(grant.use).toEqual({ day: "20261127", requests: 1, files: 0, resetSeconds: 1 });
    vi.setSystemTime("2026-11-27T16:00:00.000Z");
    expect(await gate.stub().acquire(json())).toEqual({ reason: "slot_busy" });
    await grant.lease.release({ credit: true });
    const next = await granted(gate, json({ limits: { requests: 1, files: null } }));
    expect(next.use).toEqual({ day: "20261128", requests: 1, files: 0, resetSeconds: 86_400 });
  });

  it("counts a repeated request only once, even if the slot was free in between", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const gate = freshGate();
    const ask = json();
    const lost = await granted(gate, ask);
    const again = await granted(gate, ask);
    expect(again.use).toEqual(lost.use);
    lost[Symbol.dispose]();
    await gate.stub().release(lost.id, { credit: true });
    expect(await gate.stub().state()).toMatchObject({
      holder: { requestId: ask.requestId },
      use: { requests: 1 },
    });
    await again.lease.release({ credit: false });
    expect((await granted(gate, ask)).use.requests).toBe(1);
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

  it("are two rows for a page after a pause, for an earlier worker version, or with a credit", async () => {
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

describe("a release that waits in memory for the next page's write", () => {
  /** Returns a gate and the grant of its second page. The grant's release is only in the object's memory. */
  async function waiting() {
    const gate = freshGate();
    await (await granted(gate)).lease.release({ credit: false, hasMore: true });
    const grant = await granted(gate);
    expect(await grant.lease.release({ credit: false, hasMore: true })).toEqual({ written: false });
    return { gate, grant };
  }
  const storedHolder = (gate: ReturnType<typeof freshGate>) =>
    runInDurableObject(
      gate.stub(),
      (_, { storage }) => JSON.parse(String(storage.sql.exec("SELECT row FROM gate").one().row)).holder,
    );

  it("frees the slot immediately", async () => {
    const { gate } = await waiting();
    expect((await gate.stub().state()).holder).toBeNull();
    expect((await granted(gate)).use.requests).toBe(3);
  });

  it("is stored with the next page's grant, and then `written` resolves", async () => {
    const { gate, grant } = await waiting();
    const written = grant.lease.written();
    const next = await granted(gate);
    await written;
    expect(await storedHolder(gate)).toMatchObject({ id: next.id });
  });

  it("is stored even without a further request, and then `written` resolves", async () => {
    const { gate, grant } = await waiting();
    await grant.lease.written();
    expect(await storedHolder(gate)).toBeNull();
  });

  it("is stored when the worker drops the lease", async () => {
    const { gate, grant } = await waiting();
    grant[Symbol.dispose]();
    await vi.waitFor(async () => expect(await storedHolder(gate)).toBeNull(), PATIENCE);
  });

  it("is lost if the object stops; `written` then rejects, and the slot is busy until the next release", async () => {
    const { gate, grant } = await waiting();
    const lost = expect(Promise.resolve(grant.lease.written())).rejects.toThrow();
    await restart(gate);
    await lost;
    expect(await gate.stub().acquire(json())).toEqual({ reason: "slot_busy", justStarted: true });
    await gate.stub().release(grant.id, { credit: false });
    expect((await granted(gate)).use.requests).toBe(3);
  });
});

describe("an operator", () => {
  it("can release a held slot and credit requests through the gate object", async () => {
    const gate = freshGate();
    await granted(gate, json({ kind: "parquet" }));
    await gate.stub().free();
    expect(await gate.stub().credit({ requests: 5, files: 1 })).toMatchObject({
      holder: null,
      use: { requests: 0, files: 0 },
    });
  });
});
