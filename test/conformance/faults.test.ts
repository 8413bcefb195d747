import { afterAll, describe, expect, it } from "vitest";
import { locateIndex } from "../../src/packs/locate.ts";
import { account, publish } from "../support/operator.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, MAIN_DAY, startWorld } from "./world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const asked = { symbol: "600519", tradedate: MAIN };

/** Removes the objects of the main day from the bucket and returns a function that restores them. */
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

describe("faults of the service (contract 1.6, 2.3)", () => {
  it("return 503 unavailable with Retry-After 5, reveal no internal detail, and are not charged", async () => {
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

  it("are logged with the request id", async () => {
    const restore = await withoutObjects();
    const answer = await world.ask(asked);
    await restore();
    expectRefusal(answer, { reason: "unavailable" });
    const id = String(answer.headers["x-request-id"]);
    while (!world.service.logs.some((line) => line.includes(id))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});

describe("corrupt bytes in a pack (contract 1.6, 6.3)", () => {
  /** Publishes the day again and corrupts 600519's section in R2, with or without the new etag in the catalog. */
  async function corrupt(catalog: "knows" | "does not know"): Promise<void> {
    const bucket = await world.service.mf.getR2Bucket("PACKS");
    const { day } = await publish(world.service, MAIN_DAY);
    const key = `orders/2026/${MAIN}/${day.revision}.parquet`;
    const bytes = new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? new ArrayBuffer(0));
    const { index } = await locateIndex(bytes.length, async (from, length) =>
      bytes.subarray(from, from + length),
    );
    const section = index.entries.find((entry) => entry.symbol === asked.symbol);
    if (section === undefined) throw new Error("the pack holds no 600519");
    const middle = section.offset + Math.floor((section.length - section.footerLength) / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 0x01;
    const { etag } = await bucket.put(key, bytes);
    if (catalog === "does not know") return;
    const db = await world.service.mf.getD1Database("DB");
    await db.prepare("UPDATE day_packs SET etag = ? WHERE object_key = ?").bind(etag, key).run();
  }

  it("cause 503 instead of wrong rows when the object in R2 was replaced", async () => {
    await corrupt("does not know");
    expectRefusal(await world.ask(asked), { reason: "unavailable" });
  });

  it("cause 503 for a JSON page, whose request is credited, and the day is day_damaged from then on", async () => {
    await corrupt("knows");
    const { key } = await account(world.service, { plan: "trial" });
    const first = await world.ask(asked, { apikey: key });
    expect([first.status, first.envelope.code, first.envelope.data]).toEqual([503, 503, null]);
    let next = await world.ask(asked, { apikey: key });
    while (next.reason === "unavailable") next = await world.ask(asked, { apikey: key });
    expectRefusal(next, { reason: "day_damaged" });
    expect(next.headers["retry-after"]).toBeUndefined();
    expectRefusal(await world.ask({ ...asked, format: "parquet" }), { reason: "day_damaged", status: 503 });
    const other = await world.ask({ ...asked, tradedate: "20260211" }, { apikey: key });
    expect(String(other.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });

  it("break off a Parquet body before its end, and the request is credited", async () => {
    await corrupt("knows");
    const { key } = await account(world.service, { plan: "trial" });
    await expect(world.ask({ ...asked, format: "parquet" }, { apikey: key })).rejects.toThrow();
    const other = { ...asked, tradedate: "20260211" };
    let next = await world.ask(other, { apikey: key });
    while (next.reason === "slot_busy") next = await world.ask(other, { apikey: key });
    expect(String(next.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });

  it("are no longer read once a new revision is published", async () => {
    await publish(world.service, MAIN_DAY);
    expect(pageOf(await world.ask(asked)).items).toEqual(world.main.rowsOf("600519"));
  });
});

describe("a withdrawn day (contract 3.13)", () => {
  it("is refused with 1002 withdrawn", async () => {
    const db = await world.service.mf.getD1Database("DB");
    await db.prepare("UPDATE order_days SET state = 'withdrawn' WHERE tradedate = '20260210'").run();
    expectRefusal(await world.ask({ ...asked, tradedate: "20260210" }), {
      reason: "withdrawn",
      says: ["20260210"],
    });
  });
});
