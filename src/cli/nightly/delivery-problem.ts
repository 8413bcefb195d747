/** Why a delivery that has come to rest is not complete: half an evening looks just like a whole one. */
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FileSummary } from "../../admin/wire.ts";
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

/** Why `delivery` in `folder` is not complete, as a sentence without its end, or null. */
export async function deliveryProblem(
  folder: string,
  delivery: Delivery,
  { marker, types }: Expected,
): Promise<string | null> {
  const { tradedate, orders, files, underWay } = delivery;
  const [first] = underWay;
  if (first !== undefined) return `${basename(first)} is still being written, by its name`;
  if (orders.length === 0) return "there are files for shares and no orders";
  const markerName = marker?.replaceAll("{date}", tradedate) ?? null;
  if (markerName !== null && !existsSync(join(folder, markerName))) return `${markerName} has not come`;
  const lacking = types.find((type) => !files.some(({ dataType }) => dataType === type));
  if (lacking !== undefined) return `no ${lacking} file has come`;
  for (const path of [...orders, ...files.map((file) => file.path)]) {
    const problem = await endProblem(path);
    if (problem !== null) return `${basename(path)} ${problem}`;
  }
  return null;
}

/** Why the file is cut short, as far as its format tells, or null; tables of text do not tell. */
export async function endProblem(path: string): Promise<string | null> {
  if (/\.zip$/i.test(path)) return zipProblem(path);
  if (/\.7z$/i.test(path)) return sevenZipProblem(path);
  if (/\.parquet$/i.test(path)) return parquetProblem(path);
  return null;
}

async function zipProblem(path: string): Promise<string | null> {
  try {
    (await openZip(path, basename(path))).close();
    return null;
  } catch {
    return "is not a whole ZIP archive";
  }
}

/** The header at the start names the end of the archive; while it is written it holds zeros. */
async function sevenZipProblem(path: string): Promise<string | null> {
  const { bytes, sizeBytes } = await piece(path, 0, SEVEN_ZIP_HEADER_BYTES);
  if (bytes.length < SEVEN_ZIP_HEADER_BYTES || !bytes.subarray(0, 6).equals(SEVEN_ZIP)) {
    return "is not a whole 7z archive";
  }
  const end = BigInt(SEVEN_ZIP_HEADER_BYTES) + bytes.readBigUInt64LE(12) + bytes.readBigUInt64LE(20);
  return end > BigInt(SEVEN_ZIP_HEADER_BYTES) && end <= BigInt(sizeBytes)
    ? null
    : "is not a whole 7z archive";
}

async function parquetProblem(path: string): Promise<string | null> {
  const { bytes } = await piece(path, -4, 4);
  return bytes.toString("latin1") === "PAR1" ? null : "is not a whole Parquet file";
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
