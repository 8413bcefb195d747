/**
 * Reads a drop folder, where deliveries arrive. Folders, archives and tables with a day in their name are that day's
 * delivery, and `<day>_aucde.parquet` is its auction pack. Files in a folder `level2` or `auction_tick` are for shares.
 * Folders without a day in their name (a year, a month) are searched. Links are never followed.
 */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import * as wire from "../../admin/wire.ts";
import { auctionPackName } from "../../auction/columns.ts";
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import { holdsNoRecords, isUnderWay } from "../../pack-builder/delivery/file-names.ts";
import { CommandFailure } from "../exit.ts";

/** The number of folder levels that are searched: years, months and days. */
const DEPTH = 3;

type DataType = wire.FileSummary["dataType"];

/** A file of a delivery that customers download through shares. `name` is its file name in a share. */
export interface DailyFile {
  dataType: DataType;
  name: string;
  path: string;
}

/** The paths that belong to one day's delivery according to their names. */
export interface NamedDelivery {
  tradedate: BeijingDate;
  /** Paths of folders, archives and tables, ascending. They can contain rows of any dataset. */
  orders: string[];
  files: DailyFile[];
  /** Paths named like incomplete transfers. */
  underWay: string[];
  /** Links, which are not followed. */
  links: string[];
}

/** The current state of a day's delivery. */
export interface Delivery extends NamedDelivery {
  sizeBytes: number;
  /** The path of every file in the delivery. */
  contents: string[];
  /** A digest that changes with any name, size or modification time. */
  fingerprint: string;
  /** A digest that also changes with the inode change times, which programs cannot set. */
  mark: string;
  /** Unix milliseconds of the newest change. */
  changedMs: number;
}

/** Throws `CommandFailure` unless `folder` is a folder, because a wrong path would look like a missing delivery. */
export async function refuseAbsent(folder: string): Promise<void> {
  const status = await stat(folder).catch(() => null);
  if (status === null) throw new CommandFailure(`There is no drop folder ${folder}.`);
  if (!status.isDirectory()) throw new CommandFailure(`The drop folder ${folder} is not a folder.`);
}

/** Returns the deliveries in `folder` by day. Throws the system's error when the folder cannot be read. */
export async function namedDeliveries(folder: string): Promise<Map<BeijingDate, NamedDelivery>> {
  const found = new Map<BeijingDate, NamedDelivery>();
  const of = (tradedate: BeijingDate) => {
    const known = found.get(tradedate) ?? emptyDay(tradedate);
    found.set(tradedate, known);
    return known;
  };
  await list(folder, null, DEPTH, of);
  for (const { orders, files, underWay, links } of found.values()) {
    for (const paths of [orders, underWay, links]) paths.sort();
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
        const dataType = wire.dataTypeSchema.options.find((type) => type === name);
        await list(path, dataType ?? forShares, depth - 1, of);
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

/** Returns the current delivery of `tradedate` in `folder`; empty when there is none. */
export async function readDelivery(folder: string, tradedate: BeijingDate): Promise<Delivery> {
  const named = (await namedDeliveries(folder)).get(tradedate);
  return measured(folder, named ?? emptyDay(tradedate));
}

/** Returns `named` with the sizes and times of its files. Files that disappear during the call are ignored. */
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

/** Returns `top` and everything below it, without following links. */
async function tree(top: string) {
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

/** Returns whether the delivery is empty. */
export function isEmpty({ orders, files, underWay, links }: NamedDelivery): boolean {
  return orders.length === 0 && files.length === 0 && underWay.length === 0 && links.length === 0;
}

/** Returns the day that `name` contains as YYYYMMDD or YYYY-MM-DD; null if it contains none or several. */
export function dayOfName(name: string): BeijingDate | null {
  const digits = name.match(/(?<!\d)(\d{8}|\d{4}-\d{2}-\d{2})(?!\d)/g) ?? [];
  const days = new Set(digits.flatMap((text) => parseBeijingDate(text.replaceAll("-", "")) ?? []));
  const [day, ...others] = days;
  return day === undefined || others.length > 0 ? null : day;
}
