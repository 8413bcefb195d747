import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { orders } from "../../../src/datasets/orders.ts";
import type { Env } from "../../../src/env.ts";
import { FIELDS } from "../../../src/orders/record.ts";
import { type OrderPageAsk, readOrderPage } from "../../../src/packs/order-page.ts";
import type { PackObject } from "../../../src/packs/read-range.ts";
import { day, randomSecurity, type TestDay } from "../../support/builders.ts";
import { packOf, type TestPack } from "../../support/packs.ts";
import { randomFrom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";

const { PACKS } = env as unknown as Env;
const allColumns = FIELDS.map((field) => ({ field, name: field }));
const wholeDay = { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10_000, columns: allColumns };

let source: TestDay;
let pack: TestPack;

beforeAll(async () => {
  const random = randomFrom(20240102);
  source = day({
    tradedate: "20240102",
    securities: [
      randomSecurity(random, { symbol: "300750", rows: 12_345 }),
      randomSecurity(random, { symbol: "600519", rows: 700 }),
    ],
  });
  pack = await packOf(source);
});

/** Stores `bytes` under a new key. */
async function stored(objectKey: string, bytes: Uint8Array): Promise<PackObject> {
  const put = await PACKS.put(objectKey, bytes);
  return { objectKey, etag: put?.etag ?? "", tradedate: "20240102" as BeijingDate };
}

describe("readOrderPage from R2", () => {
  it("pages through a security in pages of 5,000 with one read each", async () => {
    const object = await stored("orders/paging", pack.bytes);
    const rows = source.rowsOf("300750");
    let from = 0;
    for (let position: typeof wholeDay.position | null = wholeDay.position; position !== null; ) {
      const ask: OrderPageAsk = { ...wholeDay, position, pageSize: 5_000 };
      const page = bare(await readOrderPage(PACKS, object, pack.entryOf("300750"), ask, { dataset: orders }));
      if ("reason" in page) throw new Error(page.reason);
      expect(await new Blob(page.items).text()).toBe(JSON.stringify(rows.slice(from, from + 5_000)));
      expect(page.read.operations).toBe(1);
      from += page.rows;
      position = page.next;
    }
    expect(from).toBe(rows.length);
  });

  it("distinguishes a missing object, another version, a truncated object and a damaged block", async () => {
    const entry = pack.entryOf("600519");
    const read = (object: PackObject) => readOrderPage(PACKS, object, entry, wholeDay, { dataset: orders });
    const object = await stored("orders/good", pack.bytes);
    await expect(read({ ...object, objectKey: "orders/none" })).rejects.toMatchObject({ kind: "missing" });
    await expect(read({ ...object, etag: "0".repeat(32) })).rejects.toMatchObject({ kind: "changed" });
    await stored("orders/good", pack.bytes.slice(1));
    await expect(read(object)).rejects.toMatchObject({ kind: "changed" });
    const before = await stored("orders/cut-before", pack.bytes.slice(0, entry.offset));
    await expect(read(before)).rejects.toMatchObject({ kind: "damaged" });
    const inside = await stored("orders/cut-inside", pack.bytes.slice(0, entry.offset + 1_000));
    await expect(read(inside)).rejects.toMatchObject({ kind: "damaged" });
    const damaged = pack.bytes.slice();
    const at = entry.offset + (entry.blocks[0]?.offset ?? 0) + 2_000;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await expect(read(await stored("orders/flip", damaged))).rejects.toMatchObject({ kind: "damaged" });
  });
});
