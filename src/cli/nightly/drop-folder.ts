/**
 * A drop folder: where deliveries arrive, each under a name with its day. Folders, archives and tables named
 * after a day hold its orders; `<day>_aucde.parquet` is its auction pack; what lies in a folder `level2` or
 * `auction_tick` is for shares as it is. Folders without a day in their name (a year, a month) are looked
 * into. Links are never followed.
 */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { auctionPackName, type FileSummary } from "../../admin/wire.ts";
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import { holdsNoRecords, isUnderWay } from "../../pack-builder/delivery/file-names.ts";
import { CommandFailure } from "../exit.ts";

/** Folders of years, of months, of days: deeper nothing is looked for. */
const DEPTH = 3;

type DataType = FileSummary["dataType"];

/** A file for shares, under the name it will have there. */
export interface DailyFile {
  dataType: DataType;
  name: string;
  path: string;
}

/** What the names of a drop folder promise of one day. */
export interface NamedDelivery {
  tradedate: BeijingDate;
  /** Folders, archives and tables of orders: full paths, ascending. */
  orders: string[];
  files: DailyFile[];
  /** Paths that say of themselves that they are not whole yet. */
  underWay: string[];
  /** Links in the place of orders: they are not followed. */
  links: string[];
}

/** A day's delivery as it lies there now. */
export interface Delivery extends NamedDelivery {
  sizeBytes: number;
  /** Every file in it. */
  contents: string[];
  /** The same as long as no name, size or time of modification changes. */
  fingerprint: string;
  /** The same as long as nothing of it changes, content included: with the times of change, which no program sets. */
  mark: string;
  /** Unix milliseconds of the newest change of any of it. */
  changedMs: number;
}

/** Ends the command when `folder` is no folder: a wrong path would look like an evening without a delivery. */
export async function refuseAbsent(folder: string): Promise<void> {
  const status = await stat(folder).catch(() => null);
  if (status === null) throw new CommandFailure(`There is no drop folder ${folder}.`);
  if (!status.isDirectory()) throw new CommandFailure(`The drop folder ${folder} is no folder.`);
}

/** What lies in `folder`, by day. Throws the system's error when the folder cannot be read. */
export async function namedDeliveries(folder: string): Promise<Map<BeijingDate, NamedDelivery>> {
  const found = new Map<BeijingDate, NamedDelivery>();
  const of = (tradedate: BeijingDate) => {
    const known = found.get(tradedate) ?? emptyDay(tradedate);
    found.set(tradedate, known);
    return known;
  };
  await list(folder, null, DEPTH, of);
  for (const { orders, files, underWay, links } of found.values()) {
    orders.sort();
    underWay.sort();
    links.sort();
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
  return found;
}

function emptyDay(tradedate: BeijingDate): NamedDelivery {
  return { tradedate, orders: [], files: [], underWay: [], links: [] };
}

async function list(
  folder: string,
  forShares: DataType | null,
  depth: number,
  of: (tradedate: BeijingDate) => NamedDelivery,
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    const path = join(folder, name);
    const isFolder = entry.isDirectory();
    const tradedate = dayOfName(name);
    if (tradedate === null) {
      if (isFolder && depth > 1 && !name.startsWith(".")) {
        await list(path, dataTypeOf(name) ?? forShares, depth - 1, of);
      }
    } else if (isUnderWay(name)) of(tradedate).underWay.push(path);
    else if (!isFolder && name === auctionPackName(tradedate)) {
      of(tradedate).files.push({ dataType: "auction_tick", name, path });
    } else if (forShares !== null) {
      if (!isFolder) of(tradedate).files.push({ dataType: forShares, name, path });
    } else if (entry.isSymbolicLink()) of(tradedate).links.push(path);
    else if (isFolder || !holdsNoRecords(name)) of(tradedate).orders.push(path);
  }
}

function dataTypeOf(name: string): DataType | null {
  return name === "level2" || name === "auction_tick" ? name : null;
}

/** The delivery of `tradedate` in `folder` as it is now; empty when there is nothing. */
export async function readDelivery(folder: string, tradedate: BeijingDate): Promise<Delivery> {
  const named = (await namedDeliveries(folder)).get(tradedate);
  return measured(folder, named ?? emptyDay(tradedate));
}

/** `named` with sizes and times; what disappears while it is looked at is left out. */
export async function measured(folder: string, named: NamedDelivery): Promise<Delivery> {
  const tops = [...named.orders, ...named.files.map(({ path }) => path), ...named.underWay, ...named.links];
  const seen: [string, number, number][] = [];
  const changes: number[] = [];
  const contents: string[] = [];
  const underWay = new Set(named.underWay);
  let [sizeBytes, changedMs] = [0, 0];
  for (const top of tops) {
    for (const { path, stats } of await tree(top)) {
      changedMs = Math.max(changedMs, stats.ctimeMs);
      if (stats.isDirectory()) continue;
      sizeBytes += stats.size;
      seen.push([relative(folder, path), stats.size, stats.mtimeMs]);
      changes.push(stats.ctimeMs);
      if (isUnderWay(basename(path))) underWay.add(path);
      if (stats.isFile()) contents.push(path);
    }
  }
  const fingerprint = digestOf(seen.toSorted());
  const mark = digestOf([fingerprint, ...changes.toSorted((a, b) => a - b)]);
  return { ...named, underWay: [...underWay].sort(), contents, sizeBytes, fingerprint, mark, changedMs };
}

function digestOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/** `top` and everything below it; a link is what it is. */
async function tree(top: string): Promise<{ path: string; stats: Stats }[]> {
  const found: { path: string; stats: Stats }[] = [];
  const waiting = [top];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stats = await lstat(path).catch(() => null);
    if (stats === null) continue;
    found.push({ path, stats });
    if (!stats.isDirectory()) continue;
    for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name));
  }
  return found;
}

/** Whether there is nothing at all of the day. */
export function isEmpty({ orders, files, underWay, links }: NamedDelivery): boolean {
  return orders.length === 0 && files.length === 0 && underWay.length === 0 && links.length === 0;
}

/** The one day that `name` contains as YYYYMMDD or YYYY-MM-DD; null when there is none or several. */
export function dayOfName(name: string): BeijingDate | null {
  const digits = name.match(/(?<!\d)(\d{8}|\d{4}-\d{2}-\d{2})(?!\d)/g) ?? [];
  const days = new Set(digits.flatMap((text) => parseBeijingDate(text.replaceAll("-", "")) ?? []));
  const [day, ...others] = days;
  return day === undefined || others.length > 0 ? null : day;
}
