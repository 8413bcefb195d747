/** A sample day as a finished pack. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { FileSink } from "../pack-sink.ts";
import { PackWriter } from "../pack-writer.ts";
import { writeSection } from "../section-writer.ts";
import { type SampleDay, sampleSections } from "./day.ts";

/**
 * Writes `<folder>/<YYYYMMDD>.parquet` (the folder is made if absent) and returns where it lies and how
 * big it is. `onSection` hears the rows so far.
 */
export async function writeSamplePack(
  day: SampleDay,
  folder: string,
  onSection?: (rows: number) => void,
): Promise<{ path: string; sizeBytes: number; rows: number; securities: number }> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${day.tradedate}.parquet`);
  const sink = await FileSink.create(path);
  try {
    const writer = new PackWriter(day.tradedate, sink);
    let [rows, securities] = [0, 0];
    for (const section of sampleSections(day)) {
      await writer.append(writeSection(day.tradedate, section));
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
