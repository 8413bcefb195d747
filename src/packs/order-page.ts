/**
 * Reads one page of a security's rows from its pack: plan, one conditional range read, checks, JSON bytes. Nothing of a
 * pack is cached, so a cold page costs as much as a warm one.
 */
import { crc32 } from "node:zlib";
import { ok, type Result } from "../base/result.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { type JsonPart, writeItems } from "../orders/page-json.ts";
import {
  findPage,
  type PageAsk,
  type PagePlan,
  type PageRows,
  type Position,
  type PositionBeyondRows,
  planPage,
} from "../orders/query/page-plan.ts";
import { type BlockColumns, openBlock } from "./block-columns.ts";
import { asReadError, PackFormatError } from "./errors.ts";
import { blockEnd, blockRows, type SectionEntry } from "./layout.ts";
import { cutShort, openRange, type PackObject } from "./read-range.ts";

/** The requested page and its columns; `name` is the caller's name of the field and is not used here. */
export interface OrderPageAsk extends PageAsk {
  columns: readonly { field: string; name: string }[];
}

export interface OrderPage {
  /** The rows as JSON text, an array with one array for each row, in pieces that share no memory. */
  items: Uint8Array<ArrayBuffer>[];
  rows: number;
  /** Where the next page begins; null exactly when no row of the window follows. */
  next: Position | null;
  read: { operations: number; bytes: number };
}

/**
 * Returns the requested page from the section `entry`: rows from `ask.position` (inclusive) to `ask.endTime`
 * (exclusive). It needs one R2 read, or none when the index alone shows that there are no rows. Before a row is
 * returned, its block is checked against the CRC, and the block's symbol, date and first time against the index.
 *
 * Throws `PackReadError`: `missing` (no object), `changed` (a different etag), `damaged` (wrong bytes), `unreadable`
 * (the right bytes, but an unforeseen exception). Refuses a position that skips more rows than its millisecond has.
 * Only a cursor of the second generation can contain one (contract 5.5). `read` is a read that has already begun, for
 * the same pack, section and `ask`.
 */
export async function readOrderPage(
  bucket: R2Bucket,
  pack: PackObject,
  entry: SectionEntry,
  ask: OrderPageAsk,
  { dataset, read = beginOrderPage(bucket, pack, entry, ask) }: OrderPageOptions,
): Promise<Result<OrderPage, PositionBeyondRows>> {
  const { plan } = read;
  const bytes = await read.bytes;
  const readFacts = { operations: plan.endBlock > plan.firstBlock ? 1 : 0, bytes: bytes.length };
  try {
    const blocks = openedBlocks(bytes, { pack, entry, plan, dataset });
    const found = findPage(entry, plan, ask, (row) => blocks.timeAt(row));
    if (!found.ok) return found;
    const { startRow, endRow, next } = found.value;
    const items = writeItems(blocks.parts(found.value, ask.columns));
    return ok({ items, rows: endRow - startRow, next, read: readFacts });
  } catch (error) {
    throw asReadError(error, `${entry.symbol}.${entry.market} in ${pack.objectKey}`);
  }
}

export interface OrderPageOptions {
  dataset: Dataset;
  read?: OrderPageRead | undefined;
}

/** A read of a page that has begun. Its bytes are neither checked nor decoded yet. */
export interface OrderPageRead {
  plan: PagePlan;
  bytes: Promise<Uint8Array>;
}

/**
 * Begins the one R2 read of a page. A failure is thrown to the caller that awaits `bytes`; if no caller does, it is
 * ignored.
 */
export function beginOrderPage(
  bucket: R2Bucket,
  pack: PackObject,
  entry: SectionEntry,
  ask: PageAsk,
): OrderPageRead {
  const plan = planPage(entry, ask);
  const bytes = readBlocks(bucket, pack, entry, plan);
  bytes.catch(() => undefined);
  return { plan, bytes };
}

/** Reads the bytes of the planned blocks. */
async function readBlocks(
  bucket: R2Bucket,
  pack: PackObject,
  entry: SectionEntry,
  { firstBlock, endBlock }: PagePlan,
): Promise<Uint8Array> {
  if (endBlock === firstBlock) return new Uint8Array(0);
  const from = blockOffset(entry, firstBlock);
  const range = { offset: entry.offset + from, length: blockEnd(entry, endBlock - 1) - from };
  const object = await openRange(bucket, pack, range);
  const bytes = new Uint8Array(await object.arrayBuffer());
  if (bytes.length !== range.length) throw cutShort(pack.objectKey);
  return bytes;
}

/** The pack, section, plan and dataset of the bytes that were read. */
interface Place {
  pack: PackObject;
  entry: SectionEntry;
  plan: PagePlan;
  dataset: Dataset;
}

/** Returns the planned blocks, each checked and opened when one of its rows is first requested. */
function openedBlocks(bytes: Uint8Array, place: Place) {
  const { entry, plan } = place;
  const opened = new Map<number, BlockColumns>();
  const open = (number: number): BlockColumns => {
    const known = opened.get(number);
    if (known !== undefined) return known;
    const start = blockOffset(entry, plan.firstBlock);
    const block = bytes.subarray(blockOffset(entry, number) - start, blockEnd(entry, number) - start);
    const columns = checkedBlock(block, place, number);
    opened.set(number, columns);
    return columns;
  };
  const numberOf = (row: number): number => {
    let number = plan.firstBlock;
    while (number + 1 < plan.endBlock && (entry.blocks[number + 1]?.firstRow ?? 0) <= row) number++;
    return number;
  };
  const firstRowOf = (number: number): number => entry.blocks[number]?.firstRow ?? entry.rows;
  return {
    timeAt(row: number): number {
      const number = numberOf(row);
      return open(number).timeAt(row - firstRowOf(number));
    },
    parts({ startRow, endRow }: PageRows, columns: OrderPageAsk["columns"]): JsonPart[] {
      if (startRow === endRow) return [];
      const parts: JsonPart[] = [];
      const fields = columns.map(({ field }) => field);
      for (let number = numberOf(startRow); number <= numberOf(endRow - 1); number++) {
        const block = open(number);
        const first = firstRowOf(number);
        const end = Math.min(endRow - first, block.rows);
        parts.push({
          columns: block.columns(fields, end),
          startRow: Math.max(startRow - first, 0),
          endRow: end,
        });
      }
      return parts;
    },
  };
}

/** Opens `bytes` as block `number` of `entry`. Throws `PackFormatError` unless they match the index. */
function checkedBlock(bytes: Uint8Array, { pack, entry, dataset }: Place, number: number): BlockColumns {
  const block = entry.blocks[number];
  if (block === undefined || crc32(bytes) !== block.crc) {
    throw new PackFormatError(`block ${number} does not match its checksum`);
  }
  const columns = openBlock(bytes, blockRows(entry, number), dataset);
  const found = [columns.constant("symbol"), columns.constant("tradedate"), columns.timeAt(0)];
  if (found.join() !== [entry.symbol, pack.tradedate, block.t0].join()) {
    throw new PackFormatError(`block ${number} begins with ${found}, but the index has different values`);
  }
  return columns;
}

function blockOffset(entry: SectionEntry, number: number): number {
  return entry.blocks[number]?.offset ?? 0;
}
