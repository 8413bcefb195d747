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
import { type SampleDay, sampleSections } from "./day.ts";
import { sampleDatasets } from "./trades.ts";

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
  await mkdir(folder, { recursive: true });
  const packs: OnePack[] = [];
  try {
    for (const dataset of datasets) packs.push(await OnePack.create(day, folder, dataset));
    let rows = 0;
    for (const { symbol, market, ...columns } of sampleRows(day, datasets)) {
      for (const pack of packs) rows += await pack.append({ symbol, market }, columns[pack.dataset]);
      onSection?.(rows);
    }
    const written: WrittenPack[] = [];
    for (const pack of packs) written.push(await pack.finish());
    return written;
  } catch (error) {
    for (const pack of packs) await pack.discard();
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

class OnePack {
  readonly dataset: DatasetName;
  private readonly tradedate: SampleDay["tradedate"];
  private readonly path: string;
  private readonly sink: FileSink;
  private readonly writer: PackWriter;
  private rows = 0;
  private securities = 0;
  private isFinished = false;

  private constructor(dataset: DatasetName, { tradedate }: SampleDay, path: string, sink: FileSink) {
    this.dataset = dataset;
    this.tradedate = tradedate;
    this.path = path;
    this.sink = sink;
    this.writer = new PackWriter(tradedate, sink, dataset);
  }

  static async create(day: SampleDay, folder: string, dataset: DatasetName): Promise<OnePack> {
    const path = join(folder, packName(dataset, day.tradedate));
    return new OnePack(dataset, day, path, await FileSink.create(path));
  }

  /** Appends the section of a security; returns its number of rows. */
  async append(security: Security, columns: Rows | undefined): Promise<number> {
    if (columns === undefined) throw new Error(`the sample day has no ${this.dataset}`);
    const section = { ...security, columns };
    await this.writer.append(writeSection(this.tradedate, section, DATASETS[this.dataset]));
    this.rows += columns.rows;
    this.securities += 1;
    return columns.rows;
  }

  async finish(): Promise<WrittenPack> {
    const { dataset, path, rows, securities } = this;
    this.isFinished = true;
    const { sizeBytes } = await this.writer.finish();
    return { dataset, path, sizeBytes, rows, securities };
  }

  async discard(): Promise<void> {
    if (!this.isFinished) await this.sink.discard();
  }
}
