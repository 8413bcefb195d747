/**
 * Runs the quality check of a day: reads the day's packs back, one security at a time. Writes the quality sheet next to
 * the packs, as JSON and as an HTML page. Memory holds the verdicts of all securities, and the rows of one security for
 * each thread.
 */
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import { PackFormatError } from "../packs/errors.ts";
import { BUILDER_VERSION } from "../packs/origin.ts";
import {
  type OtherDay,
  parseOtherDay,
  parseSheet,
  type QualitySheet,
  qualitySheet,
  type SecurityReport,
} from "../quality/sheet.ts";
import { sheetPage } from "../quality/sheet-page.ts";
import type { Shortfall } from "../quality/shortfall.ts";
import { checkOpen, closePacks, codeOf, type OpenPacks, openEach, packAt } from "./check-slice.ts";
import { openPackFile, packName } from "./pack-file.ts";
import type { WorkerPool } from "./worker-pool.ts";

/** A day is compared with at most this many other days. */
const MOST_OTHER_DAYS = 10;

/**
 * The minimum number of rows for each thread. Every thread compiles the checks again, which takes as long as checking
 * two million rows.
 */
const ROWS_OF_THREAD = 5_000_000;
/** The number of securities in a slice. A thread holds the results of a slice until it has checked all of it. */
const CODES_OF_SLICE = 1_000;

type Shortfalls = Partial<Record<DatasetName, readonly Shortfall[]>>;

interface DayOptions {
  /**
   * The threads that check the securities; several of them share the work of a large day. The calling thread checks
   * everything when this is absent or has no threads.
   */
  pool?: WorkerPool;
  /** The minimum number of rows for each thread; `ROWS_OF_THREAD` when absent. */
  threadRows?: number;
  /** The usual number of securities in a slice; `CODES_OF_SLICE` when absent. */
  sliceCodes?: number;
  /** By dataset, the path of a pack that does not have its usual name yet. */
  unnamed?: Partial<Record<DatasetName, string>>;
}

interface CheckOptions extends DayOptions {
  /**
   * By dataset, what each newly built pack lacks. For a dataset without an entry, the shortfalls come from the sheet in
   * the folder if it describes the same pack.
   */
  shortfalls?: Shortfalls;
}

/**
 * Splits the securities into `count` slices (at least one) that have about the same number of rows. Each is sorted, so
 * that the threads rarely check their largest securities at the same time, which would take the most memory.
 */
function slicesOf(rowsOfCode: ReadonlyMap<string, number>, count: number): string[][] {
  const slices = Array.from({ length: Math.max(1, count) }, () => ({ rows: 0, codes: [] as string[] }));
  for (const [code, rows] of [...rowsOfCode].sort((a, b) => b[1] - a[1])) {
    const least = slices.reduce((best, each) => (each.rows < best.rows ? each : best));
    least.rows += rows;
    least.codes.push(code);
  }
  return slices.map(({ codes }) => codes.sort());
}

/** Returns the file name of a day's quality sheet. */
export function sheetName(tradedate: BeijingDate): string {
  return `${tradedate}_quality.json`;
}

/** Returns the file name of the sheet's HTML page. */
export function sheetPageName(tradedate: BeijingDate): string {
  return `${tradedate}_quality.html`;
}

export interface CheckedFolder {
  sheet: QualitySheet;
  /** The path of the sheet. */
  path: string;
  /** The path of the sheet's HTML page. */
  page: string;
}

/** A checked day whose sheet is not written yet. */
export interface CheckedDay {
  /** The reports, sorted by code with suffix. */
  securities: SecurityReport[];
  /** The other days with which the day was compared. */
  others: OtherDay[];
  buildIds: QualitySheet["packs"];
}

/** Checks a day as `checkDay` does and writes its sheet as `writeSheet` does. */
export async function checkFolder(
  folder: string,
  tradedate: BeijingDate,
  { shortfalls, ...options }: CheckOptions = {},
): Promise<CheckedFolder> {
  return writeSheet(folder, tradedate, await checkDay(folder, tradedate, options), shortfalls);
}

/**
 * Checks the day's packs in `folder` and compares them with the other days that have sheets in the folder. Throws
 * `PackFormatError` for a file that is not the day's pack.
 */
export async function checkDay(
  folder: string,
  tradedate: BeijingDate,
  { pool, threadRows = ROWS_OF_THREAD, sliceCodes = CODES_OF_SLICE, unnamed = {} }: DayOptions = {},
): Promise<CheckedDay> {
  const others = await otherDays(folder, tradedate);
  const pathOf = (dataset: DatasetName) => unnamed[dataset] ?? join(folder, packName(dataset, tradedate));
  const packs = await openDay(tradedate, pathOf);
  const rowsOfCode = rowsByCode(packs);
  const rows = [...rowsOfCode.values()].reduce((sum, each) => sum + each, 0);
  const { threads = 0 } = pool ?? {};
  const busy = Math.min(threads, Math.floor(rows / threadRows));
  const least = threads === 0 ? 1 : Math.ceil(rowsOfCode.size / sliceCodes);
  const slices = slicesOf(rowsOfCode, Math.max(busy, least));
  const checked = await Promise.all(
    slices.map((codes) => {
      const slice = { codes, others };
      if (pool === undefined || threads === 0) return checkOpen(packs, slice);
      const paths = perDataset("name", (dataset) => (packs[dataset] === null ? null : pathOf(dataset)));
      return pool.checkSlice({ ...slice, paths });
    }),
  ).finally(() => closePacks(packs));
  return {
    securities: checked.flat().sort((a, b) => (codeOf(a) < codeOf(b) ? -1 : 1)),
    others,
    buildIds: perDataset("name", (dataset) => packs[dataset]?.index.buildId ?? null),
  };
}

/** Writes the sheet of a checked day and the sheet's page to `folder`. */
export async function writeSheet(
  folder: string,
  tradedate: BeijingDate,
  { securities, others, buildIds }: CheckedDay,
  shortfalls: Shortfalls = {},
): Promise<CheckedFolder> {
  const path = join(folder, sheetName(tradedate));
  const sheet = qualitySheet({
    tradedate,
    builderVersion: BUILDER_VERSION,
    packs: buildIds,
    securities,
    others,
    degraded: degradedIn(shortfalls, buildIds, await readSheet(path)),
  });
  const page = join(folder, sheetPageName(tradedate));
  await writeWhole(page, sheetPage(sheet));
  await writeWhole(path, `${JSON.stringify(sheet)}\n`);
  return { sheet, path, page };
}

/**
 * Returns the shortfalls of all packs. For a newly built pack, they are in `shortfalls`. For an older pack, they come
 * from the sheet `before` if it describes the same pack.
 */
function degradedIn(
  shortfalls: Shortfalls,
  buildIds: QualitySheet["packs"],
  before: QualitySheet | { problem: string },
): Shortfall[] {
  return DATASET_NAMES.flatMap((dataset) => {
    const built = shortfalls[dataset];
    if (built !== undefined) return built;
    if ("problem" in before || before.packs[dataset] !== buildIds[dataset]) return [];
    return before.degraded.filter((each) => each.dataset === dataset);
  });
}

/** Opens the day's packs, `null` for a dataset without a pack. Throws `PackFormatError` for a pack of another day. */
function openDay(tradedate: BeijingDate, pathOf: (dataset: DatasetName) => string): Promise<OpenPacks> {
  return openEach(async (dataset) => {
    const path = pathOf(dataset);
    const opened = await openPackFile(path, [dataset]);
    if (!opened.ok && opened.refusal.reason === "unreadable" && opened.refusal.code === "ENOENT") return null;
    const pack = packAt(path, opened);
    if (pack.index.tradedate === tradedate) return pack;
    await pack.close();
    throw new PackFormatError(`${path} is the pack of ${pack.index.tradedate}, not of ${tradedate}`);
  });
}

/** Returns each security's total number of rows in all packs, by code. */
function rowsByCode(packs: OpenPacks): Map<string, number> {
  const rowsOfCode = new Map<string, number>();
  for (const pack of Object.values(packs)) {
    for (const entry of pack?.index.entries ?? []) {
      rowsOfCode.set(codeOf(entry), (rowsOfCode.get(codeOf(entry)) ?? 0) + entry.rows);
    }
  }
  return rowsOfCode;
}

/** Writes the file at `path` atomically. */
async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, text);
  await rename(partial, path);
}

/** Reads the sheet at `path`, or returns a clause that says why it cannot be used. */
export async function readSheet(path: string): Promise<QualitySheet | { problem: string }> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error) {
    return { problem: text.code === "ENOENT" ? "there is no such file" : `it cannot be read (${text.code})` };
  }
  return parseSheet(text);
}

/** Returns the days with sheets in `folder` that are nearest to `tradedate`, at most ten and without `tradedate`. */
async function otherDays(folder: string, tradedate: BeijingDate): Promise<OtherDay[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{8}_quality\.json$/.test(name));
  const distance = (name: string) => Math.abs(Number(name.slice(0, 8)) - Number(tradedate));
  const nearest = names
    .filter((name) => name !== sheetName(tradedate))
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, MOST_OTHER_DAYS);
  const texts = await Promise.all(
    nearest.map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  // An unreadable sheet of another day is ignored: it is not a reason to refuse this day.
  return texts.flatMap((text) => parseOtherDay(text) ?? []);
}
