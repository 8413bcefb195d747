/**
 * Measures all contestants with the same rows from the same pack in the same process. The tasks are pages of 10,000
 * rows and ten fields as JSON text, a time window, and all rows of a security as a Parquet file. Preparation is not
 * measured: footers are parsed, and tables and indexes are built, before the clock starts. The pack is in the system's
 * file cache. Each rival's answer is compared with edgetape's answer. edgetape also receives the security's entry in
 * the day's index. The service's look-up of this entry is timed separately.
 */
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOptions, BenchRow } from "./bench-row.ts";
import type { BenchDay } from "./days.ts";
import { asksOf } from "./rivals/asks.ts";
import { Contest } from "./rivals/contest.ts";
import { duckdb } from "./rivals/duckdb.ts";
import { edgetape } from "./rivals/edgetape.ts";
import { fileFloors, rowFloors } from "./rivals/floors.ts";
import { hyparquetTold } from "./rivals/hyparquet.ts";
import { parquetWasm } from "./rivals/parquet-wasm.ts";
import type { Rival } from "./rivals/rival.ts";
import { sqlite } from "./rivals/sqlite.ts";

/** Larger days are not copied into the databases, so that the bench ends within minutes. */
const MOST_COPIED_ROWS = 20_000_000;

const READERS = [edgetape, duckdb, hyparquetTold, parquetWasm];
const DATABASES = [sqlite];

/**
 * Returns the rows of one table per day, with the time of each contestant for each task. Throws when a contestant
 * returns other rows than edgetape.
 */
export async function benchRivals({ days, rounds }: BenchOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const day of await days.all()) rows.push(...(await contestOf(day, rounds)));
  return rows;
}

async function contestOf(day: BenchDay, rounds: number): Promise<BenchRow[]> {
  await using made = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const folder = made.path;
  const rivals: Rival[] = [];
  try {
    const makers = day.rows > MOST_COPIED_ROWS ? READERS : [...READERS, ...DATABASES];
    for (const make of makers) rivals.push(await make({ day, folder }));
    const contest = new Contest(rivals, rounds);
    const rows: BenchRow[] = [];
    for (const ask of await asksOf(day)) {
      rows.push(...(await contest.rows(ask, (json) => rowFloors(day, ask, json))));
    }
    const path = join(folder, "section.parquet");
    rows.push(...(await contest.files(day.entry.symbol, path, fileFloors(day, path))));
    const { entry, label } = day;
    const table = `a day of ${label}, ${entry.rows.toLocaleString("en")} of them of ${entry.symbol}`;
    return rows.map((row) => ({ ...row, table }));
  } finally {
    for (const { close } of rivals) close?.();
  }
}
