import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, publish } from "../support/operator.ts";
import { pageOf } from "../support/walk.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, MAIN_DAY, startWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const asked = { symbol: "600519", tradedate: MAIN };

/** Takes the objects of the main day out of the bucket; returns what puts them back. */
async function withoutObjects(): Promise<() => Promise<void>> {
  const bucket = await world.service.mf.getR2Bucket("PACKS");
  const { objects } = await bucket.list({ prefix: `orders/2026/${MAIN}/` });
  expect(objects.length).toBeGreaterThan(0);
  const bytes = await Promise.all(
    objects.map(async ({ key }) => ({ key, body: await (await bucket.get(key))?.arrayBuffer() })),
  );
  for (const { key } of objects) await bucket.delete(key);
  return async () => {
    for (const { key, body } of bytes) if (body !== undefined) await bucket.put(key, body);
  };
}

describe("faults of the service (spec 7, decisions 1 and 2)", () => {
  it("are 503 unavailable with Retry-After 5, tell nothing of the inside, and are credited back", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    const restore = await withoutObjects();
    for (const format of ["json", "parquet"]) {
      const answer = await world.ask({ ...asked, format }, { apikey: key });
      expectRefusal(answer, { reason: "unavailable", status: 503 });
      expect(answer.headers["retry-after"]).toBe("5");
      expect(answer.envelope.message).not.toMatch(/R2|D1|bucket|orders\/|\.parquet|Error|stack|at \w+ \(/);
    }
    await restore();
    const next = await world.ask(asked, { apikey: key });
    if (next.envelope.code !== 200) await publish(world.service, MAIN_DAY);
    const served = next.envelope.code === 200 ? next : await world.ask(asked, { apikey: key });
    expect(pageOf(served).items).toEqual(world.main.rowsOf("600519"));
    expect(String(served.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });

  it("are written to the log with the request id", async () => {
    const restore = await withoutObjects();
    const answer = await world.ask(asked);
    await restore();
    expectRefusal(answer, { reason: "unavailable" });
    const id = String(answer.headers["x-request-id"]);
    while (!world.service.logs.some((line) => line.includes(id))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it("an object replaced by other bytes is 503, never other rows", async () => {
    const bucket = await world.service.mf.getR2Bucket("PACKS");
    const fresh = await publish(world.service, MAIN_DAY);
    const key = `orders/2026/${MAIN}/${fresh.day.revision}.parquet`;
    const bytes = new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? new ArrayBuffer(0));
    bytes.fill(0x55, 100, 2_000);
    await bucket.put(key, bytes);
    const answer = await world.ask(asked);
    expect(answer.status).toBe(503);
    expect(answer.envelope.code).toBe(503);
    expect(["unavailable", "day_damaged"]).toContain(answer.reason);
  });
});
