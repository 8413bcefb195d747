/** A day of the sample market, published into a running service: rows and sizes as a real day has them. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { openPackFile } from "../../src/pack-builder/pack-file.ts";
import { writeSamplePack } from "../../src/pack-builder/sample/sample-pack.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";
import { publishPack } from "../support/operator.ts";
import type { Service } from "../support/service.ts";

/** The day that is published; the clock of the service stands a day later. */
export const SAMPLE_DATE = "20260311" as BeijingDate;
/** Has the number of orders of a real day in sample days of every size. */
export const LARGEST = "300750";

/** Publishes a sample day of about `rows` rows; returns its index, by symbol. */
export async function publishSampleDay(service: Service, rows = 1_000_000): Promise<SectionEntry[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bench-"));
  try {
    const { path } = await writeSamplePack({ tradedate: SAMPLE_DATE, rows }, folder);
    const pack = await openPackFile(path);
    if ("reason" in pack) throw new Error(`${path}: ${pack.reason}`);
    await pack.close();
    await publishPack(service, SAMPLE_DATE, await readFile(path));
    return pack.index.entries;
  } finally {
    await rm(folder, { recursive: true });
  }
}
