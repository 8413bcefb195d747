/**
 * Stores rows on disk until all rows of their security have been read, because files with mixed securities do not fit
 * in memory. A batch is written column by column, so reading it back needs no parsing.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import {
  type CodeColumn,
  codesOf,
  type Dataset,
  numbersOf,
  type StoredOf,
  storedColumns,
} from "../datasets/dataset.ts";
import type { Batch } from "./batch.ts";

/** The position of a batch in the spill files. */
export interface Extent {
  /** The number of the spill file. */
  file: number;
  offset: number;
  length: number;
  /** The earliest time of the rows, HHMMSSmmm as a number. */
  earliest: number;
  /** The latest time of the rows, HHMMSSmmm as a number. */
  latest: number;
}

const HEADER_BYTES = 16;

/** Encodes a batch: header, the texts of its codes, then aligned columns of eight, four and two bytes. */
function encodeBatch({ rows, sequence, sequenceOrders }: Batch, columns: readonly StoredOf[]): Uint8Array {
  const codes = columns.filter(isCode).map((column) => codesOf(rows, column));
  const texts = Buffer.from(JSON.stringify(codes.map(({ values }) => values)));
  const doubles = columns.filter((column) => !isCode(column)).map((column) => numbersOf(rows, column));
  if (sequence !== null) doubles.push(sequence);
  const parts = [...doubles, rows.time, ...codes.map(({ index }) => index)];
  const textBytes = aligned(texts.length);
  const length = parts.reduce((sum, part) => sum + part.byteLength, HEADER_BYTES + textBytes);
  const bytes = new Uint8Array(aligned(length));
  const header = new Uint32Array(bytes.buffer, 0, HEADER_BYTES / 4);
  header.set([rows.rows, texts.length, sequence === null ? 0 : 1, sequenceOrders ? 1 : 0]);
  bytes.set(texts, HEADER_BYTES);
  let at = HEADER_BYTES + textBytes;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return bytes;
}

/** Decodes the batch in `bytes`, which must be aligned to eight bytes; the batch's columns are views of `bytes`. */
function decodeBatch(bytes: Uint8Array<ArrayBuffer>, columns: readonly StoredOf[]): Batch {
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  const [rows = 0, textLength = 0, hasSequence = 0, orders = 0] = header;
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset + HEADER_BYTES, textLength).toString("utf8");
  const values = JSON.parse(texts) as string[][];
  let at = bytes.byteOffset + HEADER_BYTES + aligned(textLength);
  const next = (size: number): number => {
    const from = at;
    at += rows * size;
    return from;
  };
  const doubles = () => new Float64Array(bytes.buffer, next(8), rows);
  const found: Record<string, Float64Array | CodeColumn> = {};
  for (const column of columns) if (!isCode(column)) found[column.key] = doubles();
  const sequence = hasSequence === 1 ? doubles() : null;
  const time = new Int32Array(bytes.buffer, next(4), rows);
  for (const [number, { key }] of columns.filter(isCode).entries()) {
    found[key] = { values: values[number] ?? [], index: new Uint16Array(bytes.buffer, next(2), rows) };
  }
  return { rows: { rows, time, ...found }, sequence, sequenceOrders: orders === 1 };
}

function isCode({ kind }: StoredOf): boolean {
  return kind === "code";
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** Appends batches to a spill file. Each thread has its own file. */
export class SpillWriter {
  private readonly columns: readonly StoredOf[];
  private readonly file: number;
  private readonly descriptor: number;
  private offset = 0;

  /** Creates the spill file at `path`. `SpillReader` finds the file by the number `file`. */
  constructor(path: string, file: number, dataset: Dataset) {
    this.columns = storedColumns(dataset);
    this.file = file;
    this.descriptor = openSync(path, "w");
  }

  write(batch: Batch): Extent {
    const bytes = encodeBatch(batch, this.columns);
    let [earliest, latest] = [Number.POSITIVE_INFINITY, 0];
    for (const time of batch.rows.time) {
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
  private readonly columns: readonly StoredOf[];
  private readonly pathOf: (file: number) => string;
  private readonly descriptors = new Map<number, number>();

  constructor(pathOf: (file: number) => string, dataset: Dataset) {
    this.columns = storedColumns(dataset);
    this.pathOf = pathOf;
  }

  read({ file, offset, length }: Extent): Batch {
    let descriptor = this.descriptors.get(file);
    if (descriptor === undefined) {
      descriptor = openSync(this.pathOf(file), "r");
      this.descriptors.set(file, descriptor);
    }
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(descriptor, bytes, done, length - done, offset + done);
      if (count === 0) throw new Error(`the spill file ${this.pathOf(file)} ends at byte ${offset + done}`);
      done += count;
    }
    return decodeBatch(bytes, this.columns);
  }

  close(): void {
    for (const descriptor of this.descriptors.values()) closeSync(descriptor);
    this.descriptors.clear();
  }
}
