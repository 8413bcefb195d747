/**
 * The worker and the object's code are deployed separately (`src/gate/README.md`). The messages and the stored row of
 * the first version are literals in this file. All later code must work with them.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { AcquireRequest, ReleaseRequest } from "../../../src/gate/protocol.ts";

const { GATE } = env as unknown as Env;

const firstAcquire = {
  requestId: "request-1",
  boundMs: 60_000,
  kind: "json",
  limits: { requests: 100, files: null },
} satisfies AcquireRequest;

const firstOutcome = {
  atMs: 1_764_207_000_000,
  requestId: "request-1",
  code: 200,
  reason: "",
  symbol: "600519",
  tradedate: "20261127",
  rows: 10_000,
};

const firstRow = {
  day: "20261127",
  requests: 7,
  files: 2,
  holder: null,
  grants: [{ id: "g", requestId: "r", kind: "json", day: "20261127", charged: true, outcome: firstOutcome }],
};

it("The gate object answers a worker of the first version with at least the first version's fields", async () => {
  const stub = GATE.getByName("rollout-1");
  const answer = await stub.acquire(firstAcquire);
  if ("reason" in answer) throw new Error(answer.reason);
  expect(answer).toMatchObject({
    id: expect.any(String),
    use: { day: expect.stringMatching(/^\d{8}$/), requests: 1, files: 0, resetSeconds: expect.any(Number) },
  });
  expect(await stub.acquire({ ...firstAcquire, requestId: "request-2" })).toMatchObject({
    reason: "slot_busy",
  });
  await answer.lease.release({ credit: false, outcome: firstOutcome } satisfies ReleaseRequest);
  expect((await stub.state()).last).toEqual([firstOutcome]);
  expect(
    await stub.acquire({ ...firstAcquire, requestId: "request-3", limits: { requests: 1, files: null } }),
  ).toMatchObject({
    reason: "quota_used",
    unit: "requests",
    limit: 1,
    resetSeconds: expect.any(Number),
  });
});

it("The gate object immediately stores a release from an earlier worker version", async () => {
  // A new stub for each call, because a stub fails with its object.
  const stub = () => GATE.getByName("rollout-4");
  for (const requestId of ["request-1", "request-2", "request-3"]) {
    const answer = await stub().acquire({ ...firstAcquire, requestId });
    if ("reason" in answer) throw new Error(answer.reason);
    await answer.lease.release({ credit: false, outcome: firstOutcome } satisfies ReleaseRequest);
    await runInDurableObject(stub(), (_, state) => state.abort("restarted by the test")).catch(
      () => undefined,
    );
    expect((await stub().state()).holder).toBeNull();
  }
});

it("The gate object accepts messages with unknown fields from a later worker version", async () => {
  const stub = GATE.getByName("rollout-2");
  const later = { ...firstAcquire, limits: { ...firstAcquire.limits, bytes: 5 }, priority: "high" };
  const answer = await stub.acquire(later);
  if ("reason" in answer) throw new Error(answer.reason);
  const laterWord = { credit: false, outcome: { ...firstOutcome, bytes: 77 }, because: "whole" };
  await answer.lease.release(laterWord);
  expect(await stub.state()).toMatchObject({ holder: null, last: [{ bytes: 77 }] });
});

it("The gate object reads the first version's row and keeps the fields that a later version added", async () => {
  const stub = GATE.getByName("rollout-3");
  const later = { ...firstRow, note: "kept", grants: [{ ...firstRow.grants[0], bytes: 77 }] };
  await runInDurableObject(stub, (_, state) =>
    state.storage.sql.exec("INSERT OR REPLACE INTO gate VALUES (1, ?)", JSON.stringify(later)),
  );
  const answer = await stub.acquire(firstAcquire);
  if ("reason" in answer) throw new Error(answer.reason);
  await answer.lease.release({ credit: true, outcome: firstOutcome });
  const stored = await runInDurableObject(stub, (_, state) =>
    JSON.parse(String(state.storage.sql.exec("SELECT row FROM gate").one().row)),
  );
  expect(stored).toMatchObject({ note: "kept", holder: null });
  expect(stored.grants[0]).toEqual(later.grants[0]);
});
