/**
 * A drop folder: where deliveries arrive, each under a name with its day. Folders, archives and tables named
 * after a day hold its orders; `<day>_aucde.parquet` is its auction pack; what lies in a folder `level2` or
 * `auction_tick` is for shares as it is. Folders without a day in their name (a year, a month) are looked
 * into.
 */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { auctionPackName, type FileSummary } from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { dayOfName, isOrderName, isUnderWay } from "./delivery-names.ts";

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
}

/** A day's delivery as it lies there now. */
export interface Delivery extends NamedDelivery {
  sizeBytes: number;
  /** The same as long as no name, size or time of modification changes. */
  fingerprint: string;
  /** Unix milliseconds of the newest change of any of it; nobody can set this time back. */
  changedMs: number;
}

/** What lies in `folder`, by day. Throws the system's error when the folder cannot be read. */
export async function namedDeliveries(folder: string): Promise<Map<BeijingDate, NamedDelivery>> {
  const found = new Map<BeijingDate, NamedDelivery>();
  const of = (tradedate: BeijingDate) => {
    const known = found.get(tradedate) ?? { tradedate, orders: [], files: [], underWay: [] };
    found.set(tradedate, known);
    return known;
  };
  await list(folder, null, DEPTH, of);
  for (const { orders, files, underWay } of found.values()) {
    orders.sort();
    underWay.sort();
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
  return found;
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
    const isLink = entry.isSymbolicLink();
    const isFolder = entry.isDirectory() || (isLink && ((await statOrNull(path))?.isDirectory() ?? false));
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
    } else if (isFolder || isOrderName(name)) of(tradedate).orders.push(path);
  }
}

function dataTypeOf(name: string): DataType | null {
  return name === "level2" || name === "auction_tick" ? name : null;
}

/** The delivery of `tradedate` in `folder` as it is now; empty when there is nothing. */
export async function readDelivery(folder: string, tradedate: BeijingDate): Promise<Delivery> {
  const named = (await namedDeliveries(folder)).get(tradedate);
  return measured(folder, named ?? { tradedate, orders: [], files: [], underWay: [] });
}

/** `named` with sizes and times; what disappears while it is looked at is left out. */
export async function measured(folder: string, named: NamedDelivery): Promise<Delivery> {
  const tops = [...named.orders, ...named.files.map(({ path }) => path), ...named.underWay];
  const seen: [string, number, number][] = [];
  const underWay = new Set(named.underWay);
  let [sizeBytes, changedMs] = [0, 0];
  for (const top of tops) {
    for (const { path, stats } of await tree(top)) {
      changedMs = Math.max(changedMs, stats.ctimeMs);
      if (stats.isDirectory()) continue;
      sizeBytes += stats.size;
      seen.push([relative(folder, path), stats.size, stats.mtimeMs]);
      if (isUnderWay(path.slice(path.lastIndexOf("/") + 1))) underWay.add(path);
    }
  }
  const fingerprint = createHash("sha256").update(JSON.stringify(seen.toSorted())).digest("hex");
  return { ...named, underWay: [...underWay].sort(), sizeBytes, fingerprint, changedMs };
}

/** `top` and everything below it. */
async function tree(top: string): Promise<{ path: string; stats: Stats }[]> {
  const paths = [top];
  const first = await statOrNull(top);
  if (first?.isDirectory()) {
    const below = await readdir(top, { recursive: true }).catch(() => []);
    paths.push(...below.map((name) => join(top, name)));
  }
  const found: { path: string; stats: Stats }[] = [];
  for (const path of paths) {
    const stats = await statOrNull(path);
    if (stats !== null) found.push({ path: path.replaceAll("\\", "/"), stats });
  }
  return found;
}

async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** Whether there is nothing at all of the day. */
export function isEmpty({ orders, files, underWay }: NamedDelivery): boolean {
  return orders.length === 0 && files.length === 0 && underWay.length === 0;
}
