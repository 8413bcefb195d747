/**
 * Waits for a day's delivery: nothing, then something that grows, then something that is whole and at rest. Says why one
 * at rest is not complete: half an evening looks just like a whole one.
 */
import { existsSync } from "node:fs";
import { constants, lstat, open, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { FileSummary } from "../../admin/wire.ts";
import type { Bilingual } from "../../base/language.ts";
import {
  archiveFormat,
  compressionOf,
  holdsNoRecords,
  isUnreadFormat,
  volumeOf,
} from "../../pack-builder/delivery/file-names.ts";
import { openZip } from "../../pack-builder/delivery/zip.ts";
import type { Clock } from "../clock.ts";
import { type Delivery, isEmpty } from "./drop-folder.ts";

/** Instants are Unix milliseconds. */
export interface Patience {
  /** How long nothing may change before the delivery counts as at rest. */
  stableMs: number;
  /** Between two looks. */
  pollMs: number;
  /** When somebody should be told that it is late. */
  byMs: number;
  /** When to give up what is at rest and not complete. */
  untilMs: number;
}

/** `problem` is why it is not complete, as sentences without their end. */
export type Arrival =
  | { state: "complete"; delivery: Delivery }
  | { state: "half"; delivery: Delivery; problem: Bilingual }
  | { state: "nothing" };

export interface Waiting {
  look(): Promise<Delivery>;
  /** Why a delivery at rest is not complete, or null. */
  problemOf(delivery: Delivery): Promise<Bilingual | null>;
  /** Hears why it is not complete, whenever that changes. */
  onWaiting(problem: Bilingual): void;
  /** Hears once, at `byMs`, that it is not complete. */
  onLate(arrival: Arrival): Promise<void>;
}

/**
 * Waits until the delivery is complete and at rest, or until `untilMs` has passed and nothing more happens: what
 * still grows then is waited for.
 */
export async function waitForDelivery(
  { look, problemOf, onWaiting, onLate }: Waiting,
  { stableMs, pollMs, byMs, untilMs }: Patience,
  clock: Clock,
): Promise<Arrival> {
  let mark: string | null = null;
  let changedMs = 0;
  let said: string | null = null;
  let isTold = false;
  for (;;) {
    const delivery = await look();
    const nowMs = clock.nowMs();
    if (mark !== delivery.mark) {
      // What was at rest before the first look need not rest again; later changes count from when they are seen.
      changedMs = mark === null ? Math.min(delivery.changedMs, nowMs) : nowMs;
      mark = delivery.mark;
    }
    const atRest = nowMs - changedMs >= stableMs;
    const arrival = await judged(delivery, atRest, problemOf);
    if (arrival.state === "complete") return arrival;
    if (arrival.state === "half" && arrival.problem.en !== said) {
      said = arrival.problem.en;
      onWaiting(arrival.problem);
    }
    if (nowMs >= untilMs && (arrival.state === "nothing" || atRest)) return arrival;
    if (nowMs >= byMs && !isTold) {
      isTold = true;
      await onLate(arrival);
    }
    await clock.wait(pollMs);
  }
}

async function judged(
  delivery: Delivery,
  atRest: boolean,
  problemOf: Waiting["problemOf"],
): Promise<Arrival> {
  if (isEmpty(delivery)) return { state: "nothing" };
  const problem = atRest ? await problemOf(delivery) : { zh: "还在传输中", en: "it is still arriving" };
  return problem === null ? { state: "complete", delivery } : { state: "half", delivery, problem };
}

/** What must be there beside the orders themselves. */
export interface Expected {
  /** A file that the sender writes last; `{date}` in it stands for the day. Null: there is none. */
  marker: string | null;
  /** Kinds of files for shares. */
  types: FileSummary["dataType"][];
}

const SEVEN_ZIP = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]);
const SEVEN_ZIP_HEADER_BYTES = 32;

/** So many bytes at the end of a file tell whether they were written. */
const TAIL_BYTES = 16;

/** Returns why `delivery` in `folder` is not complete, as sentences without their end, or null. */
export async function deliveryProblem(
  folder: string,
  delivery: Delivery,
  { marker, types }: Expected,
): Promise<Bilingual | null> {
  const { tradedate, orders, files, underWay, links, contents } = delivery;
  const [first] = underWay;
  if (first !== undefined) {
    const name = basename(first);
    return { zh: `${name} 从名字看还在写入`, en: `${name} is still being written, by its name` };
  }
  const [link] = links;
  if (orders.length === 0 && link !== undefined) {
    const name = basename(link);
    return {
      zh: `${name} 是符号链接，不会读取链接指向的内容`,
      en: `${name} is a link, and links are not followed; put there what it leads to`,
    };
  }
  if (orders.length === 0) {
    return { zh: "只有共享用的文件，没有逐笔委托", en: "there are files for shares and no orders" };
  }
  const markerName = marker?.replaceAll("{date}", tradedate) ?? null;
  if (markerName !== null && !existsSync(join(folder, markerName))) {
    return { zh: `${markerName} 还没有到`, en: `${markerName} has not come` };
  }
  const lacking = types.find((type) => !files.some(({ dataType }) => dataType === type));
  if (lacking !== undefined) {
    return { zh: `没有收到 ${lacking} 文件`, en: `no ${lacking} file has come` };
  }
  const tops = new Set([...orders, ...files.map(({ path }) => path)]);
  const nameOf = (path: string) => (tops.has(path) ? basename(path) : relative(folder, path));
  return missingVolume(contents) ?? (await firstUnwritten(contents, nameOf));
}

/** The first volume of a split archive that is not there. Which one is the last, its first volume says. */
function missingVolume(paths: readonly string[]): Bilingual | null {
  const there = new Set(paths);
  for (const path of paths) {
    const { archive, number } = volumeOf(path) ?? { archive: "", number: 1 };
    const before = `${archive}.${String(number - 1).padStart(3, "0")}`;
    if (number === 1 || there.has(before)) continue;
    const name = basename(before);
    return { zh: `分卷 ${name} 还没有到`, en: `${name}, a part of a split archive, has not come` };
  }
  return null;
}

async function firstUnwritten(
  paths: readonly string[],
  nameOf: (path: string) => string,
): Promise<Bilingual | null> {
  for (const path of paths) {
    const name = nameOf(path);
    const format = await cutFormat(path);
    if (format !== null) {
      return { zh: `${name} 不是完整的 ${format} 文件`, en: `${name} is not a whole ${format} file` };
    }
    if (await endsUnwritten(path)) {
      return {
        zh: `${name} 以空字节（NUL）结尾，可能还在写入`,
        en: `${name} ends in NUL bytes: it is still being written`,
      };
    }
  }
  return null;
}

/** Returns the format of a file that is cut short, as far as its format tells, else null; tables of text do not tell. */
export async function cutFormat(path: string): Promise<string | null> {
  if (/\.zip$/i.test(path)) return (await isWholeZip(path)) ? null : "ZIP";
  if (/\.7z$/i.test(path) || volumeOf(path)?.number === 1) return (await isWholeSevenZip(path)) ? null : "7z";
  if (/\.parquet$/i.test(path)) return (await isWholeParquet(path)) ? null : "Parquet";
  return null;
}

/**
 * Returns whether a file ends in bytes that its writer has not written yet: programs that reserve a file's size
 * first leave NUL bytes. Formats that say themselves whether they are whole, and tar, which ends so, are not asked.
 */
async function endsUnwritten(path: string): Promise<boolean> {
  const name = basename(path);
  const isCompressed = compressionOf(name) !== null;
  const tellsItself = (!isCompressed && archiveFormat(name) !== null) || /\.parquet$/i.test(name);
  if (tellsItself || isUnreadFormat(name) || holdsNoRecords(name)) return false;
  // A text ends so with one such byte; of compressed data a few may be its length.
  const { bytes } = await piece(path, isCompressed ? -TAIL_BYTES : -1, TAIL_BYTES);
  return bytes.length > 0 && bytes.every((byte) => byte === 0);
}

async function isWholeZip(path: string): Promise<boolean> {
  try {
    await (await openZip(path, basename(path))).close();
    return true;
  } catch {
    return false;
  }
}

/** The header at the start names the end of the archive; while it is written it holds zeros. */
async function isWholeSevenZip(path: string): Promise<boolean> {
  const { bytes, sizeBytes } = await piece(path, 0, SEVEN_ZIP_HEADER_BYTES);
  if (bytes.length < SEVEN_ZIP_HEADER_BYTES || !bytes.subarray(0, 6).equals(SEVEN_ZIP)) return false;
  const end = BigInt(SEVEN_ZIP_HEADER_BYTES) + bytes.readBigUInt64LE(12) + bytes.readBigUInt64LE(20);
  const wholeBytes = volumeOf(path) === null ? sizeBytes : await splitBytes(path);
  return end > BigInt(SEVEN_ZIP_HEADER_BYTES) && end <= BigInt(wholeBytes);
}

/** Bytes of all volumes of the split archive whose first one is at `path`. */
async function splitBytes(path: string): Promise<number> {
  const archive = volumeOf(path)?.archive;
  const names = (await readdir(dirname(path))).map((name) => join(dirname(path), name));
  const volumes = names.filter((name) => volumeOf(name)?.archive === archive);
  const sizes = await Promise.all(volumes.map(async (volume) => (await lstat(volume)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function isWholeParquet(path: string): Promise<boolean> {
  const { bytes } = await piece(path, -4, 4);
  return bytes.toString("latin1") === "PAR1";
}

/** `length` bytes from `offset`, from the end where it is negative; fewer where the file is shorter. */
async function piece(
  path: string,
  offset: number,
  length: number,
): Promise<{ bytes: Buffer; sizeBytes: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    const at = Math.max(0, offset < 0 ? size + offset : offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    return { bytes: buffer.subarray(0, bytesRead), sizeBytes: size };
  } finally {
    await file.close();
  }
}
