import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { ByteWriter as LibraryWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { describe, expect, it } from "vitest";
import { orders } from "../../../src/datasets/orders.ts";
import { writeItems } from "../../../src/orders/page-json.ts";
import { FIELDS, type Field } from "../../../src/orders/record.ts";
import { ByteWriter } from "../../../src/pack-builder/parquet/byte-writer.ts";
import { dictionaryChunk, ENCODING, plainChunk } from "../../../src/pack-builder/parquet/column-chunk.ts";
import { openBlock } from "../../../src/packs/block-columns.ts";
import { decompressPage } from "../../../src/packs/decompress.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { blockEnd, blockRows } from "../../../src/packs/layout.ts";
import { day, order, randomSecurity, security } from "../../support/builders.ts";
import { packOf } from "../../support/packs.ts";
import { printedRandom } from "../../support/random.ts";

/** Returns all rows of a section as hyparquet reads them through the section's footer. */
async function oracle(section: Uint8Array<ArrayBuffer>): Promise<unknown[][]> {
  const rows = await parquetReadObjects({ file: section.buffer, compressors: { ZSTD: decompressPage } });
  return rows.map((row) =>
    FIELDS.map((field) => (typeof row[field] === "bigint" ? Number(row[field]) : row[field])),
  );
}

function blockRowsOf(block: Uint8Array, rows: number): unknown[][] {
  const columns = openBlock(block, rows, orders).columns(FIELDS, rows);
  return JSON.parse(Buffer.concat(writeItems([{ columns, startRow: 0, endRow: rows }])).toString());
}

describe("the columns of a block", () => {
  it("equal what hyparquet reads through the section's footer", async () => {
    const random = printedRandom("block columns");
    const pack = await packOf(
      day({
        tradedate: "20240102",
        securities: [
          randomSecurity(random, { symbol: "300750", rows: 12_345 }),
          security("600519", [
            order("093000000", { priceE4: 2 ** 52, volume: 1 }),
            order("093000000", { priceE4: 10 ** 15, volume: 7 }),
            order("093000001", { priceE4: 1, volume: 0 }),
          ]),
        ],
      }),
    );
    for (const entry of pack.index.entries) {
      const section = pack.bytes.slice(entry.offset, entry.offset + entry.length);
      const rows = entry.blocks.flatMap((block, number) =>
        blockRowsOf(section.subarray(block.offset, blockEnd(entry, number)), blockRows(entry, number)),
      );
      expect(rows).toEqual(await oracle(section));
    }
  });

  it("equal what hyparquet reads in a pack that another program wrote in the same format", async () => {
    const folder = join(import.meta.dirname, "../../../../shared/data/packs");
    if (!existsSync(folder)) {
      console.warn("SKIPPED: no pack of another writer at ../shared/data/packs");
      return;
    }
    const pack = readFileSync(join(folder, "20240102.parquet"));
    const { symbols } = JSON.parse(readFileSync(join(folder, "20240102.index.json"), "utf8"));
    for (const { offset, length, footer, blocks } of symbols) {
      const section = new Uint8Array(pack.subarray(offset, offset + length));
      const rows = blocks.flatMap((block: { off: number; n: number }, number: number) =>
        blockRowsOf(section.subarray(block.off, blocks[number + 1]?.off ?? length - footer - 8), block.n),
      );
      expect(rows).toEqual(await oracle(section));
    }
  });

  it("contain as many rows as were requested", async () => {
    const random = printedRandom("block columns, some rows");
    const source = day({
      tradedate: "20240102",
      securities: [randomSecurity(random, { symbol: "600519", rows: 999 })],
    });
    const pack = await packOf(source);
    const entry = pack.entryOf("600519");
    const block = pack.bytes.slice(
      entry.offset + (entry.blocks[0]?.offset ?? 0),
      entry.offset + blockEnd(entry, 0),
    );
    const columns = openBlock(block, 999, orders).columns(FIELDS, 10);
    const items = Buffer.concat(writeItems([{ columns, startRow: 3, endRow: 10 }])).toString();
    expect(items).toBe(JSON.stringify(source.rowsOf("600519").slice(3, 10)));
  });
});

/** The content of a column of three rows: texts with a dictionary, PLAIN texts, numbers or ids. */
type Content =
  | { as: "texts" | "plain"; values: string[] }
  | { as: "doubles"; values: number[] }
  | { as: "int64s" | "ids"; values: bigint[] };

const standard: Record<Field, Content> = {
  symbol: { as: "texts", values: ["600519"] },
  tradedate: { as: "texts", values: ["20240102"] },
  time: { as: "plain", values: ["093000000", "093000000", "093000010"] },
  order_id: { as: "ids", values: [1n, 2n, 3n] },
  exchange_order_id: { as: "ids", values: [4n, 5n, 6n] },
  order_type: { as: "texts", values: ["A", "D"] },
  order_code: { as: "texts", values: ["B"] },
  price: { as: "doubles", values: [1.5] },
  volume: { as: "int64s", values: [100n] },
  amount: { as: "doubles", values: [150] },
};

/** Returns a block of three rows. With a dictionary, the last row has the last value and the others the first value. */
function foreignBlock(
  change: Partial<Record<Field, Content>> = {},
  names: readonly Field[] = FIELDS,
): Uint8Array {
  const out = new ByteWriter(4096);
  for (const name of names) {
    const { as, values } = change[name] ?? standard[name];
    const put = (body: ByteWriter) => {
      for (const value of values) putValue(body, value);
    };
    if (as === "plain") plainChunk(out, 3, ENCODING.PLAIN, put);
    else if (as === "ids") {
      const library = new LibraryWriter();
      deltaBinaryPack(library, BigInt64Array.from(values, BigInt), "INT64");
      plainChunk(out, 3, ENCODING.DELTA_BINARY_PACKED, (body) => body.append(library.getBytes()));
    } else dictionaryChunk(out, 3, values.length, Uint16Array.of(0, 0, values.length - 1), put);
  }
  return out.take();
}

function putValue(body: ByteWriter, value: string | number | bigint): void {
  if (typeof value === "number") body.double(value);
  else if (typeof value === "bigint") body.append(new Uint8Array(BigInt64Array.of(value).buffer));
  else {
    body.uint32(Buffer.byteLength(value));
    body.append(Buffer.from(value));
  }
}

/** Returns a block of three rows in which one column is replaced. */
const changed = (field: Field, as: Content["as"], ...values: unknown[]) =>
  foreignBlock({ [field]: { as, values } as Content });

describe("a block in the pack format", () => {
  it("is decoded to its rows", () => {
    expect(blockRowsOf(foreignBlock(), 3)[2]).toEqual([
      "600519",
      "20240102",
      "093000010",
      3,
      6,
      "D",
      "B",
      1.5,
      100,
      150,
    ]);
  });

  it("may have a negative price", () => {
    expect(() => blockRowsOf(changed("price", "doubles", -1.5), 3)).not.toThrow();
  });
});

describe("a block", () => {
  it.each([
    ["a column in the wrong encoding", changed("order_id", "plain", "1", "2", "3")],
    ["no dictionary where one is required", changed("price", "plain", "1", "2", "3")],
    ["a dictionary where none is allowed", changed("time", "texts", "093000000")],
    ["columns in the wrong order", foreignBlock({}, [...FIELDS].reverse())],
    ["a missing column", foreignBlock({}, FIELDS.slice(0, 9))],
    ["an additional column", foreignBlock({}, [...FIELDS, "price"])],
  ])("is refused if it has %s", (_what, block) => {
    expect(() => openBlock(block, 3, orders)).toThrow();
  });

  it("is refused if its bytes are not Parquet or its number of rows differs from the index", () => {
    expect(() => openBlock(new Uint8Array(0), 3, orders)).toThrow();
    expect(() =>
      openBlock(new TextEncoder().encode("this is no block of orders at all"), 3, orders),
    ).toThrow();
    expect(() => openBlock(foreignBlock(), 4, orders)).toThrow(PackFormatError);
  });

  it.each([
    ["two symbols in one block", changed("symbol", "texts", "600519", "600520")],
    ["times of eight digits", changed("time", "plain", "93000000", "93000000", "93000010")],
    [
      "a time of ten digits among shorter ones",
      changed("time", "plain", "0930000000", "09300000", "093000010"),
    ],
    ["a time with a letter", changed("time", "plain", "093000000", "09300000x", "093000010")],
    ["a time with a quote", changed("time", "plain", "093000000", '"93000000', "093000010")],
    ["a negative id", changed("order_id", "ids", 1n, -2n, 3n)],
    ["an id beyond 2^53", changed("exchange_order_id", "ids", 1n, 2n, 2n ** 60n)],
    ["a negative volume", changed("volume", "int64s", -100n)],
    ["a volume beyond 2^53", changed("volume", "int64s", 2n ** 53n + 1n)],
    ["a price that is not a number", changed("price", "doubles", Number.NaN, 1)],
  ])("is refused if it contains %s", (_what, block) => {
    expect(() => blockRowsOf(block, 3)).toThrow(PackFormatError);
  });

  it("is refused when a row points past the end of the dictionary", () => {
    const out = new ByteWriter(4096);
    dictionaryChunk(out, 3, 1, Uint16Array.of(0, 1, 0), (body) => putValue(body, "B"));
    const code = out.take();
    const [before, after] = [FIELDS.slice(0, 6), FIELDS.slice(7)].map((names) => foreignBlock({}, names));
    const block = Buffer.concat([before ?? code, code, after ?? code]);
    expect(() => blockRowsOf(new Uint8Array(block), 3)).toThrow(/index 1 in a dictionary of size 1/);
  });
});
