/**
 * The quality check of a day: reads its packs back, one security at a time, and writes the quality sheet beside them.
 * Memory holds the rows of one security and the verdicts of all.
 */
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BeijingDate } from "../calendar/beijing.ts";
import { orders } from "../datasets/orders.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import { trades } from "../datasets/trades.ts";
import type { Security } from "../orders/record.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { SectionEntry } from "../packs/layout.ts";
import { BUILDER_VERSION } from "../packs/origin.ts";
import type { OtherDay } from "../quality/check-day.ts";
import { type Contents, checkSecurity, type SecurityReport } from "../quality/check-security.ts";
import type { LastSnapshot } from "../quality/security-rows.ts";
import { asOtherDay, parseSheet, type QualitySheet, qualitySheet } from "../quality/sheet.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { openPackFile, type PackFile, packName } from "./pack-file.ts";
import { sectionRows } from "./verify/section-rows.ts";

/** Days before it that a day is compared with. */
const MOST_OTHER_DAYS = 10;

interface CheckedPacks {
  tradedate: BeijingDate;
  /** The open packs of the day; `null` for a dataset that it does not have. */
  packs: Record<DatasetName, PackFile | null>;
  /** Other days to compare with. */
  others: readonly OtherDay[];
  /** The last snapshot before 15:05 of each security by code with suffix; absent: the day has no quotes. */
  snapshots?: ReadonlyMap<string, LastSnapshot> | undefined;
  /** Is given the share of the securities that are done, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
}

/** Runs every check on every security of the packs. Throws `PackFormatError` for a pack that does not decode. */
async function checkPacks({
  tradedate,
  packs,
  others,
  snapshots,
  onProgress = () => {},
}: CheckedPacks): Promise<QualitySheet> {
  const sections = { orders: new Sections(packs.orders), trades: new Sections(packs.trades) };
  const securities = [...sections.orders.securities(), ...sections.trades.securities()];
  const codes = new Map(securities.map((security) => [codeOf(security), security]));
  const reports: SecurityReport[] = [];
  for (const code of [...codes.keys()].sort()) {
    const security = codes.get(code);
    if (security === undefined) continue;
    reports.push(await reportOf(security, sections, { others, lastSnapshot: snapshots?.get(code) ?? null }));
    onProgress(reports.length / codes.size);
  }
  return qualitySheet({
    tradedate,
    builderVersion: BUILDER_VERSION,
    packs: { orders: packs.orders?.index.buildId ?? null, trades: packs.trades?.index.buildId ?? null },
    securities: reports,
    others,
  });
}

async function reportOf(
  { symbol, market }: Security,
  sections: Record<DatasetName, Sections>,
  { others, lastSnapshot }: { others: readonly OtherDay[]; lastSnapshot: LastSnapshot | null },
): Promise<SecurityReport> {
  const code = `${symbol}.${market}`;
  const read = { orders: await sections.orders.read(code), trades: await sections.trades.read(code) };
  // An exchange that a pack does not have at all is a fault of the day, not of each of its securities.
  const ofOrders =
    read.orders === null || !sections.orders.has(market) ? null : sectionRows(...read.orders, orders);
  const ofTrades =
    read.trades === null || !sections.trades.has(market) ? null : sectionRows(...read.trades, trades);
  const contents: Contents = {
    orders: ofOrders === null ? 0 : fingerprintOf(ofOrders, orders),
    trades: ofTrades === null ? 0 : fingerprintOf(ofTrades, trades),
  };
  const before = others.flatMap(({ tradedate, contents: of }) => {
    const own = of.get(code);
    return own === undefined ? [] : [{ tradedate, contents: own }];
  });
  const day = { symbol, market, orders: ofOrders, trades: ofTrades, lastSnapshot };
  return {
    symbol,
    market,
    rows: { orders: read.orders?.[0].rows ?? null, trades: read.trades?.[0].rows ?? null },
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

  securities(): Security[] {
    return [...this.entries.values()].map(({ symbol, market }) => ({ symbol, market }));
  }

  /** Whether the pack has a row of the exchange. */
  has(market: string): boolean {
    return this.markets.has(market);
  }

  /** The entry and the bytes of a security, an entry without rows where the pack has none; `null` without a pack. */
  async read(code: string): Promise<[SectionEntry, Uint8Array] | null> {
    if (this.pack === null) return null;
    const entry = this.entries.get(code) ?? withoutRows(code);
    return [entry, entry.rows === 0 ? new Uint8Array() : await this.pack.read(entry.offset, entry.length)];
  }
}

function codeOf({ symbol, market }: Security): string {
  return `${symbol}.${market}`;
}

function withoutRows(code: string): SectionEntry {
  const market = code.endsWith(".SH") ? "SH" : "SZ";
  const nowhere = { offset: 0, length: 0, footerLength: 0, rows: 0, lastTime: 0, crc: 0, blocks: [] };
  return { symbol: code.slice(0, 6), market, ...nowhere };
}

/** The file name of a day's quality sheet. */
export function sheetName(tradedate: BeijingDate): string {
  return `${tradedate}_quality.json`;
}

export interface CheckedFolder {
  sheet: QualitySheet;
  /** Where the sheet lies. */
  path: string;
}

/**
 * Checks the day's packs that lie in `folder` under their names, compares them with the days whose sheets lie there, and
 * writes the sheet beside them. Throws `PackFormatError` for a file that is no pack of the day.
 */
export async function checkFolder(
  folder: string,
  tradedate: BeijingDate,
  { snapshots, onProgress }: Pick<CheckedPacks, "snapshots" | "onProgress"> = {},
): Promise<CheckedFolder> {
  const packs: Record<DatasetName, PackFile | null> = { orders: null, trades: null };
  try {
    for (const dataset of DATASET_NAMES) packs[dataset] = await openIfThere(folder, dataset, tradedate);
    const others = await otherDays(folder, tradedate);
    const sheet = await checkPacks({ tradedate, packs, others, snapshots, onProgress });
    return { sheet, path: await writeSheet(sheet, folder) };
  } finally {
    for (const pack of Object.values(packs)) await pack?.close();
  }
}

/** The pack of `dataset` in `folder`, `null` when there is none. */
async function openIfThere(
  folder: string,
  dataset: DatasetName,
  tradedate: BeijingDate,
): Promise<PackFile | null> {
  const path = join(folder, packName(dataset, tradedate));
  const pack = await openPackFile(path, [dataset]);
  if ("reason" in pack) {
    if (pack.reason === "unreadable" && pack.code === "ENOENT") return null;
    throw new PackFormatError(`${path}: ${pack.reason === "unreadable" ? pack.code : pack.difference}`);
  }
  if (pack.index.tradedate === tradedate) return pack;
  await pack.close();
  throw new PackFormatError(`${path} is of ${pack.index.tradedate}`);
}

/** Writes the sheet into `folder` under its name, whole or not at all; returns its path. */
async function writeSheet(sheet: QualitySheet, folder: string): Promise<string> {
  const path = join(folder, sheetName(sheet.tradedate));
  const partial = `${path}.partial`;
  await writeFile(partial, `${JSON.stringify(sheet)}\n`);
  await rename(partial, path);
  return path;
}

/** Reads the sheet at `path`; a sentence says why there is none. */
export async function readSheet(path: string): Promise<QualitySheet | { problem: string }> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error) return { problem: `it cannot be read (${text.code})` };
  return parseSheet(text);
}

/** Returns the days whose sheets lie in `folder`, the ten nearest to `tradedate`, itself not counted. */
async function otherDays(folder: string, tradedate: BeijingDate): Promise<OtherDay[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{8}_quality\.json$/.test(name));
  const distance = (name: string) => Math.abs(Number(name.slice(0, 8)) - Number(tradedate));
  const nearest = names
    .filter((name) => name !== sheetName(tradedate))
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, MOST_OTHER_DAYS);
  const sheets = await Promise.all(nearest.map((name) => readSheet(join(folder, name))));
  // An unreadable sheet of another day says nothing about this one.
  return sheets.flatMap((sheet) => ("problem" in sheet ? [] : [asOtherDay(sheet)]));
}
