/** Builds packs of test days, and a bucket to read them from. */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { buildPackBytes } from "../../src/pack-builder/pack-writer.ts";
import type { DayIndex, SectionEntry } from "../../src/packs/layout.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import type { PackObject } from "../../src/packs/read-range.ts";
import { columnsOf, type TestDay } from "./builders.ts";

export interface TestPack {
  bytes: Uint8Array<ArrayBuffer>;
  index: DayIndex;
  /** Returns the entry of one security. Throws when the day does not contain it. */
  entryOf(symbol: string): SectionEntry;
}

/** Builds the pack of `day` with the pack builder and reads its index region. */
export async function packOf(day: TestDay): Promise<TestPack> {
  const bytes = await buildPackBytes(
    day.tradedate as BeijingDate,
    day.securities.map(({ symbol, market, orders }) => ({ symbol, market, columns: columnsOf(orders) })),
  );
  return openTestPack(bytes);
}

export async function openTestPack(bytes: Uint8Array<ArrayBuffer>): Promise<TestPack> {
  const readRange = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const { index } = await locateIndex(bytes.length, readRange, DATASET_NAMES);
  const entryOf = (symbol: string) => {
    const entry = index.entries.find((each) => each.symbol === symbol);
    if (entry === undefined) throw new Error(`the pack holds no ${symbol}`);
    return entry;
  };
  return { bytes, index, entryOf };
}

/** Returns a bucket in memory with one object that counts reads. */
export function memoryBucket(bytes: Uint8Array<ArrayBuffer>) {
  const reads: { offset: number; length: number }[] = [];
  const object: PackObject = {
    objectKey: "orders/2024/20240102/1.parquet",
    etag: "0123456789abcdef",
    tradedate: "20240102" as BeijingDate,
  };
  const get = async (
    key: string,
    { range, onlyIf }: { range: { offset: number; length: number }; onlyIf: { etagMatches: string } },
  ) => {
    if (key !== object.objectKey) return null;
    reads.push(range);
    if (onlyIf.etagMatches !== object.etag) return { etag: object.etag };
    const part = bytes.slice(range.offset, range.offset + range.length);
    return { etag: object.etag, body: null, arrayBuffer: async () => part.buffer };
  };
  return { bucket: { get } as unknown as R2Bucket, object, reads };
}
