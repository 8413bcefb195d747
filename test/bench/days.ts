/** The days that are measured: made-up ones of several sizes, and packs that are there already. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { openPackFile, type PackFile } from "../../src/pack-builder/pack-file.ts";
import { writeSamplePack } from "../../src/pack-builder/sample/sample-pack.ts";
import type { SectionEntry } from "../../src/packs/layout.ts";

/** The first of the made days; each further one is a day later. No pack that is there already is of these days. */
const FIRST_DATE = "20220301" as BeijingDate;

/** Sample days of every size have it with a real day's number of orders, far from both ends of the pack. */
const SYMBOL = "300750";

export interface BenchDay {
  path: string;
  pack: PackFile;
  rows: number;
  /** What is measured is asked of this security: 300750, or the one with the most rows. */
  entry: SectionEntry;
  /** For the headings: `10,000,000 rows`. */
  label: string;
}

/** Sizes in rows of the days that are made, and packs that are there already. */
export interface DayChoice {
  dayRows: readonly number[];
  packs: readonly string[];
}

/** The days of one run of the bench: made when first asked for, the made ones removed with it. */
export class BenchDays implements AsyncDisposable {
  private readonly choice: DayChoice;
  private readonly folder = mkdtempSync(join(tmpdir(), "edgetape-bench-"));
  private opened: BenchDay[] | undefined;

  constructor(choice: DayChoice) {
    this.choice = choice;
  }

  /** The made days first, each of another date. */
  async all(): Promise<BenchDay[]> {
    if (this.opened !== undefined) return this.opened;
    const days: BenchDay[] = [];
    this.opened = days;
    for (const [number, rows] of this.choice.dayRows.entries()) {
      const day = { tradedate: addDays(FIRST_DATE, number), rows };
      days.push(await openDay((await writeSamplePack(day, this.folder)).path));
    }
    for (const path of this.choice.packs) days.push(await openDay(path));
    return days;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pack } of this.opened ?? []) await pack.close();
    await rm(this.folder, { recursive: true });
  }
}

async function openDay(path: string): Promise<BenchDay> {
  const pack = await openPackFile(path);
  if ("reason" in pack) throw new Error(`${path} is no day pack: ${pack.reason}`);
  const { entries } = pack.index;
  const rows = entries.reduce((sum, each) => sum + each.rows, 0);
  const largest = entries.reduce((most, each) => (each.rows > most.rows ? each : most));
  const entry = entries.find(({ symbol }) => symbol === SYMBOL) ?? largest;
  return { path, pack, rows, entry, label: `${rows.toLocaleString("en")} rows` };
}
