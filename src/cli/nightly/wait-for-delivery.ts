/**
 * Waits until a day's delivery is complete and no longer changes. Reports why a delivery that no longer changes is
 * incomplete.
 */
import { existsSync } from "node:fs";
import { constants, lstat, open, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import * as wire from "../../admin/wire.ts";
import type { Bilingual } from "../../base/language.ts";
import {
  archiveFormat,
  compressionOf,
  holdsNoRecords,
  isUnreadFormat,
  volumeOf,
} from "../../pack-builder/delivery/file-names.ts";
import { openZip } from "../../pack-builder/delivery/zip.ts";
import { SYSTEM_CLOCK } from "../clock.ts";
import * as option from "../option.ts";
import { type Delivery, isEmpty } from "./drop-folder.ts";

/** What has arrived. `problem` says why the delivery is incomplete, without a final full stop. */
export type Arrival = { state: "complete"; delivery: Delivery } | Incomplete;
export type Incomplete = { state: "half"; delivery: Delivery; problem: Bilingual } | { state: "nothing" };

/** How to wait for a delivery. Instants are Unix milliseconds. */
export interface Waiting {
  look(): Promise<Delivery>;
  /** Returns why an unchanging delivery is incomplete, or null. */
  problemOf(delivery: Delivery): Promise<Bilingual | null>;
  /** Called whenever the reason why the delivery is incomplete changes. */
  onWaiting(problem: Bilingual): void;
  /** Called once, at `byMs`, if the delivery is incomplete. */
  onLate(arrival: Incomplete): Promise<void>;
  /** How long a delivery must stay unchanged. */
  stableMs: number;
  /** The time between two checks. */
  pollMs: number;
  /** When to report that the delivery is late. */
  byMs: number;
  /** When to give up on an unchanging, incomplete delivery. */
  untilMs: number;
}

/** Waits until the delivery is complete and at rest, or `untilMs` has passed and it is at rest. */
export async function waitForDelivery(
  { look, problemOf, onWaiting, onLate, stableMs, pollMs, byMs, untilMs }: Waiting,
  clock = SYSTEM_CLOCK,
): Promise<Arrival> {
  let mark: string | null = null;
  let changedMs = 0;
  let said: string | null = null;
  let isTold = false;
  for (;;) {
    const delivery = await look();
    const nowMs = clock.nowMs();
    if (mark !== delivery.mark) {
      // At the first check, the last change is taken from the files' times. A later change counts from the check that
      // detects it.
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

/** Describes the option that names the kinds of files for shares that must have arrived. */
export const EXPECT = (says: string) => option.choices("<type...>", wire.dataTypeSchema.options, says);

/** What a complete delivery must include besides the market data. */
export interface Expected {
  /** A file that the sender writes last, with `{date}` for the day. */
  marker?: string | undefined;
  /** The data types that must have arrived, each with at least one file for shares. */
  expect?: wire.FileSummary["dataType"][] | undefined;
}

const SEVEN_ZIP = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]);
const SEVEN_ZIP_HEADER_BYTES = 32;

/** The number of bytes that are checked at the end of a compressed file. */
const TAIL_BYTES = 16;

/** Returns why `delivery` in `folder` is incomplete, without a final full stop, or null if it is complete. */
export async function deliveryProblem(
  folder: string,
  delivery: Delivery,
  { marker, expect = [] }: Expected,
): Promise<Bilingual | null> {
  const { tradedate, orders, files, underWay, links, contents } = delivery;
  const [first] = underWay;
  if (first !== undefined) {
    const name = basename(first);
    return { zh: `${name} 从名字看还在写入`, en: `${name} is still being written, as its name says` };
  }
  const [link] = links;
  if (orders.length === 0 && link !== undefined) {
    const name = basename(link);
    return {
      zh: `${name} 是符号链接，不会读取链接指向的内容`,
      en: `${name} is a link, and links are not followed; put the file itself there`,
    };
  }
  if (orders.length === 0) {
    return {
      zh: "只有共享用的文件，没有任何逐笔或行情数据",
      en: "there are files to be shared but no market data",
    };
  }
  const markerName = marker?.replaceAll("{date}", tradedate);
  if (markerName !== undefined && !existsSync(join(folder, markerName))) {
    return { zh: `${markerName} 还没有到`, en: `${markerName} has not arrived` };
  }
  const lacking = expect.find((type) => !files.some(({ dataType }) => dataType === type));
  if (lacking !== undefined) {
    return { zh: `没有收到 ${lacking} 文件`, en: `no ${lacking} file has arrived` };
  }
  const tops = new Set([...orders, ...files.map(({ path }) => path)]);
  const nameOf = (path: string) => (tops.has(path) ? basename(path) : relative(folder, path));
  return missingVolume(contents) ?? (await firstUnwritten(contents, nameOf));
}

/** Names a missing volume if a later one exists. `isWholeSevenZip` detects missing last volumes. */
function missingVolume(paths: readonly string[]): Bilingual | null {
  const there = new Set(paths);
  for (const path of paths) {
    const { archive, number } = volumeOf(path) ?? { archive: "", number: 1 };
    const before = `${archive}.${String(number - 1).padStart(3, "0")}`;
    if (number === 1 || there.has(before)) continue;
    const name = basename(before);
    return { zh: `分卷 ${name} 还没有到`, en: `${name}, a part of a split archive, has not arrived` };
  }
  return null;
}

async function firstUnwritten(paths: readonly string[], nameOf: (path: string) => string) {
  for (const path of paths) {
    const name = nameOf(path);
    const format = await cutFormat(path);
    if (format !== null) {
      return { zh: `${name} 不是完整的 ${format} 文件`, en: `${name} is not a complete ${format} file` };
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

/**
 * Returns the format of a file that is truncated; null for any other file. In text tables and some other formats,
 * truncation cannot be detected.
 */
export async function cutFormat(path: string): Promise<string | null> {
  if (/\.zip$/i.test(path)) return (await isWholeZip(path)) ? null : "ZIP";
  if (/\.7z$/i.test(path) || volumeOf(path)?.number === 1) return (await isWholeSevenZip(path)) ? null : "7z";
  if (!/\.parquet$/i.test(path)) return null;
  return (await piece(path, -4, 4)).bytes.toString("latin1") === "PAR1" ? null : "Parquet";
}

/**
 * Returns whether a file ends with unwritten bytes, which are NUL when a program has reserved the file's size. Formats
 * whose truncation is detected in another way are not checked. Neither is tar, which always ends with NUL bytes.
 */
async function endsUnwritten(path: string): Promise<boolean> {
  const name = basename(path);
  const isCompressed = compressionOf(name) !== null;
  const tellsItself = (!isCompressed && archiveFormat(name) !== null) || /\.parquet$/i.test(name);
  if (tellsItself || isUnreadFormat(name) || holdsNoRecords(name)) return false;
  // A text file that ends with a NUL byte is incomplete. A complete compressed file can end with a few NUL bytes.
  const { bytes } = await piece(path, isCompressed ? -TAIL_BYTES : -1, TAIL_BYTES);
  return bytes.length > 0 && bytes.every((byte) => byte === 0);
}

function isWholeZip(path: string): Promise<boolean> {
  const opened = openZip(path, basename(path)).then((zip) => zip.close());
  return opened.then(
    () => true,
    () => false,
  );
}

/**
 * Returns whether a 7z archive is complete. The header contains the position of the archive's end, which is zero while
 * the archive is written.
 */
async function isWholeSevenZip(path: string): Promise<boolean> {
  const { bytes, sizeBytes } = await piece(path, 0, SEVEN_ZIP_HEADER_BYTES);
  if (bytes.length < SEVEN_ZIP_HEADER_BYTES || !bytes.subarray(0, 6).equals(SEVEN_ZIP)) return false;
  const end = BigInt(SEVEN_ZIP_HEADER_BYTES) + bytes.readBigUInt64LE(12) + bytes.readBigUInt64LE(20);
  const wholeBytes = volumeOf(path) === null ? sizeBytes : await splitBytes(path);
  return end > BigInt(SEVEN_ZIP_HEADER_BYTES) && end <= BigInt(wholeBytes);
}

/** Returns the total size of a split archive in bytes: all its volumes together. `path` is its first volume. */
async function splitBytes(path: string): Promise<number> {
  const archive = volumeOf(path)?.archive;
  const names = (await readdir(dirname(path))).map((name) => join(dirname(path), name));
  const volumes = names.filter((name) => volumeOf(name)?.archive === archive);
  const sizes = await Promise.all(volumes.map(async (volume) => (await lstat(volume)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Reads at most `length` bytes at `offset`, which counts from the end when it is negative. */
async function piece(
  path: string,
  offset: number,
  length: number,
): Promise<{ bytes: Buffer; sizeBytes: number }> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { size } = await file.stat();
  const at = Math.max(0, offset < 0 ? size + offset : offset);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return { bytes: buffer.subarray(0, bytesRead), sizeBytes: size };
}
