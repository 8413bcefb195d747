/**
 * Measures bytes on the wire: the size of a page of 10,000 rows after an edge has compressed it for a client that
 * accepts compression. The levels (gzip 8, Brotli 4, ZSTD 3) are usual for dynamic answers; the platform's
 * documentation does not state its levels. Compression costs the worker nothing, because the edge does it after the
 * worker.
 */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { type BenchRow, figure } from "./bench-row.ts";
import type { BenchDay } from "./days.ts";
import { edgetape } from "./rivals/edgetape.ts";

/** Returns the sizes of a page in the middle of the day. */
export async function wireRows(day: BenchDay): Promise<BenchRow[]> {
  const page = await middlePage(day);
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
  const row = (name: string, { length }: Uint8Array) =>
    figure(name, length, "bytes", [page.length, "the page as the worker sends it"]);
  return [
    figure("page of 10,000 rows as the worker sends it", page.length, "bytes"),
    row("to a client that accepts gzip", gzipSync(page, { level: 8 })),
    row("Brotli", brotliCompressSync(page, brotli)),
    row("ZSTD (a rule of the zone)", zstdCompressSync(page, zstd)),
  ];
}

async function middlePage(day: BenchDay): Promise<Uint8Array> {
  const block = day.entry.blocks[Math.floor(day.entry.blocks.length / 2)];
  if (block === undefined) throw new Error("the day has no rows");
  return edgetape({ day }).rows({ from: { time: block.t0, skip: block.k0 }, endTime: null, limit: 10_000 });
}
