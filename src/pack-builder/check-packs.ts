/**
 * The quality check of a day: reads its packs back, one security at a time, and writes the quality sheet beside them,
 * as JSON and as a page. Memory holds the rows of one security and the verdicts of all securities.
 */
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker as Thread } from "node:worker_threads";
import type { BeijingDate } from "../calendar/beijing.ts";
import { orders } from "../datasets/orders.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import { trades } from "../datasets/trades.ts";
import type { Security } from "../orders/record.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { SectionEntry } from "../packs/layout.ts";
import { BUILDER_VERSION } from "../packs/origin.ts";
import type { OtherDay } from "../quality/check-day.ts";
import { type Contents, checkSecurity, type SecurityReport } from "../quality/check-security.ts";
import { type SecurityDay, UNREAD_COLUMNS } from "../quality/security-rows.ts";
import { parseOtherDay, parseSheet, type QualitySheet, qualitySheet } from "../quality/sheet.ts";
import { sheetPage } from "../quality/sheet-page.ts";
import type { Shortfall } from "../quality/shortfall.ts";
import { orderContents, tradeContents } from "./contents.ts";
import { differenceIn, openPackFile, type PackFile, packName } from "./pack-file.ts";
import { type QuotedDay, readQuotedDay, UNQUOTED } from "./quoted-day.ts";
import { sectionRows } from "./verify/section-rows.ts";

/** Number of days with which a day is compared. */
const MOST_OTHER_DAYS = 10;

/** A thread takes about a second to start; in this time another thread checks more than a million rows. */
const ROWS_OF_THREAD = 5_000_000;

/** `null` for a dataset that the day does not have. */
type OpenPacks = Record<DatasetName, PackFile | null>;

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

/** Some securities of a day's packs. */
export interface CheckedSlice {
  /** Paths of the packs; `null` for a dataset that the day does not have. */
  paths: Record<DatasetName, string | null>;
  /** Codes with suffix. */
  codes: readonly string[];
  others: readonly OtherDay[];
}

/** Runs every check on the securities of a slice, one at a time. Throws `PackFormatError` for a pack that does not decode. */
export async function checkSlice({ paths, ...slice }: CheckedSlice): Promise<SecurityReport[]> {
  const packs = await openPacks(paths);
  try {
    return await checkOpen(packs, slice);
  } finally {
    await closePacks(packs);
  }
}

async function checkOpen(
  packs: OpenPacks,
  { codes, others }: Omit<CheckedSlice, "paths">,
): Promise<SecurityReport[]> {
  const sections = perDataset("name", (dataset) => new Sections(packs[dataset]));
  const reports: SecurityReport[] = [];
  let next = codes[0] === undefined ? null : readSecurity(codes[0], sections);
  for (const [place, code] of codes.entries()) {
    const read = await next;
    if (read === null) break;
    const following = codes[place + 1];
    // The next security is read from disk while this one is checked.
    next = following === undefined ? null : readSecurity(following, sections);
    // An error of this read is thrown where it is awaited, or not at all when this security has an error.
    next?.catch(() => {});
    reports.push(reportOf(securityOf(code), { sections, read, others }));
  }
  return reports;
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

type AllSections = Record<DatasetName, Sections>;

/** The data of a security: bytes of sections, and the day's totals in its quotes; `null` without a pack. */
interface ReadSecurity {
  orders: [SectionEntry, Uint8Array] | null;
  trades: [SectionEntry, Uint8Array] | null;
  quoted: QuotedDay | null;
}

async function readSecurity(code: string, sections: AllSections): Promise<ReadSecurity> {
  const [orders, trades, quoted] = await Promise.all([
    sections.orders.read(code),
    sections.trades.read(code),
    sections.quotes.quotedDay(code),
  ]);
  return { orders, trades, quoted };
}

function reportOf(
  { symbol, market }: Security,
  { sections, read, others }: { sections: AllSections; read: ReadSecurity; others: readonly OtherDay[] },
): SecurityReport {
  const code = codeOf({ symbol, market });
  const { quoted } = read;
  // An exchange that is missing in a pack is a fault of the day, not of each of its securities.
  const ofOrders =
    read.orders === null || !sections.orders.has(market)
      ? null
      : sectionRows(...read.orders, orders, { unread: UNREAD_COLUMNS });
  const ofTrades =
    read.trades === null || !sections.trades.has(market)
      ? null
      : sectionRows(...read.trades, trades, { unread: UNREAD_COLUMNS });
  const contents: Contents = {
    orders: ofOrders === null ? 0 : orderContents(ofOrders),
    trades: ofTrades === null ? 0 : tradeContents(ofTrades),
    quotes: quoted?.contents ?? 0,
  };
  const before = others.flatMap(({ tradedate, contents: of }) => {
    const own = of.get(code);
    return own === undefined ? [] : [{ tradedate, contents: own }];
  });
  const day: SecurityDay = {
    symbol,
    market,
    orders: ofOrders,
    trades: ofTrades,
    lastSnapshot: quoted?.lastSnapshot ?? null,
    quoteSpan: quoted?.span ?? undefined,
    auction: quoted?.auction,
  };
  return {
    symbol,
    market,
    rows: perDataset("name", (dataset) => sections[dataset].rows(code)),
    contents,
    ...checkSecurity(day, contents, before),
  };
}

/** The sections of one pack by code. */
class Sections {
  private readonly pack: PackFile | null;
  private readonly entries: ReadonlyMap<string, SectionEntry>;
  private readonly markets: ReadonlySet<string>;

  constructor(pack: PackFile | null) {
    const entries = pack?.index.entries ?? [];
    this.pack = pack;
    this.entries = new Map(entries.map((entry) => [codeOf(entry), entry]));
    this.markets = new Set(entries.filter(({ rows }) => rows > 0).map(({ market }) => market));
  }

  /** Returns whether the pack has a row of the exchange. */
  has(market: string): boolean {
    return this.markets.has(market);
  }

  /** Returns the number of rows of a security; `null` without a pack. */
  rows(code: string): number | null {
    return this.pack === null ? null : (this.entries.get(code)?.rows ?? 0);
  }

  /** Returns the data of a quote pack about a security; `null` without a pack, or without a row of the exchange. */
  async quotedDay(code: string): Promise<QuotedDay | null> {
    if (this.pack === null || !this.has(securityOf(code).market)) return null;
    const entry = this.entries.get(code);
    return entry === undefined ? UNQUOTED : readQuotedDay(this.pack, entry);
  }

  /** Returns the entry and bytes of a security (an entry without rows if the pack lacks it); `null` without a pack. */
  async read(code: string): Promise<[SectionEntry, Uint8Array] | null> {
    if (this.pack === null) return null;
    const entry = this.entries.get(code) ?? withoutRows(code);
    return [entry, entry.rows === 0 ? new Uint8Array() : await this.pack.read(entry.offset, entry.length)];
  }
}

function codeOf({ symbol, market }: Security): string {
  return `${symbol}.${market}`;
}

function securityOf(code: string): Security {
  return { symbol: code.slice(0, 6), market: code.endsWith(".SH") ? "SH" : "SZ" };
}

function withoutRows(code: string): SectionEntry {
  const nowhere = { offset: 0, length: 0, footerLength: 0, rows: 0, lastTime: 0, crc: 0, blocks: [] };
  return { ...securityOf(code), ...nowhere };
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

/** Opens the packs at `paths`. Throws `PackFormatError` for a file that is no pack. */
function openPacks(paths: CheckedSlice["paths"]): Promise<OpenPacks> {
  return openEach(async (dataset) => {
    const path = paths[dataset];
    return path === null ? null : packAt(path, await openPackFile(path, [dataset]));
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

/** Opens every dataset's pack; closes those that are open when one fails. */
async function openEach(open: (dataset: DatasetName) => Promise<PackFile | null>): Promise<OpenPacks> {
  const packs: OpenPacks = perDataset("name", () => null);
  try {
    for (const dataset of DATASET_NAMES) packs[dataset] = await open(dataset);
    return packs;
  } catch (error) {
    await closePacks(packs);
    throw error;
  }
}

function packAt(path: string, opened: Awaited<ReturnType<typeof openPackFile>>): PackFile {
  if (opened.ok) return opened.value;
  throw new PackFormatError(`${path}: ${differenceIn(opened.refusal)}`);
}

async function closePacks(packs: OpenPacks): Promise<void> {
  for (const pack of Object.values(packs)) await pack?.close();
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
