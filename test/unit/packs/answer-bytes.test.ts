/** Tests that an answer reserves at least as much memory as it will hold. */
import { expect, it } from "vitest";
import { partOfAccount } from "../../../src/base/memory.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { storedColumns } from "../../../src/datasets/dataset.ts";
import { orders } from "../../../src/datasets/orders.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { FIELDS } from "../../../src/orders/record.ts";
import { fileBytes, pageBytes } from "../../../src/packs/answer-bytes.ts";
import { readOrderPage } from "../../../src/packs/order-page.ts";
import { PIECE_BYTES } from "../../../src/packs/parquet-answer.ts";
import { day, order, randomSecurity, security } from "../../support/builders.ts";
import { fieldNames } from "../../support/dataset-days.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { memoryBucket, openTestPack, packOf } from "../../support/packs.ts";
import { printedRandom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";

const LARGEST = 2 ** 53 - 1;
const random = printedRandom("bytes of an answer");
const largest = Array.from({ length: 300 }, (_, row) =>
  order("235959999", {
    orderId: LARGEST - row,
    exchangeOrderId: LARGEST,
    orderType: "abcdef",
    orderCode: "123456",
    priceE4: LARGEST - row,
    volume: LARGEST,
  }),
);
const pack = await packOf(
  day({
    tradedate: "20240102",
    securities: [
      randomSecurity(random, { symbol: "300750", rows: 23_456, crowd: 3 }),
      security("600519", largest),
    ],
  }),
);
const { bucket, object } = memoryBucket(pack.bytes);

it("The memory reserved for a page covers the bytes read and the page's JSON, for any parameters", async () => {
  for (let run = 0; run < 60; run++) {
    const entry = pack.entryOf(random.pick(["300750", "600519"]));
    const fields = FIELDS.filter(() => random.chance(0.5));
    const columns = (fields.length === 0 ? FIELDS : fields).map((field) => ({ field, name: field }));
    const ask = {
      position: { time: random.integer(91_500_000, 150_000_000), skip: 0 },
      endTime: random.chance(0.5) ? null : random.integer(93_000_000, 240_000_000),
      pageSize: random.pick([1, 300, 10_000]),
    };
    const page = bare(await readOrderPage(bucket, object, entry, { ...ask, columns }, { dataset: orders }));
    if ("reason" in page) throw new Error(page.reason);
    const names = columns.map(({ field }) => field);
    const held = page.read.bytes + page.items.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    expect(pageBytes(entry, ask, names, orders), JSON.stringify({ ask, names })).toBeGreaterThanOrEqual(held);
  }
});

it("A page of quotes fits into the memory reserved for it, and a full page into one account's limit", async () => {
  const names = fieldNames(quotes, "all");
  const rows = 300;
  const cells = storedColumns(quotes).map(({ key, kind }) => [
    key,
    // As text, the longest price is the largest integer, and the longest amount has seventeen digits and an exponent.
    new Float64Array(rows).fill(kind === "yuan" ? 1.2345678901234567e-200 : LARGEST),
  ]);
  const columns = { rows, time: new Int32Array(rows).fill(235_959_999), ...Object.fromEntries(cells) };
  const section = { symbol: "600519", market: "SH" as const, columns };
  const { bytes, entryOf } = await openTestPack(
    await buildPackBytes("20240102" as BeijingDate, [section], undefined, "quotes"),
  );
  const entry = entryOf("600519");
  const ask = { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10_000 };
  const asked = { ...ask, columns: names.map((name) => ({ field: name, name })) };
  const stored = memoryBucket(bytes);
  const page = bare(await readOrderPage(stored.bucket, stored.object, entry, asked, { dataset: quotes }));
  if ("reason" in page) throw new Error(page.reason);
  const reserved = pageBytes(entry, ask, names, quotes);
  expect(reserved).toBeGreaterThanOrEqual(
    page.read.bytes + page.items.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
  );
  const rowBytes = (reserved - pageBytes(entry, { ...ask, endTime: 1 }, names, quotes)) / rows;
  expect(10_000 * rowBytes).toBeLessThan(partOfAccount("any").maxBytes);
});

it("A full page of ten fields reserves less than 2 MB of memory, and an empty page less than 10 kB", () => {
  const entry = pack.entryOf("300750");
  const ask = { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10_000 };
  expect(pageBytes(entry, ask, FIELDS, orders)).toBeLessThan(2_000_000);
  expect(pageBytes(entry, { ...ask, endTime: 1 }, FIELDS, orders)).toBeLessThan(10_000);
});

it("The memory reserved for a file covers two pieces, grows with its blocks, and stays below 1 MB", () => {
  const [small, large] = [pack.entryOf("600519"), pack.entryOf("300750")];
  expect(fileBytes(small)).toBeGreaterThan(2 * PIECE_BYTES);
  expect(fileBytes(large)).toBeGreaterThan(2 * PIECE_BYTES + large.length / large.blocks.length / 2);
  expect(fileBytes(large)).toBeLessThan(1_000_000);
  expect(fileBytes({ ...small, blocks: [] })).toBeGreaterThan(0);
});
