/**
 * Rows that wait on the disk for the rest of their security: files with all securities mixed do not fit the
 * memory. A batch is written as its own columns, so that reading it back is a copy and no parsing.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { OrderBatch } from "./order-batch.ts";

/** Where a batch lies. */
export interface Extent {
  /** Number of the spill file. */
  file: number;
  offset: number;
  length: number;
  /** HHMMSSmmm of its earliest and its latest row, as numbers. */
  earliest: number;
  latest: number;
}

const HEADER_BYTES = 16;

/** The bytes of a batch: header, the texts of its codes, columns of eight, four and two bytes, each aligned. */
function encodeBatch({ columns, sequence, sequenceOrders }: OrderBatch): Uint8Array {
  const texts = Buffer.from(JSON.stringify([columns.orderType.values, columns.orderCode.values]));
  const doubles = [columns.orderId, columns.exchangeOrderId, columns.priceE4, columns.volume];
  if (sequence !== null) doubles.push(sequence);
  const parts = [...doubles, columns.time, columns.orderType.index, columns.orderCode.index];
  const textBytes = aligned(texts.length);
  const length = parts.reduce((sum, part) => sum + part.byteLength, HEADER_BYTES + textBytes);
  const bytes = new Uint8Array(aligned(length));
  const header = new Uint32Array(bytes.buffer, 0, HEADER_BYTES / 4);
  header.set([columns.rows, texts.length, sequence === null ? 0 : 1, sequenceOrders ? 1 : 0]);
  bytes.set(texts, HEADER_BYTES);
  let at = HEADER_BYTES + textBytes;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return bytes;
}

/** The batch in `bytes`, which begin at an address divisible by eight; its columns are views of them. */
function decodeBatch(bytes: Uint8Array<ArrayBuffer>): OrderBatch {
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  const [rows = 0, textLength = 0, hasSequence = 0, orders = 0] = header;
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset + HEADER_BYTES, textLength).toString("utf8");
  const [types, codes] = JSON.parse(texts) as [string[], string[]];
  let at = bytes.byteOffset + HEADER_BYTES + aligned(textLength);
  const next = (size: number): number => {
    const from = at;
    at += rows * size;
    return from;
  };
  const doubles = () => new Float64Array(bytes.buffer, next(8), rows);
  const [orderId, exchangeOrderId, priceE4, volume] = [doubles(), doubles(), doubles(), doubles()];
  const sequence = hasSequence === 1 ? doubles() : null;
  const time = new Int32Array(bytes.buffer, next(4), rows);
  const orderType = { values: types, index: new Uint16Array(bytes.buffer, next(2), rows) };
  const orderCode = { values: codes, index: new Uint16Array(bytes.buffer, next(2), rows) };
  return {
    columns: { rows, time, orderId, exchangeOrderId, orderType, orderCode, priceE4, volume },
    sequence,
    sequenceOrders: orders === 1,
  };
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** Appends batches to one spill file; a thread has its own. */
export class SpillWriter {
  private readonly file: number;
  private readonly descriptor: number;
  private offset = 0;

  /** `file` is the number under which `SpillReader` will know `path`. */
  constructor(path: string, file: number) {
    this.file = file;
    this.descriptor = openSync(path, "w");
  }

  write(batch: OrderBatch): Extent {
    const bytes = encodeBatch(batch);
    let [earliest, latest] = [Number.POSITIVE_INFINITY, 0];
    for (const time of batch.columns.time) {
      if (time < earliest) earliest = time;
      if (time > latest) latest = time;
    }
    const extent = { file: this.file, offset: this.offset, length: bytes.length, earliest, latest };
    let done = 0;
    while (done < bytes.length) done += writeSync(this.descriptor, bytes, done);
    this.offset += bytes.length;
    return extent;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Reads batches from the spill files of all threads. */
export class SpillReader {
  private readonly pathOf: (file: number) => string;
  private readonly descriptors = new Map<number, number>();

  constructor(pathOf: (file: number) => string) {
    this.pathOf = pathOf;
  }

  read({ file, offset, length }: Extent): OrderBatch {
    let descriptor = this.descriptors.get(file);
    if (descriptor === undefined) {
      descriptor = openSync(this.pathOf(file), "r");
      this.descriptors.set(file, descriptor);
    }
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(descriptor, bytes, done, length - done, offset + done);
      if (count === 0) throw new Error(`the spill file ${this.pathOf(file)} ends at ${offset + done}`);
      done += count;
    }
    return decodeBatch(bytes);
  }

  close(): void {
    for (const descriptor of this.descriptors.values()) closeSync(descriptor);
    this.descriptors.clear();
  }
}
