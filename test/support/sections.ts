/** Makes a section of any dataset in memory, without a pack or a day, and reads its pages and Parquet answers. */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import type { Dataset } from "../../src/datasets/dataset.ts";
import { writeSection } from "../../src/pack-builder/section-writer.ts";
import { decodeChunkTable } from "../../src/packs/chunk-table.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";
import { type OrderPage, readOrderPage } from "../../src/packs/order-page.ts";
import { projectedFile } from "../../src/packs/projected-file.ts";
import type { DatasetSection } from "./dataset-days.ts";
import { memoryBucket } from "./packs.ts";
import { bare } from "./result.ts";

export interface TestSection {
  entry: SectionEntry;
  bytes: Uint8Array<ArrayBuffer>;
  /** Returns the page of up to `pageSize` rows from the first row, with its JSON text. */
  page(fields: readonly string[], pageSize?: number): Promise<OrderPage & { text: string }>;
  /** Returns the Parquet file with these columns. */
  parquet(fields: readonly string[]): Uint8Array<ArrayBuffer>;
}

/** Writes `section` into memory, as the pack builder does. */
export function testSection(dataset: Dataset, section: DatasetSection, tradedate: string): TestSection {
  const { entry, bytes } = writeSection(tradedate as BeijingDate, section, dataset);
  const { bucket, object } = memoryBucket(bytes);
  return {
    entry,
    bytes,
    async page(fields, pageSize = 10_000) {
      const columns = fields.map((field) => ({ field, name: field }));
      const ask = { position: { time: 0, skip: 0 }, endTime: null, pageSize, columns };
      const pack = { ...object, tradedate: tradedate as BeijingDate };
      const page = bare(await readOrderPage(bucket, pack, entry, ask, { dataset }));
      if ("reason" in page) throw new Error(page.reason);
      return { ...page, text: Buffer.concat(page.items).toString() };
    },
    parquet(fields) {
      const columns = fields.map((field) => ({ field, name: field }));
      const table = bytes.subarray(4, entry.blocks[0]?.offset);
      const sizes = decodeChunkTable(table, entry.blocks.length, dataset.columns.length);
      const { keep, tail } = projectedFile(entry, sizes, columns, dataset);
      const kept = entry.blocks.flatMap((block, number) =>
        (keep[number] ?? []).map(({ offset, length }) =>
          bytes.subarray(block.offset + offset, block.offset + offset + length),
        ),
      );
      return new Uint8Array(Buffer.concat([Buffer.from("PAR1"), ...kept, tail]));
    },
  };
}
