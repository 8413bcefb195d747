/**
 * Measures bytes on the wire: the size of a page of 10,000 rows after an edge has compressed it for a client that
 * accepts compression. The levels (gzip 8, Brotli 4, ZSTD 3) are usual for dynamic answers; the platform's
 * documentation names none. Compression costs the worker nothing, because the edge does it after the worker.
 */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { DATASETS } from "../../src/datasets/registry.ts";
import { readOrderPage } from "../../src/packs/order-page.ts";
import type { BenchRow } from "./bench-row.ts";
import type { BenchDay } from "./days.ts";

/** Returns the sizes of a page in the middle of the day. */
export async function wireRows(day: BenchDay): Promise<BenchRow[]> {
  const page = await middlePage(day);
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
  const row = (name: string, { length }: Uint8Array): BenchRow => ({
    name,
    value: length,
    unit: "bytes",
    ratio: length / page.length,
    against: "the page as the worker sends it",
  });
  return [
    { name: "page of 10,000 rows as the worker sends it", value: page.length, unit: "bytes" },
    row("to a client that accepts gzip", gzipSync(page, { level: 8 })),
    row("Brotli", brotliCompressSync(page, brotli)),
    row("ZSTD (a rule of the zone)", zstdCompressSync(page, zstd)),
  ];
}

async function middlePage({ pack, entry, path, columns, dataset }: BenchDay): Promise<Uint8Array> {
  const block = entry.blocks[Math.floor(entry.blocks.length / 2)];
  if (block === undefined) throw new Error("the day has no rows");
  const get = async (_key: string, { range }: { range: { offset: number; length: number } }) => ({
    body: null,
    arrayBuffer: async () => (await pack.read(range.offset, range.length)).buffer,
  });
  const page = await readOrderPage(
    { get } as unknown as R2Bucket,
    { objectKey: path, etag: "0", tradedate: pack.index.tradedate },
    entry,
    { position: { time: block.t0, skip: block.k0 }, endTime: null, pageSize: 10_000, columns },
    { dataset: DATASETS[dataset] },
  );
  if (!page.ok) throw new Error(page.refusal.reason);
  return page.value.items;
}
