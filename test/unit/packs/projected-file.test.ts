import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { readParquet } from "parquet-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { orders } from "../../../src/datasets/orders.ts";
import { FIELDS } from "../../../src/orders/record.ts";
import { decodeChunkTable } from "../../../src/packs/chunk-table.ts";
import { decompressPage } from "../../../src/packs/decompress.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { type AskedColumn, projectedFile } from "../../../src/packs/projected-file.ts";
import { day, randomSecurity, type TestDay } from "../../support/builders.ts";
import { packOf, type TestPack } from "../../support/packs.ts";
import { printedRandom } from "../../support/random.ts";
import { testFolder } from "../../support/test-folder.ts";

const folder = testFolder("projected-");

let source: TestDay;
let pack: TestPack;

beforeAll(async () => {
  const random = printedRandom("projected file");
  source = day({
    tradedate: "20240102",
    securities: [randomSecurity(random, { symbol: "300750", rows: 21_111 })],
  });
  pack = await packOf(source);
});

/** Returns the file of a Parquet answer with `columns`, assembled from its parts. */
function fileOf(columns: AskedColumn[]) {
  const entry = pack.entryOf("300750");
  const section = pack.bytes.subarray(entry.offset, entry.offset + entry.length);
  const sizes = decodeChunkTable(
    section.subarray(4, entry.blocks[0]?.offset),
    entry.blocks.length,
    FIELDS.length,
  );
  const { keep, tail, sizeBytes } = projectedFile(entry, sizes, columns, orders);
  const kept = entry.blocks.flatMap((block, number) =>
    (keep[number] ?? []).map(({ offset, length }) =>
      section.subarray(block.offset + offset, block.offset + offset + length),
    ),
  );
  const bytes = new Uint8Array(Buffer.concat([Buffer.from("PAR1"), ...kept, tail]));
  expect(bytes.length).toBe(sizeBytes);
  return bytes;
}

const expected = (columns: AskedColumn[]) =>
  source.rowsOf("300750").map((row) => columns.map(({ field }) => row[FIELDS.indexOf(field)]));
const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

const four: AskedColumn[] = [
  { field: "volume", name: "volume" },
  { field: "exchange_order_id", name: "order_no" },
  { field: "time", name: "time" },
  { field: "exchange_order_id", name: "exchange_order_id" },
];
const money: AskedColumn[] = (["amount", "volume", "price"] as const).map((field) => ({
  field,
  name: field,
}));
const one: AskedColumn[] = [{ field: "order_code", name: "side" }];
const all: AskedColumn[] = FIELDS.map((field) => ({ field, name: field })).reverse();

describe.each([
  ["four columns in another order, one of them twice", four],
  ["three columns in reverse order", money],
  ["one column under its legacy name", one],
  ["all columns in reverse order", all],
])("a section reduced to %s", (_what, columns) => {
  it("is read by hyparquet, and all its columns have the codec ZSTD and are REQUIRED", async () => {
    const file = fileOf(columns).buffer;
    const metadata = parquetMetadata(file);
    for (const group of metadata.row_groups) {
      expect(group.columns.map((column) => column.meta_data?.codec)).toEqual(columns.map(() => "ZSTD"));
    }
    expect(metadata.schema.slice(1).map((element) => element.repetition_type)).toEqual(
      columns.map(() => "REQUIRED"),
    );
    const rows = await parquetReadObjects({ file, compressors: { ZSTD: decompressPage } });
    const names = columns.map(({ name }) => name);
    expect(Object.keys(rows[0] ?? {})).toEqual(names);
    expect(rows.map((row) => names.map((name) => plain(row[name])))).toEqual(expected(columns));
  });

  it("has its chunks adjacent to each other in the order of its columns", () => {
    const file = fileOf(columns);
    let at = 4;
    for (const { columns: chunks } of parquetMetadata(file.buffer).row_groups) {
      for (const { meta_data } of chunks) {
        expect(Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset)).toBe(at);
        at += Number(meta_data?.total_compressed_size);
      }
    }
  });

  it("is read by DuckDB", async () => {
    const path = join(folder, `${columns.length}.parquet`);
    writeFileSync(path, fileOf(columns));
    const connection = await (await DuckDBInstance.create()).connect();
    const result = await connection.runAndReadAll(`SELECT * FROM '${path}'`);
    expect(result.columnNames()).toEqual(columns.map(({ name }) => name));
    expect(result.getRows().map((row) => row.map(plain))).toEqual(expected(columns));
  });

  it("is read by parquet-wasm", () => {
    const table = tableFromIPC(readParquet(fileOf(columns)).intoIPCStream());
    expect(table.schema.fields.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
    const vectors = columns.map((_, place) => table.getChildAt(place));
    const rows = Array.from({ length: table.numRows }, (_, row) =>
      vectors.map((vector) => plain(vector?.get(row))),
    );
    expect(rows).toEqual(expected(columns));
  });
});

describe("projectedFile", () => {
  it("refuses chunk sizes whose sum is not the size of the block", () => {
    const entry = pack.entryOf("300750");
    const section = pack.bytes.subarray(entry.offset, entry.offset + entry.length);
    const sizes = decodeChunkTable(
      section.subarray(4, entry.blocks[0]?.offset),
      entry.blocks.length,
      FIELDS.length,
    );
    const wrong = sizes.map((chunks) =>
      chunks.map((chunk, place) => (place === 3 ? { ...chunk, total: 1 } : chunk)),
    );
    expect(() => projectedFile(entry, wrong, one, orders)).toThrow(PackFormatError);
  });
});
