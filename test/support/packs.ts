/** Builds packs of test days, and a bucket to read them from. */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import type { DayIndex, SectionEntry } from "../../src/packs/layout.ts";
import { locateIndex } from "../../src/packs/locate.ts";
import type { PackOrigin } from "../../src/packs/origin.ts";
import type { PackObject } from "../../src/packs/read-range.ts";
import { columnsIn, columnsOf, type TestDay } from "./builders.ts";
import { buildPackBytes } from "./pack-bytes.ts";

export interface TestPack {
  bytes: Uint8Array<ArrayBuffer>;
  index: DayIndex;
  /** Returns the entry of one security. Throws when the day does not contain it. */
  entryOf(symbol: string): SectionEntry;
}

/**
 * Returns the pack of `day`, written by the pack builder and read back through its own index region. The rows of other
 * datasets are derived from the day's orders by `columnsIn`.
 */
export async function packOf(
  day: TestDay,
  dataset: DatasetName = "orders",
  origin?: PackOrigin,
): Promise<TestPack> {
  const sections = day.securities.map(({ symbol, market, orders }) => ({
    symbol,
    market,
    columns: columnsIn(dataset, columnsOf(orders)),
  }));
  return openTestPack(await buildPackBytes(day.tradedate as BeijingDate, sections, origin, dataset));
}

export async function openTestPack(bytes: Uint8Array<ArrayBuffer>): Promise<TestPack> {
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const { index } = await locateIndex(bytes.length, read, DATASET_NAMES);
  const entryOf = (symbol: string) => {
    const entry = index.entries.find((each) => each.symbol === symbol);
    if (entry === undefined) throw new Error(`the pack holds no ${symbol}`);
    return entry;
  };
  return { bytes, index, entryOf };
}

/** Returns a bucket in memory with one object, and the list of its reads. */
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
