/** Summarises a pack without decoding rows. */
import { DATASETS } from "../datasets/registry.ts";
import { formatTimeOfDay } from "../orders/query/time-window.ts";
import { chunkTableBytes, decodeChunkTable } from "../packs/chunk-table.ts";
import { PARQUET_MAGIC, type SectionEntry } from "../packs/layout.ts";
import type { PackFile } from "./pack-file.ts";

export type PackSummary = Awaited<ReturnType<typeof inspectPack>>;

/**
 * Summarises an open pack from its index and the chunk tables of its sections. The times are HHMMSSmmm. Throws
 * `PackFormatError`.
 */
export async function inspectPack(pack: PackFile) {
  const { index } = pack;
  const { columns } = DATASETS[index.dataset];
  const columnBytes = new Array<number>(columns.length).fill(0);
  for (const entry of index.entries) {
    if (entry.rows === 0) continue;
    for (const chunks of await chunkTable(pack, entry, columns.length)) {
      chunks.forEach(({ total }, column) => {
        columnBytes[column] = (columnBytes[column] ?? 0) + total;
      });
    }
  }
  const traded = index.entries.filter(({ rows }) => rows > 0);
  const largest = index.entries.reduce<SectionEntry | null>(
    (most, entry) => (entry.rows > (most?.rows ?? 0) ? entry : most),
    null,
  );
  return {
    dataset: index.dataset,
    tradedate: index.tradedate,
    buildId: index.buildId,
    /** Builder, source files and row accounting; `null` in packs of the first release. */
    origin: index.origin,
    sizeBytes: pack.sizeBytes,
    securities: index.entries.length,
    securitiesWithoutOrders: index.entries.length - traded.length,
    rows: index.entries.reduce((sum, { rows }) => sum + rows, 0),
    rowGroups: index.entries.reduce((sum, { blocks }) => sum + blocks.length, 0),
    firstTime: formatTimeOfDay(
      traded.reduce((first, { blocks }) => Math.min(first, blocks[0]?.t0 ?? first), 235_959_999),
    ),
    lastTime: formatTimeOfDay(traded.reduce((last, entry) => Math.max(last, entry.lastTime), 0)),
    /** Compressed bytes by column, page headers included. */
    columnBytes: Object.fromEntries(columns.map(({ name }, number) => [name, columnBytes[number] ?? 0])),
    indexBytes: pack.footerOffset - pack.regionOffset,
    /** Bytes of the global footer. */
    footerBytes: pack.footerLength,
    largest:
      largest === null
        ? null
        : { code: `${largest.symbol}.${largest.market}`, rows: largest.rows, sizeBytes: largest.length },
  };
}

async function chunkTable(pack: PackFile, entry: SectionEntry, columnCount: number) {
  const count = entry.blocks.length;
  const bytes = await pack.read(entry.offset + PARQUET_MAGIC.length, chunkTableBytes(count, columnCount));
  return decodeChunkTable(bytes, count, columnCount);
}
