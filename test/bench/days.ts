/** The days that benches measure: generated days of several sizes, and existing packs. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { type AskedColumn, fieldsOf } from "../../src/orders/query/fields.ts";
import { openPackFile, type PackFile } from "../../src/pack-builder/pack-file.ts";
import type { SampleDay } from "../../src/pack-builder/sample/day.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";
import { writeSamplePack } from "../support/pack-bytes.ts";
import { bare } from "../support/result.ts";
import { writeDenseQuotes } from "./dense-quotes.ts";

/**
 * The date of the first generated day; each further day is dated one day later. No existing pack has one of these
 * dates.
 */
const FIRST_DATE = "20220301" as BeijingDate;

/**
 * The measured security. Even in a small sample day, it has as many orders as on a real day. It lies far from both ends
 * of the pack.
 */
const SYMBOL = "300750";

export interface BenchDay {
  dataset: DatasetName;
  /** The columns of a page that is requested without `fields`. */
  columns: readonly AskedColumn[];
  path: string;
  pack: PackFile;
  rows: number;
  /** The measured security: 300750, or the one with the most rows if the day lacks it. */
  entry: SectionEntry;
  /** The name of the day in headings, such as `10,000,000 rows`. */
  label: string;
}

/** The days to measure: one generated day of `dataset` for each number in `dayRows`, and the files `packs`. */
export interface DayChoice {
  dataset?: DatasetName;
  dayRows: readonly number[];
  packs: readonly string[];
}

/** The days of one run of the bench. Generated days are made on first use and removed on disposal. */
export class BenchDays implements AsyncDisposable {
  private readonly choice: DayChoice;
  private readonly folder = mkdtempSync(join(tmpdir(), "edgetape-bench-"));
  private opened: BenchDay[] | undefined;

  constructor(choice: DayChoice) {
    this.choice = choice;
  }

  /** Returns the generated days, each with its own date, and then the existing packs. */
  async all(): Promise<BenchDay[]> {
    if (this.opened !== undefined) return this.opened;
    const days: BenchDay[] = [];
    this.opened = days;
    for (const [number, rows] of this.choice.dayRows.entries()) {
      const day = { tradedate: addDays(FIRST_DATE, number), rows };
      days.push(await openDay(await this.made(day)));
    }
    for (const path of this.choice.packs) days.push(await openDay(path));
    return days;
  }

  /** Writes the pack of a generated day and returns its path. */
  private async made(day: SampleDay): Promise<string> {
    const { dataset } = this.choice;
    if (dataset === "quotes") return writeDenseQuotes(day, this.folder, SYMBOL);
    return (await writeSamplePack(day, this.folder, dataset)).path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pack } of this.opened ?? []) await pack.close();
    await rm(this.folder, { recursive: true });
  }
}

async function openDay(path: string): Promise<BenchDay> {
  const pack = bare(await openPackFile(path, DATASET_NAMES));
  if ("reason" in pack) throw new Error(`${path} is not a day pack: ${pack.reason}`);
  const { entries, dataset } = pack.index;
  const rows = entries.reduce((sum, each) => sum + each.rows, 0);
  const largest = entries.reduce((most, each) => (each.rows > most.rows ? each : most));
  const entry = entries.find(({ symbol }) => symbol === SYMBOL) ?? largest;
  const name = dataset === "orders" ? "rows" : dataset;
  const label = `${rows.toLocaleString("en")} ${name}`;
  return { dataset, columns: fieldsOf(dataset).standard, path, pack, rows, entry, label };
}
