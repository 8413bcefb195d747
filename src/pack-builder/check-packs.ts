/**
 * The quality check of a day: reads its packs back, one security at a time, and writes the quality sheet beside them,
 * as JSON and as a page. Memory holds the rows of one security and the verdicts of all securities.
 */
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker as Thread } from "node:worker_threads";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import { PackFormatError } from "../packs/errors.ts";
import { BUILDER_VERSION } from "../packs/origin.ts";
import type { OtherDay } from "../quality/check-day.ts";
import type { SecurityReport } from "../quality/check-security.ts";
import { parseOtherDay, parseSheet, type QualitySheet, qualitySheet } from "../quality/sheet.ts";
import { sheetPage } from "../quality/sheet-page.ts";
import type { Shortfall } from "../quality/shortfall.ts";
import {
  type CheckedSlice,
  checkOpen,
  closePacks,
  codeOf,
  type OpenPacks,
  openEach,
  packAt,
} from "./check-slice.ts";
import { openPackFile, packName } from "./pack-file.ts";

/** Number of days with which a day is compared. */
const MOST_OTHER_DAYS = 10;

/** A thread takes about a second to start; in this time another thread checks more than a million rows. */
const ROWS_OF_THREAD = 5_000_000;

export type Shortfalls = Partial<Record<DatasetName, readonly Shortfall[]>>;

export interface CheckOptions {
  /** Number of threads; up to 1 uses the calling thread. */
  threads?: number;
  /** A day of fewer rows is checked in the calling thread; `ROWS_OF_THREAD` when absent. */
  threadRows?: number;
  /**
   * What each pack that was just built lacks. Of a dataset that is not named, the folder's earlier sheet says it if it
   * is about the same pack.
   */
  shortfalls?: Shortfalls;
}

/** Checks a slice in a separate thread. */
function checkInThread(slice: CheckedSlice): Promise<SecurityReport[]> {
  return new Promise((resolve, reject) => {
    const thread = new Thread(join(import.meta.dirname, "check-thread.ts"), { workerData: slice });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`a thread of the quality check ended with exit code ${code}`)),
    );
  });
}

/** Splits the securities into slices with about equal numbers of rows. */
function slicesOf(rowsOfCode: ReadonlyMap<string, number>, count: number): string[][] {
  const slices = Array.from({ length: count }, () => ({ rows: 0, codes: [] as string[] }));
  for (const [code, rows] of [...rowsOfCode].sort((a, b) => b[1] - a[1])) {
    const least = slices.reduce((best, each) => (each.rows < best.rows ? each : best));
    least.rows += rows;
    least.codes.push(code);
  }
  return slices.map(({ codes }) => codes);
}

/** Returns the file name of a day's quality sheet. */
export function sheetName(tradedate: BeijingDate): string {
  return `${tradedate}_quality.json`;
}

/** Returns the file name of the sheet as a page. */
export function sheetPageName(tradedate: BeijingDate): string {
  return `${tradedate}_quality.html`;
}

export interface CheckedFolder {
  sheet: QualitySheet;
  /** The path of the sheet. */
  path: string;
  /** The path of the sheet as a page. */
  page: string;
}

/**
 * Checks the day's packs in `folder` (under their usual names), compares them with the days whose sheets are there, and
 * writes the sheet and its page beside them. Throws `PackFormatError` for a file that is no pack of the day.
 */
export async function checkFolder(
  folder: string,
  tradedate: BeijingDate,
  { threads = 1, threadRows = ROWS_OF_THREAD, shortfalls = {} }: CheckOptions = {},
): Promise<CheckedFolder> {
  const others = await otherDays(folder, tradedate);
  const packs = await openDay(folder, tradedate);
  const pathOf = (dataset: DatasetName) =>
    packs[dataset] === null ? null : join(folder, packName(dataset, tradedate));
  const rowsOfCode = rowsByCode(packs);
  const rows = [...rowsOfCode.values()].reduce((sum, each) => sum + each, 0);
  const slices = slicesOf(rowsOfCode, rows < threadRows ? 1 : Math.max(1, threads));
  const checked = await Promise.all(
    slices.map((codes) => {
      const slice = { codes, others };
      if (slices.length === 1) return checkOpen(packs, slice);
      return checkInThread({ ...slice, paths: perDataset("name", pathOf) });
    }),
  ).finally(() => closePacks(packs));
  const path = join(folder, sheetName(tradedate));
  const buildIds = perDataset("name", (dataset) => packs[dataset]?.index.buildId ?? null);
  const sheet = qualitySheet({
    tradedate,
    builderVersion: BUILDER_VERSION,
    packs: buildIds,
    securities: checked.flat().sort((a, b) => (codeOf(a) < codeOf(b) ? -1 : 1)),
    others,
    degraded: degradedIn(shortfalls, buildIds, await readSheet(path)),
  });
  const page = join(folder, sheetPageName(tradedate));
  await writeWhole(page, sheetPage(sheet));
  await writeWhole(path, `${JSON.stringify(sheet)}\n`);
  return { sheet, path, page };
}

/** Returns what the packs lack: as just built, else as the sheet before says of the same pack. */
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

/** Opens the day's packs in `folder`, `null` where there is none. Throws `PackFormatError` for a pack of another day. */
function openDay(folder: string, tradedate: BeijingDate): Promise<OpenPacks> {
  return openEach(async (dataset) => {
    const path = join(folder, packName(dataset, tradedate));
    const opened = await openPackFile(path, [dataset]);
    if (!opened.ok && opened.refusal.reason === "unreadable" && opened.refusal.code === "ENOENT") return null;
    const pack = packAt(path, opened);
    if (pack.index.tradedate === tradedate) return pack;
    await pack.close();
    throw new PackFormatError(`${path} is of ${pack.index.tradedate}`);
  });
}

/** Returns the number of rows of each security, in all its packs together. */
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

/** Reads the sheet at `path`, or returns a sentence that says why there is none. */
export async function readSheet(path: string): Promise<QualitySheet | { problem: string }> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error) {
    return { problem: text.code === "ENOENT" ? "there is no such file" : `it cannot be read (${text.code})` };
  }
  return parseSheet(text);
}

/** Returns the ten days nearest to `tradedate`, excluding it, whose sheets are in `folder`. */
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
  // An unreadable sheet of another day is ignored: it is no reason to refuse this day.
  return texts.flatMap((text) => parseOtherDay(text) ?? []);
}
