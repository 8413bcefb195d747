/**
 * Encodes the index region of a pack: the position of each security and its blocks. The region lies between the last
 * section and the global footer. It ends with a trailer of fixed size, so a reader finds it from the object's end.
 * Little endian; `README.md` shows the region byte by byte.
 */
import { crc32 } from "node:zlib";
import { parseBeijingDate } from "../calendar/beijing.ts";
import { DATASETS, type DatasetName, isDatasetName } from "../datasets/registry.ts";
import { BLOCK_BYTES, decodeBlocks, encodeBlocks, u32 } from "./blocks-blob.ts";
import { checkEntries } from "./check-entries.ts";
import { PackFormatError } from "./errors.ts";
import type { DayIndex, SectionEntry } from "./layout.ts";
import { decodeOrigin, encodeOrigin } from "./origin.ts";

/** Region length, CRC-32 of the bytes before the trailer, format version, magic: four bytes each. */
export const TRAILER_BYTES = 16;

/**
 * Versions 2 and 3 hold orders; version 3 adds the pack's origin after the entries. Version 4 is for all other
 * datasets: it is version 3 with the dataset's name after the header, and readers that support only orders refuse it.
 */
const FORMAT = { WITHOUT_ORIGIN: 2, ORDERS: 3, NAMED: 4 } as const;
/** Bytes of the dataset's name: ASCII, padded with NUL. */
const NAME_BYTES = 8;
const MAGIC = 0x58495445; // "ETIX" read as a little-endian u32
const HEADER_BYTES = 24; // tradedate u32, build id 16 bytes, entry count u32
const ENTRY_BYTES = 40;

/**
 * Returns `index` as the bytes of an index region with its trailer. Orders without an origin get format 2. Throws
 * `PackFormatError` when the entries break a rule of the layout (order, gaps between sections, blocks out of order),
 * and `RangeError` for numbers that are too big.
 */
export function encodeIndexRegion(index: DayIndex): Uint8Array {
  const { dataset } = index;
  checkEntries(index.entries, DATASETS[dataset].columns.length);
  const version = versionFor(index);
  const headerLength = HEADER_BYTES + nameBytes(version);
  const blockCount = index.entries.reduce((sum, entry) => sum + entry.blocks.length, 0);
  const origin = index.origin === null ? new Uint8Array(0) : encodeOrigin(index.origin);
  const entriesLength = index.entries.length * ENTRY_BYTES + blockCount * BLOCK_BYTES;
  const bodyLength = headerLength + entriesLength + origin.length;
  const bytes = new Uint8Array(bodyLength + TRAILER_BYTES);
  const view = new DataView(bytes.buffer);

  view.setUint32(0, u32(Number(checkedDate(index.tradedate))), true);
  bytes.set(checkedBuildId(index.buildId), 4);
  view.setUint32(20, u32(index.entries.length), true);
  if (version === FORMAT.NAMED)
    new TextEncoder().encodeInto(dataset, bytes.subarray(HEADER_BYTES, headerLength));
  let at = headerLength;
  for (const entry of index.entries) {
    writeEntry(view, at, entry);
    bytes.set(encodeBlocks(entry.blocks), at + ENTRY_BYTES);
    at += ENTRY_BYTES + entry.blocks.length * BLOCK_BYTES;
  }
  bytes.set(origin, at);
  at += origin.length;

  view.setUint32(at, u32(bytes.length), true);
  view.setUint32(at + 4, crc32(bytes.subarray(0, bodyLength)), true);
  view.setUint32(at + 8, version, true);
  view.setUint32(at + 12, MAGIC, true);
  return bytes;
}

/**
 * Returns the length of the whole region in bytes, which its last 16 bytes (`trailer`) state. Throws `PackFormatError`
 * when these are not a trailer or have an unsupported format version.
 */
export function regionLength(trailer: Uint8Array): number {
  const view = viewOf(trailer);
  if (trailer.length !== TRAILER_BYTES || view.getUint32(12, true) !== MAGIC) {
    throw new PackFormatError(
      "there is no index region before the global footer (its magic ETIX is missing)",
    );
  }
  versionOf(trailer);
  return view.getUint32(0, true);
}

/** Returns the format version in a trailer. Throws `PackFormatError` for an unsupported version. */
function versionOf(trailer: Uint8Array): number {
  const version = viewOf(trailer).getUint32(8, true);
  if (Object.values<number>(FORMAT).includes(version)) return version;
  throw new PackFormatError(
    `index format version ${version} is not supported; supported versions: 2, 3 and 4`,
  );
}

function versionFor({ dataset, origin }: DayIndex): number {
  if (dataset === "orders") return origin === null ? FORMAT.WITHOUT_ORIGIN : FORMAT.ORDERS;
  if (origin === null) throw new PackFormatError(`a pack of ${dataset} needs an origin`);
  return FORMAT.NAMED;
}

function nameBytes(version: number): number {
  return version === FORMAT.NAMED ? NAME_BYTES : 0;
}

/** Returns the dataset of the region with this `body`. */
function datasetOf(body: Uint8Array, version: number): DatasetName {
  if (version !== FORMAT.NAMED) return "orders";
  const padded = String.fromCharCode(...body.subarray(HEADER_BYTES, HEADER_BYTES + NAME_BYTES));
  const name = padded.split("\0", 1)[0] ?? "";
  if (isDatasetName(name) && name !== "orders" && padded === name.padEnd(NAME_BYTES, "\0")) return name;
  throw new PackFormatError("the index names a dataset that this code does not read");
}

/**
 * Returns the index in `bytes`, one whole region with its trailer. Throws `PackFormatError` with a sentence that names
 * the problem: length, checksum, version, or a rule of the layout that an entry breaks.
 */
export function decodeIndexRegion(bytes: Uint8Array): DayIndex {
  if (bytes.length < HEADER_BYTES + TRAILER_BYTES) {
    throw new PackFormatError(`${bytes.length} bytes are too few for an index region`);
  }
  const bodyLength = bytes.length - TRAILER_BYTES;
  const trailer = bytes.subarray(bodyLength);
  const length = regionLength(trailer);
  if (length !== bytes.length) {
    throw new PackFormatError(
      `the index region states a length of ${length} bytes, but ${bytes.length} were read`,
    );
  }
  const body = bytes.subarray(0, bodyLength);
  if (viewOf(bytes).getUint32(bodyLength + 4, true) !== crc32(body)) {
    throw new PackFormatError("the index region's bytes do not match their checksum");
  }
  const view = viewOf(body);
  const tradedate = checkedDate(String(view.getUint32(0, true)));
  const version = versionOf(trailer);
  const dataset = datasetOf(body, version);
  const from = HEADER_BYTES + nameBytes(version);
  const { entries, end } = readEntries(body, from, view.getUint32(20, true));
  checkEntries(entries, DATASETS[dataset].columns.length);
  const buildId = hex(body.subarray(4, 20));
  if (version !== FORMAT.WITHOUT_ORIGIN) {
    return { dataset, tradedate, buildId, entries, origin: decodeOrigin(body.subarray(end)) };
  }
  if (end === body.length) return { dataset, tradedate, buildId, entries, origin: null };
  throw new PackFormatError(`${body.length - end} bytes follow the last entry of the index region`);
}

function writeEntry(view: DataView, at: number, entry: SectionEntry): void {
  const code = `${entry.symbol}${entry.market}`;
  for (let index = 0; index < 8; index++) view.setUint8(at + index, code.charCodeAt(index));
  if (!Number.isSafeInteger(entry.offset)) throw new RangeError(`${entry.offset} is not a byte offset`);
  view.setBigUint64(at + 8, BigInt(entry.offset), true);
  view.setUint32(at + 16, u32(entry.length), true);
  view.setUint32(at + 20, u32(entry.footerLength), true);
  view.setUint32(at + 24, u32(entry.rows), true);
  view.setUint32(at + 28, u32(entry.crc), true);
  view.setUint32(at + 32, u32(entry.lastTime), true);
  view.setUint32(at + 36, u32(entry.blocks.length), true);
}

/** Returns the `count` entries of a region that start at byte `from` of `body`, and the position after the last one. */
function readEntries(
  body: Uint8Array,
  from: number,
  count: number,
): { entries: SectionEntry[]; end: number } {
  const view = viewOf(body);
  const entries: SectionEntry[] = [];
  let at = from;
  for (let index = 0; index < count; index++) {
    const blocksAt = at + ENTRY_BYTES;
    if (blocksAt > body.length) throw new PackFormatError(`the index region ends inside entry ${index}`);
    const blocksEnd = blocksAt + view.getUint32(at + 36, true) * BLOCK_BYTES;
    if (blocksEnd > body.length) {
      throw new PackFormatError(`the index region ends inside the blocks of entry ${index}`);
    }
    const code = String.fromCharCode(...body.subarray(at, at + 8));
    entries.push({
      symbol: code.slice(0, 6),
      market: marketOf(code.slice(6)),
      offset: Number(view.getBigUint64(at + 8, true)),
      length: view.getUint32(at + 16, true),
      footerLength: view.getUint32(at + 20, true),
      rows: view.getUint32(at + 24, true),
      crc: view.getUint32(at + 28, true),
      lastTime: view.getUint32(at + 32, true),
      blocks: decodeBlocks(body.subarray(blocksAt, blocksEnd)),
    });
    at = blocksEnd;
  }
  return { entries, end: at };
}

function marketOf(text: string): SectionEntry["market"] {
  if (text === "SH" || text === "SZ") return text;
  throw new PackFormatError(`an entry of the index names the market ${JSON.stringify(text)}`);
}

function checkedDate(text: string): DayIndex["tradedate"] {
  const date = parseBeijingDate(text);
  if (date === null)
    throw new PackFormatError(`the index names the trading date ${text}, which is not a date`);
  return date;
}

function checkedBuildId(buildId: string): Uint8Array {
  if (!/^[0-9a-f]{32}$/.test(buildId))
    throw new PackFormatError(`the build id ${buildId} is not 32 hex digits`);
  return Uint8Array.from({ length: 16 }, (_, index) =>
    Number.parseInt(buildId.slice(index * 2, index * 2 + 2), 16),
  );
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
