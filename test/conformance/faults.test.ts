import { crc32 } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import { blockEnd } from "../../src/packs/layout.ts";
import { day, order, security } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { openTestPack, type TestPack } from "../support/packs.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { FIRST_OF_WINDOW, MAOTAI, sharedWorld } from "./world.ts";

/** The day whose objects these tests delete and damage. */
const DAY = day({
  tradedate: "20260203",
  securities: [MAOTAI, security("000001", [order("093000000")])],
});
const asked = { symbol: MAOTAI.symbol, tradedate: DAY.tradedate };

const world = await sharedWorld();
const bucket = await world.service.mf.getR2Bucket("PACKS");
const db = await world.service.mf.getD1Database("DB");
afterAll(() => world.stop());

/** Publishes the day again and returns the key of its object. */
async function published(): Promise<string> {
  const { revision } = (await publish(world.service, DAY)).day;
  return `orders/2026/${DAY.tradedate}/${revision}.parquet`;
}

/**
 * Publishes the day again and applies `change` to its object in R2. If `catalog` is "knows", the catalog gets the
 * object's new etag, otherwise it keeps the old one.
 */
async function changed(catalog: "knows" | "does not know", change: (pack: TestPack) => void): Promise<void> {
  const key = await published();
  const pack = await openTestPack(new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? []));
  change(pack);
  const { etag } = await bucket.put(key, pack.bytes);
  if (catalog === "does not know") return;
  await db.prepare("UPDATE day_packs SET etag = ? WHERE object_key = ?").bind(etag, key).run();
}

function flipBit({ bytes, entryOf }: TestPack): void {
  const { offset, length, footerLength } = entryOf(asked.symbol);
  const middle = offset + Math.floor((length - footerLength) / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
}

describe("a missing object in R2 (contract 1.6, 2.3)", () => {
  it("causes 503 unavailable with Retry-After 5; the answer has no internal detail, and the request is logged, not charged", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    await bucket.delete(await published());
    for (const format of ["json", "parquet"]) {
      const answer = await world.ask({ ...asked, format }, { apikey: key });
      expectRefusal(answer, { reason: "unavailable", status: 503 });
      expect(answer.headers["retry-after"]).toBe("5");
      expect(answer.envelope.message).not.toMatch(/R2|D1|bucket|orders\/|\.parquet|Error|stack|at \w+ \(/);
      const id = String(answer.headers["x-request-id"]);
      await expect
        .poll(() => world.service.logs.some((line) => line.includes(id)), { timeout: 60_000 })
        .toBe(true);
    }
    await published();
    const served = await world.ask(asked, { apikey: key });
    expect(pageOf(served).items).toEqual(DAY.rowsOf("600519"));
    expect(String(served.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });
});

describe("corrupt bytes in a pack (contract 1.6, 6.3)", () => {
  it("cause 503 instead of wrong rows when the object in R2 was replaced", async () => {
    await changed("does not know", flipBit);
    expectRefusal(await world.ask(asked), { reason: "unavailable" });
  });

  it("cause 503 for a JSON page, whose request is credited, and the day is day_damaged from then on", async () => {
    await changed("knows", flipBit);
    const { key } = await account(world.service, { plan: "trial" });
    const first = await world.ask(asked, { apikey: key });
    expect([first.status, first.envelope.code, first.envelope.data]).toEqual([503, 503, null]);
    let next = await world.ask(asked, { apikey: key });
    while (next.reason === "unavailable") next = await world.ask(asked, { apikey: key });
    expectRefusal(next, { reason: "day_damaged" });
    expect(next.headers["retry-after"]).toBeUndefined();
    expectRefusal(await world.ask({ ...asked, format: "parquet" }), { reason: "day_damaged", status: 503 });
    const other = await world.ask({ ...asked, tradedate: FIRST_OF_WINDOW }, { apikey: key });
    expect(String(other.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });

  it("end a Parquet body early with an error, and the request is credited", async () => {
    await changed("knows", flipBit);
    const { key } = await account(world.service, { plan: "trial" });
    await expect(world.ask({ ...asked, format: "parquet" }, { apikey: key })).rejects.toThrow();
    const other = { ...asked, tradedate: FIRST_OF_WINDOW };
    let next = await world.ask(other, { apikey: key });
    while (next.reason === "slot_busy") next = await world.ask(other, { apikey: key });
    expect(String(next.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });

  it("are no longer read once a new revision is published", async () => {
    await published();
    expect(pageOf(await world.ask(asked)).items).toEqual(DAY.rowsOf("600519"));
  });
});

describe("a block that passes its checksum but cannot be read (contract 1.6, 2.3)", () => {
  // When the checksum is right, a bug is more likely than damage. The day therefore stays available, so that a later
  // deployment without the bug can serve it.
  it("causes 503, a credit and a logged fault that names security and pack, but does not mark the day damaged", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    let blocks: number[] = [];
    await changed("knows", ({ bytes, entryOf }) => {
      const entry = entryOf(asked.symbol);
      const [block] = entry.blocks;
      if (block === undefined) throw new Error("the security has no block");
      const from = entry.offset + block.offset;
      bytes.fill(0xff, from, from + 2);
      const crc = crc32(bytes.subarray(from, entry.offset + blockEnd(entry, 0)));
      blocks = [...encodeBlocks([{ ...block, crc }])];
    });
    const of = "symbol = ? AND pack_id = (SELECT pack_id FROM order_days WHERE tradedate = ?)";
    const update = db.prepare(`UPDATE day_securities SET blocks = ? WHERE ${of}`);
    await update.bind(blocks, asked.symbol, DAY.tradedate).run();

    for (let time = 0; time < 3; time++) {
      const answer = await world.ask(asked, { apikey: key });
      expect([answer.status, answer.envelope.code, answer.reason]).toEqual([503, 503, "unavailable"]);
    }
    const line = JSON.parse(world.service.logs.findLast((text) => text.includes("cannot be read")) ?? "{}");
    expect(line).toMatchObject({ kind: "fault", symbol: "600519", credited: true });
    expect(line.fault).toMatch(/600519\.SH in orders\/2026\/20260203\/\d+\.parquet cannot be read: .*Error/);

    const other = await world.ask({ ...asked, symbol: "000001" }, { apikey: key });
    expect(pageOf(other).items).toEqual(DAY.rowsOf("000001"));
    expect(String(other.headers.ratelimit)).toMatch(/;\s*r=99\b/);
  });
});
