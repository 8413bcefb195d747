/**
 * Decodes one block. Columns are decoded on demand and only as far as needed, so a page costs only its own fields and
 * rows.
 */
import { type Column, columnNamed, type Dataset } from "../datasets/dataset.ts";
import { unitsOf } from "../orders/number-text.ts";
import type { JsonColumn, NumberTable } from "../orders/row-template.ts";
import { type ChunkPages, findChunkPages } from "./block-pages.ts";
import { PackFormatError } from "./errors.ts";
import {
  deltaIntegers,
  dictionaryIndex,
  dictionaryNumbers,
  dictionaryTexts,
  plainDoubles,
  plainIntegers,
  TIME_STRIDE,
  timeDigits,
} from "./page-values.ts";

export interface BlockColumns {
  rows: number;
  /** Returns the time of `row` as HHMMSSmmm; `row` is counted from the block's first row. */
  timeAt(row: number): number;
  /** Writes the times of the block's first rows to `into`, as many as fit. */
  copyTimes(into: Int32Array): void;
  /**
   * Returns the values of `fields` in the rows before `endRow` (counted from the block's first row) for writing JSON.
   * Throws `PackFormatError` on invalid content.
   */
  columns(fields: readonly string[], endRow: number): JsonColumn[];
  /** Returns the value of `field`, which is the same in every row. Throws when rows have different values. */
  constant(field: "symbol" | "tradedate"): string;
}

/**
 * Opens `bytes`, a block of `rows` rows of `dataset` whose checksum was verified. Throws `PackFormatError`, or a
 * library's own error, when the bytes are not such a block.
 */
export function openBlock(bytes: Uint8Array, rows: number, dataset: Dataset): BlockColumns {
  const chunks = findChunkPages(bytes, rows, dataset.columns);
  const chunkOf = (field: string): ChunkPages<Column> => {
    const chunk = chunks.find(({ column }) => column.name === field);
    if (chunk === undefined) throw new PackFormatError(`a block has no column ${field}`);
    return chunk;
  };
  const hasDictionary = (field: string) => chunkOf(field).dictionary !== null;
  let digits: Uint8Array | undefined;
  const times = () => {
    digits ??= timeDigits(chunkOf("time").data);
    return digits;
  };
  const constant = (field: "symbol" | "tradedate") => onlyText(chunkOf(field));
  return {
    rows,
    timeAt: (row) => timeNumber(times(), row),
    copyTimes(into) {
      const all = times();
      for (let row = 0; row < into.length; row++) into[row] = timeNumber(all, row);
    },
    constant,
    columns(fields, endRow) {
      const numbers = remember((field: string) => numberTable(chunkOf(field), endRow));
      const column = remember((field: string): JsonColumn => {
        const spec = columnNamed(dataset, field);
        switch (spec.kind) {
          case "symbol":
          case "tradedate":
            return { kind: "constant", text: constant(spec.kind) };
          case "time":
            return { kind: "nineDigits", bytes: times(), first: TIME_STRIDE - 9, stride: TIME_STRIDE };
          case "code":
            return { kind: "texts", ...textTable(chunkOf(field), endRow) };
          case "integer":
            if (hasDictionary(field)) return { kind: "numbers", ...numbers(field) };
            return { kind: "integers", values: integers(chunkOf(field), endRow) };
          case "price":
          case "yuan":
            if (hasDictionary(field)) return { kind: "numbers", ...numbers(field) };
            return { kind: "doubles", values: plainDoubles(chunkOf(field).data, endRow) };
          case "amount":
            return amountColumn(spec, numbers);
        }
      });
      return fields.map(column);
    },
  };
}

/**
 * Returns the amounts, computed from price and volume. Decoding the stored amounts would cost more, because they are a
 * quarter of a pack's bytes.
 */
function amountColumn(
  { name, price, volume }: Extract<Column, { kind: "amount" }>,
  numbers: (field: string) => NumberTable,
): JsonColumn {
  const prices = numbers(price);
  const raw = rawPrices(prices.numbers);
  // Raw prices of 10^15 or more cannot be recovered from the double; the stored amounts are read instead.
  if (raw === null) return { kind: "numbers", ...numbers(name) };
  return { kind: "amounts", prices: { numbers: raw, index: prices.index }, volumes: numbers(volume) };
}

/** Returns `compute` with its results cached by field. */
function remember<Value>(compute: (field: string) => Value): (field: string) => Value {
  const known = new Map<string, Value>();
  return (field) => {
    const value = known.get(field) ?? compute(field);
    known.set(field, value);
    return value;
  };
}

function integers({ data, encoding }: ChunkPages, rows: number): Float64Array {
  return encoding === "DELTA_BINARY_PACKED" ? deltaIntegers(data, rows) : plainIntegers(data, rows);
}

function timeNumber(digits: Uint8Array, row: number): number {
  const at = (row + 1) * TIME_STRIDE - 9;
  return (threeDigits(digits, at) * 1000 + threeDigits(digits, at + 3)) * 1000 + threeDigits(digits, at + 6);
}

function threeDigits(digits: Uint8Array, at: number): number {
  // The digits are ASCII; their codes begin at 48, and 48 * 111 is subtracted at once.
  return (digits[at] ?? 0) * 100 + (digits[at + 1] ?? 0) * 10 + (digits[at + 2] ?? 0) - 48 * 111;
}

function numberTable({ column, dictionary, data }: ChunkPages, rows: number): NumberTable {
  if (dictionary === null || column.type === "BYTE_ARRAY") {
    throw new PackFormatError(`column ${column.name} has no dictionary of numbers`);
  }
  const numbers = dictionaryNumbers(dictionary, column.type);
  return { numbers, index: dictionaryIndex(data, numbers.length, rows) };
}

function textTable({ column, dictionary, data }: ChunkPages, rows: number) {
  if (dictionary === null) throw new PackFormatError(`column ${column.name} has no dictionary`);
  const texts = dictionaryTexts(dictionary);
  return { texts, index: dictionaryIndex(data, texts.length, rows) };
}

/**
 * Returns the text of a column whose dictionary has one entry, so that all rows have this text. Throws
 * `PackFormatError` for any other column.
 */
function onlyText({ column, dictionary }: ChunkPages): string {
  const texts = dictionary === null ? [] : dictionaryTexts(dictionary);
  const [text] = texts;
  if (text === undefined || texts.length !== 1) {
    throw new PackFormatError(`column ${column.name} has ${texts.length} values in one block`);
  }
  return text;
}

function rawPrices(prices: Float64Array): Float64Array | null {
  const raw = new Float64Array(prices.length);
  for (let place = 0; place < prices.length; place++) {
    const units = unitsOf(prices[place] ?? 0);
    if (units === null) return null;
    raw[place] = units;
  }
  return raw;
}
