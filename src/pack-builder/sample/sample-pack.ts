/** Writes sample days as packs. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import { packName } from "../pack-file.ts";
import { FileSink } from "../pack-sink.ts";
import { PackWriter } from "../pack-writer.ts";
import { writeSection } from "../section-writer.ts";
import { type SampleDay, sampleSections } from "./day.ts";
import { sampleTradeSections } from "./trades.ts";

const SECTIONS = { orders: sampleSections, trades: sampleTradeSections } as const;

/**
 * Writes the pack of `dataset` into `folder` (created if absent) and returns its path and size. `onSection` is called
 * with the number of rows so far.
 */
export async function writeSamplePack(
  day: SampleDay,
  folder: string,
  onSection?: (rows: number) => void,
  dataset: DatasetName = "orders",
): Promise<{ path: string; sizeBytes: number; rows: number; securities: number }> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, packName(dataset, day.tradedate));
  const sink = await FileSink.create(path);
  try {
    const writer = new PackWriter(day.tradedate, sink, dataset);
    let [rows, securities] = [0, 0];
    for (const section of SECTIONS[dataset](day)) {
      await writer.append(writeSection(day.tradedate, section, DATASETS[dataset]));
      rows += section.columns.rows;
      securities++;
      onSection?.(rows);
    }
    const { sizeBytes } = await writer.finish();
    return { path, sizeBytes, rows, securities };
  } catch (error) {
    await sink.discard();
    throw error;
  }
}
