import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../src/orders/record.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";
import { expectRows } from "../property/check-paging.ts";
import { burst, day, order, type Row, randomSecurity, security } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { orderHistory } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";
import { ABSENT, READERS } from "./readers.ts";

for (const name of ABSENT) console.error(`\n!!! NOT TESTED: Python's ${name} is not installed here !!!\n`);

const random = printedRandom("readers");
const test = day({
  tradedate: "20240102",
  securities: [
    randomSecurity(random, { symbol: "000001", rows: 12_500 }),
    { symbol: "300750", market: "SZ", orders: [] },
    burst({ symbol: "600519", time: "093000000", rows: 10_000 }),
    security("600536", [
      order("091500000", { orderType: "S", orderCode: "OCALL", priceE4: 0, volume: 0, exchangeOrderId: 0 }),
      order("093000010", {
        priceE4: 2 ** 50,
        volume: 2 ** 52,
        orderId: Number.MAX_SAFE_INTEGER,
        orderCode: "",
      }),
    ]),
    randomSecurity(random, { symbol: "601825", rows: 1 }),
  ],
});
const folder = testFolder("edgetape-readers-");
const pack = await packOf(test);
const service = await testService();
const apikey = (await account(service, { plan: "flagship" })).key;
await publish(service, test);

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function sectionOf({ offset, length }: SectionEntry): Uint8Array<ArrayBuffer> {
  return pack.bytes.slice(offset, offset + length);
}

/** Returns the service's Parquet answer for a security, with the columns `fields` or with all columns. */
async function answerOf({ symbol, market }: SectionEntry, fields?: readonly string[]): Promise<Uint8Array> {
  const params = { symbol: `${symbol}.${market}`, tradedate: test.tradedate, format: "parquet" };
  const chosen = fields === undefined ? {} : { fields: fields.join(",") };
  const answer = await service.post(orderHistory({ apikey, params, ...chosen }));
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  return answer.bytes;
}

describe.each(READERS)("$name as a reader of Parquet output (contract 6.1)", (reader) => {
  it("reads the whole pack, with every row equal to the source row", async () => {
    const { names, rows } = await reader.read(file("pack.parquet", pack.bytes));
    expect(names).toEqual([...FIELDS]);
    const all = test.securities.flatMap(({ symbol, market }) => test.rowsOf(symbol, market));
    expectRows(rows, all, "the pack");
  });

  it("reads every section as a separate file", async () => {
    for (const entry of pack.index.entries) {
      if (entry.rows === 0) continue;
      const { names, rows } = await reader.read(file("section.parquet", sectionOf(entry)));
      expect(names).toEqual([...FIELDS]);
      expectRows(rows, test.rowsOf(entry.symbol, entry.market), entry.symbol);
    }
  });

  it("reads the Parquet answer with all fields, and with four fields in a different order", async () => {
    const fields = ["volume", "time", "exchange_order_id", "amount"] as const;
    for (const entry of pack.index.entries) {
      if (entry.rows === 0) continue;
      const source = test.rowsOf(entry.symbol, entry.market);
      const whole = await reader.read(file("answer.parquet", await answerOf(entry)));
      expectRows(whole.rows, source, entry.symbol);
      const chosen = await reader.read(file("chosen.parquet", await answerOf(entry, fields)));
      expect(chosen.names).toEqual(fields);
      const places = fields.map((field) => FIELDS.indexOf(field));
      const expected = source.map((row): Row => places.map((place) => row[place] ?? ""));
      expectRows(chosen.rows, expected, entry.symbol);
    }
  });
});

describe("packs, sections and Parquet answers", () => {
  it("have only ZSTD column chunks and REQUIRED columns of the documented types", async () => {
    const entry = pack.entryOf("000001");
    const files = [
      pack.bytes,
      sectionOf(entry),
      await answerOf(entry),
      await answerOf(entry, ["price", "time"]),
    ];
    const texts = ["symbol", "tradedate", "time", "order_type", "order_code"];
    const typeOf = (name: string) =>
      texts.includes(name) ? "BYTE_ARRAY" : ["price", "amount"].includes(name) ? "DOUBLE" : "INT64";
    for (const bytes of files) {
      const { schema, row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
      for (const column of schema.slice(1)) {
        expect(column.repetition_type).toBe("REQUIRED");
        expect(column.type).toBe(typeOf(column.name));
      }
      const codecs = row_groups.flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data?.codec));
      expect(new Set(codecs)).toEqual(new Set(["ZSTD"]));
    }
  });
});
