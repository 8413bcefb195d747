/** Why a delivery that has come to rest is not complete: half an evening looks just like a whole one. */
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FileSummary, Words } from "../../admin/wire.ts";
import { openZip } from "../../pack-builder/delivery/zip.ts";
import type { Delivery } from "./drop-folder.ts";

/** What must be there beside the orders themselves. */
export interface Expected {
  /** A file that the sender writes last; `{date}` in it stands for the day. Null: there is none. */
  marker: string | null;
  /** Kinds of files for shares. */
  types: FileSummary["dataType"][];
}

const SEVEN_ZIP = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]);
const SEVEN_ZIP_HEADER_BYTES = 32;

/** Why `delivery` in `folder` is not complete, as sentences without their end, or null. */
export async function deliveryProblem(
  folder: string,
  delivery: Delivery,
  { marker, types }: Expected,
): Promise<Words | null> {
  const { tradedate, orders, files, underWay } = delivery;
  const [first] = underWay;
  if (first !== undefined) {
    const name = basename(first);
    return { zh: `${name} 从名字看还在写入`, en: `${name} is still being written, by its name` };
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
  for (const path of [...orders, ...files.map((file) => file.path)]) {
    const format = await cutFormat(path);
    if (format === null) continue;
    const name = basename(path);
    return { zh: `${name} 不是完整的 ${format} 文件`, en: `${name} is not a whole ${format} file` };
  }
  return null;
}

/** The format of a file that is cut short, as far as its format tells, else null; tables of text do not tell. */
export async function cutFormat(path: string): Promise<string | null> {
  if (/\.zip$/i.test(path)) return (await isWholeZip(path)) ? null : "ZIP";
  if (/\.7z$/i.test(path)) return (await isWholeSevenZip(path)) ? null : "7z";
  if (/\.parquet$/i.test(path)) return (await isWholeParquet(path)) ? null : "Parquet";
  return null;
}

async function isWholeZip(path: string): Promise<boolean> {
  try {
    (await openZip(path, basename(path))).close();
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
  return end > BigInt(SEVEN_ZIP_HEADER_BYTES) && end <= BigInt(sizeBytes);
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
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const at = Math.max(0, offset < 0 ? size + offset : offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    return { bytes: buffer.subarray(0, bytesRead), sizeBytes: size };
  } finally {
    await file.close();
  }
}
