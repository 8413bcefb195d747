import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { orders } from "../../../src/datasets/orders.ts";
import { fieldsOf } from "../../../src/orders/query/fields.ts";
import { FIELDS } from "../../../src/orders/record.ts";
import { PackReadError } from "../../../src/packs/errors.ts";
import { blockEnd } from "../../../src/packs/layout.ts";
import { type OrderPageAsk, readOrderPage } from "../../../src/packs/order-page.ts";
import { burst, day, order, randomSecurity, security } from "../../support/builders.ts";
import { memoryBucket, packOf } from "../../support/packs.ts";
import { printedRandom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";

const random = printedRandom("order page");
const allColumns = FIELDS.map((field) => ({ field, name: field }));
const wholeDay = { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10_000, columns: allColumns };

const source = day({
  tradedate: "20240102",
  securities: [
    randomSecurity(random, { symbol: "300750", rows: 23_456, crowd: 3 }),
    burst({ symbol: "600519", time: "093000000", rows: 21_000 }),
    security("000001", [
      order("091500000", { orderType: '"', orderCode: "买\\", orderId: 2 ** 53 - 1, volume: 2 ** 53 - 1 }),
      order("091500010", {
        orderType: "",
        orderCode: "\u2028\n",
        priceE4: 0,
        volume: 0,
        exchangeOrderId: 0,
      }),
      order("235959999", { priceE4: 999_999_999_999, volume: 999_999_999_999 }),
    ]),
  ],
});
const pack = await packOf(source);
const stored = memoryBucket(pack.bytes);

async function page(symbol: string, ask: Partial<OrderPageAsk>) {
  stored.reads.length = 0;
  const asked = { ...wholeDay, ...ask };
  const answer = bare(
    await readOrderPage(stored.bucket, stored.object, pack.entryOf(symbol), asked, { dataset: orders }),
  );
  if ("reason" in answer) throw new Error(answer.reason);
  return { ...answer, text: Buffer.concat(answer.items).toString() };
}

describe("readOrderPage (contract 5)", () => {
  it.each([10_000, 9_999, 3_000, 20_000])(
    "pages through 23,456 random rows at page size %i with one read per page",
    async (pageSize) => {
      const rows = source.rowsOf("300750");
      let from = 0;
      for (let ask: OrderPageAsk | null = { ...wholeDay, pageSize }; ask !== null; ) {
        const answer = await page("300750", ask);
        expect(answer.text).toBe(JSON.stringify(rows.slice(from, from + pageSize)));
        expect(stored.reads.length).toBe(1);
        expect(answer.read).toMatchObject({ operations: 1, bytes: stored.reads[0]?.length });
        from += answer.rows;
        expect(answer.next === null).toBe(from === rows.length);
        ask = answer.next && { ...ask, position: answer.next };
      }
      expect(from).toBe(rows.length);
    },
  );

  it("pages through a millisecond of 21,000 rows at page size 777", async () => {
    const rows = source.rowsOf("600519");
    let from = 0;
    for (let position: OrderPageAsk["position"] | null = wholeDay.position; position !== null; ) {
      const answer = await page("600519", { position, pageSize: 777 });
      expect(answer.text).toBe(JSON.stringify(rows.slice(from, from + 777)));
      from += answer.rows;
      position = answer.next;
    }
    expect(from).toBe(21_000);
  });

  it("escapes text and formats numbers, including zero and the largest, as JSON.stringify does", async () => {
    expect((await page("000001", {})).text).toBe(JSON.stringify(source.rowsOf("000001")));
  });

  it("returns any fields in any order, including one field under two names", async () => {
    const rows = source.rowsOf("300750");
    for (let run = 0; run < 40; run++) {
      const picks = Array.from({ length: random.integer(1, 10) }, () => random.pick(FIELDS));
      const columns = picks.map((field) => ({ field, name: field }));
      const start = random.integer(0, rows.length - 1);
      const time = Number(rows[start]?.[2]);
      const skip = rows.slice(0, start).filter((row) => Number(row[2]) === time).length;
      const { text } = await page("300750", { position: { time, skip }, pageSize: 50, columns });
      const expected = rows
        .slice(start, start + 50)
        .map((row) => picks.map((field) => row[FIELDS.indexOf(field)]));
      expect(text).toBe(JSON.stringify(expected));
    }
    const { legacy } = fieldsOf("orders");
    const { text } = await page("300750", { columns: [...legacy, ...legacy], pageSize: 3 });
    expect(text).toBe(JSON.stringify(rows.slice(0, 3).map((row) => [row[4], row[6], row[4], row[6]])));
  });

  it("reads only the needed blocks: one for an aligned page, none for an empty window", async () => {
    const entry = pack.entryOf("300750");
    const [first, second, third] = entry.blocks;
    if (!first || !second || !third) throw new Error("three blocks were written");
    await page("300750", {});
    expect(stored.reads).toEqual([
      { offset: entry.offset + first.offset, length: second.offset - first.offset },
    ]);
    await page("300750", { position: { time: second.t0, skip: second.k0 + 1 } });
    expect(stored.reads[0]).toMatchObject({ offset: entry.offset + second.offset });
    const empty = await page("300750", { endTime: 91_500_000 });
    expect(empty).toMatchObject({ text: "[]", rows: 0, next: null, read: { operations: 0, bytes: 0 } });
    expect(stored.reads).toEqual([]);
    const late = await page("300750", { position: { time: 160_000_000, skip: 0 } });
    expect(late).toMatchObject({ text: "[]", next: null, read: { operations: 0 } });
  });

  it("refuses a position that skips more rows than its millisecond has", async () => {
    const entry = pack.entryOf("600519");
    const at = async (skip: number) => {
      const ask = { ...wholeDay, position: { time: 93_000_000, skip } };
      return bare(await readOrderPage(stored.bucket, stored.object, entry, ask, { dataset: orders }));
    };
    expect(await at(21_001)).toEqual({ reason: "position_beyond_rows" });
    expect(await at(21_000)).toMatchObject({ rows: 0, next: null });
    expect(await at(20_999)).toMatchObject({ rows: 1, next: null });
  });

  it("throws `unreadable`, not `damaged`, for bytes that pass their checksum but cannot be decoded", async () => {
    const entry = pack.entryOf("000001");
    const [block] = entry.blocks;
    if (block === undefined) throw new Error("a block was written");
    const bytes = pack.bytes.slice();
    bytes.fill(0xff, entry.offset + block.offset, entry.offset + block.offset + 2);
    const crc = crc32(bytes.subarray(entry.offset + block.offset, entry.offset + blockEnd(entry, 0)));
    const { bucket, object } = memoryBucket(bytes);
    const read = readOrderPage(bucket, object, { ...entry, blocks: [{ ...block, crc }] }, wholeDay, {
      dataset: orders,
    });
    await expect(read).rejects.toMatchObject({ kind: "unreadable" });
  });

  it("throws `missing`, `changed` or `damaged`, and always throws if a bit of the block is flipped", async () => {
    const entry = pack.entryOf("000001");
    const read = (bytes = pack.bytes, change: Partial<typeof stored.object> = {}, section = entry) => {
      const bucket = memoryBucket(bytes);
      return readOrderPage(bucket.bucket, { ...bucket.object, ...change }, section, wholeDay, {
        dataset: orders,
      });
    };
    await expect(read(pack.bytes, { objectKey: "orders/none" })).rejects.toMatchObject({ kind: "missing" });
    await expect(read(pack.bytes, { etag: "another" })).rejects.toMatchObject({ kind: "changed" });
    await expect(read(pack.bytes, { tradedate: "20240103" as never })).rejects.toMatchObject({
      kind: "damaged",
    });
    await expect(read(pack.bytes, {}, { ...entry, symbol: "000002" })).rejects.toMatchObject({
      kind: "damaged",
    });
    const [block] = entry.blocks;
    if (block === undefined) throw new Error("a block was written");
    const otherTime = { ...entry, blocks: [{ ...block, t0: 91_400_000 }] };
    await expect(read(pack.bytes, {}, otherTime)).rejects.toMatchObject({ kind: "damaged" });
    await expect(read(pack.bytes.slice(0, entry.offset + 300))).rejects.toMatchObject({ kind: "damaged" });
    for (let at = block.offset; at < entry.length - entry.footerLength; at += 5) {
      const damaged = pack.bytes.slice();
      damaged[entry.offset + at] = (damaged[entry.offset + at] ?? 0) ^ (1 << random.integer(0, 7));
      await expect(read(damaged)).rejects.toBeInstanceOf(PackReadError);
    }
  });
});
