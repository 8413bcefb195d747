/** Writes sample days as packs. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Rows } from "../../datasets/dataset.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import type { Security } from "../../orders/record.ts";
import { packName } from "../pack-file.ts";
import { FileSink } from "../pack-sink.ts";
import { PackWriter } from "../pack-writer.ts";
import { writeSection } from "../section-writer.ts";
import { type SampleDay, sampleDatasets, sampleSections } from "./day.ts";

export interface WrittenPack {
  dataset: DatasetName;
  path: string;
  sizeBytes: number;
  rows: number;
  securities: number;
}

/**
 * Writes the packs of `datasets` into `folder` (created if absent) and returns them in the same order. `onSection` is
 * called after each security with the number of rows so far.
 */
export async function writeSamplePacks(
  day: SampleDay,
  folder: string,
  datasets: readonly DatasetName[],
  onSection?: (rows: number) => void,
): Promise<WrittenPack[]> {
  const { tradedate } = day;
  await mkdir(folder, { recursive: true });
  const open: { dataset: DatasetName; path: string; sink: FileSink; writer: PackWriter }[] = [];
  const written: WrittenPack[] = [];
  try {
    for (const dataset of datasets) {
      const path = join(folder, packName(dataset, tradedate));
      const sink = await FileSink.create(path);
      open.push({ dataset, path, sink, writer: new PackWriter(tradedate, sink, dataset) });
    }
    let rows = 0;
    for (const { symbol, market, ...rowsOf } of sampleRows(day, datasets)) {
      for (const { dataset, writer } of open) {
        const columns = rowsOf[dataset];
        if (columns === undefined) throw new Error(`the sample day has no ${dataset}`);
        await writer.append(writeSection(tradedate, { symbol, market, columns }, DATASETS[dataset]));
        rows += columns.rows;
      }
      onSection?.(rows);
    }
    for (const { dataset, path, writer } of open) {
      const { index, sizeBytes } = await writer.finish();
      const total = index.entries.reduce((sum, each) => sum + each.rows, 0);
      written.push({ dataset, path, sizeBytes, rows: total, securities: index.entries.length });
    }
    return written;
  } catch (error) {
    for (const { sink } of open.slice(written.length)) await sink.discard();
    throw error;
  }
}

type DayOfSecurity = Security & Partial<Record<DatasetName, Rows>>;

/** Yields the rows of every security; skips expensive datasets that are not in `datasets`. */
function* sampleRows(day: SampleDay, datasets: readonly DatasetName[]): Generator<DayOfSecurity> {
  if (datasets.every((dataset) => dataset === "orders")) {
    for (const { columns, ...security } of sampleSections(day)) yield { ...security, orders: columns };
  } else yield* sampleDatasets(day, { hasQuotes: datasets.includes("quotes") });
}
