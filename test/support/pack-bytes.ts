/** Builds packs for tests: in memory, or of one dataset of a sample day. */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import type { Rows } from "../../src/datasets/dataset.ts";
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { PackSink } from "../../src/pack-builder/pack-sink.ts";
import { PackWriter } from "../../src/pack-builder/pack-writer.ts";
import type { SampleDay } from "../../src/pack-builder/sample/day.ts";
import { type WrittenPack, writeSamplePacks } from "../../src/pack-builder/sample/sample-pack.ts";
import { type Section, writeSection } from "../../src/pack-builder/section-writer.ts";
import type { PackOrigin } from "../../src/packs/origin.ts";

/**
 * Builds the pack of `tradedate` with `sections` of `dataset` (sorted by symbol, then market; at least one row) in
 * memory. `origin` is as in `PackWriter.finish`.
 */
export async function buildPackBytes(
  tradedate: BeijingDate,
  sections: Iterable<Section<Rows>>,
  origin?: PackOrigin | null,
  dataset: DatasetName = "orders",
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  const sink: PackSink = {
    write: async (bytes) => void pieces.push(bytes),
    finish: async () => undefined,
    discard: async () => undefined,
  };
  const writer = new PackWriter(tradedate, sink, dataset);
  for (const section of sections) await writer.append(writeSection(tradedate, section, DATASETS[dataset]));
  await writer.finish(origin);
  return new Uint8Array(Buffer.concat(pieces));
}

/** Writes the pack of one dataset of a sample day into `folder`. */
export async function writeSamplePack(
  day: SampleDay,
  folder: string,
  dataset: DatasetName = "orders",
): Promise<WrittenPack> {
  const [written] = await writeSamplePacks(day, folder, [dataset]);
  if (written === undefined) throw new Error(`no pack of ${dataset} was written`);
  return written;
}
