/** Runs the quality check on some securities of a day: reads the day's packs back, one security at a time. */
import type { Dataset, RowsOf } from "../datasets/dataset.ts";
import { orders } from "../datasets/orders.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import { trades } from "../datasets/trades.ts";
import type { Security } from "../orders/record.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { SectionEntry } from "../packs/layout.ts";
import { checkSecurity } from "../quality/check-security.ts";
import { type SecurityDay, UNREAD_COLUMNS } from "../quality/security-rows.ts";
import type { Contents, OtherDay, SecurityReport } from "../quality/sheet.ts";
import { contentsHash } from "./fingerprint.ts";
import { differenceIn, openPackFile, type PackFile } from "./pack-file.ts";
import { readQuotedDay } from "./quoted-day.ts";
import { sectionRows } from "./verify/section-rows.ts";

/** The day's packs by dataset; `null` for a dataset that the day does not have. */
export type OpenPacks = Record<DatasetName, PackFile | null>;

/** Some securities of a day's packs. */
export interface CheckedSlice {
  /** Paths of the packs; `null` for a dataset that the day does not have. */
  paths: Record<DatasetName, string | null>;
  /** Codes with suffix. */
  codes: readonly string[];
  others: readonly OtherDay[];
}

/**
 * Runs every check on the securities of a slice, one at a time. Throws `PackFormatError` for a pack that cannot be
 * decoded.
 */
export async function checkSlice({ paths, ...slice }: CheckedSlice): Promise<SecurityReport[]> {
  const packs = await openPacks(paths);
  try {
    return await checkOpen(packs, slice);
  } finally {
    await closePacks(packs);
  }
}

/** Runs every check on the securities `codes` of open packs. */
export async function checkOpen(
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
    // If this read fails, the next `await` throws the error. If the check of the current security fails first, nothing
    // awaits this read: without the empty handler, an error of the read would end the process.
    next?.catch(() => {});
    reports.push(reportOf(securityOf(code), { sections, read, others }));
  }
  return reports;
}

type AllSections = Record<DatasetName, Sections>;

type ReadSecurity = Awaited<ReturnType<typeof readSecurity>>;

async function readSecurity(code: string, sections: AllSections) {
  const [orders, trades, quoted] = await Promise.all([
    sections.orders.read(code, bytesOf),
    sections.trades.read(code, bytesOf),
    sections.quotes.read(code, readQuotedDay),
  ]);
  return { orders, trades, quoted };
}

type Section = [SectionEntry, Uint8Array];

async function bytesOf(pack: PackFile, entry: SectionEntry): Promise<Section> {
  return [entry, await pack.read(entry.offset, entry.length)];
}

function rowsOf<D extends Dataset>(section: Section | null, dataset: D): RowsOf<D> | null {
  return section === null ? null : sectionRows(...section, dataset, { unread: UNREAD_COLUMNS });
}

function reportOf(
  { symbol, market }: Security,
  { sections, read, others }: { sections: AllSections; read: ReadSecurity; others: readonly OtherDay[] },
): SecurityReport {
  const code = codeOf({ symbol, market });
  const { quoted } = read;
  const ofOrders = rowsOf(read.orders, orders);
  const ofTrades = rowsOf(read.trades, trades);
  const contents: Contents = {
    orders: ofOrders === null ? 0 : contentsHash.orders(ofOrders),
    trades: ofTrades === null ? 0 : contentsHash.trades(ofTrades),
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

  /** Returns the number of rows of a security; `null` without a pack. */
  rows(code: string): number | null {
    return this.pack === null ? null : (this.entries.get(code)?.rows ?? 0);
  }

  /**
   * Returns what `use` reads from a security's section; `null` without a pack. If the pack does not have the security,
   * the section has no rows. When a pack has no rows of an exchange, that is a fault of the day, not of each security.
   * The securities of the exchange are therefore checked as if there were no such pack.
   */
  async read<T>(code: string, use: (pack: PackFile, entry: SectionEntry) => Promise<T>): Promise<T | null> {
    if (this.pack === null || !this.markets.has(securityOf(code).market)) return null;
    return use(this.pack, this.entries.get(code) ?? withoutRows(code));
  }
}

/** Returns the code of a security with its suffix. */
export function codeOf({ symbol, market }: Security): string {
  return `${symbol}.${market}`;
}

function securityOf(code: string): Security {
  return { symbol: code.slice(0, 6), market: code.endsWith(".SH") ? "SH" : "SZ" };
}

function withoutRows(code: string): SectionEntry {
  const nowhere = { offset: 0, length: 0, footerLength: 0, rows: 0, lastTime: 0, crc: 0, blocks: [] };
  return { ...securityOf(code), ...nowhere };
}

/** Opens the packs at `paths`. Throws `PackFormatError` for a file that is not a pack. */
function openPacks(paths: CheckedSlice["paths"]): Promise<OpenPacks> {
  return openEach(async (dataset) => {
    const path = paths[dataset];
    return path === null ? null : packAt(path, await openPackFile(path, [dataset]));
  });
}

/** Opens every dataset's pack. When one cannot be opened, closes the others and throws the error. */
export async function openEach(open: (dataset: DatasetName) => Promise<PackFile | null>): Promise<OpenPacks> {
  const packs: OpenPacks = perDataset("name", () => null);
  try {
    for (const dataset of DATASET_NAMES) packs[dataset] = await open(dataset);
    return packs;
  } catch (error) {
    await closePacks(packs);
    throw error;
  }
}

/** Returns the opened pack at `path`; throws `PackFormatError` when it could not be opened. */
export function packAt(path: string, opened: Awaited<ReturnType<typeof openPackFile>>): PackFile {
  if (opened.ok) return opened.value;
  throw new PackFormatError(`${path}: ${differenceIn(opened.refusal)}`);
}

export async function closePacks(packs: OpenPacks): Promise<void> {
  for (const pack of Object.values(packs)) await pack?.close();
}
