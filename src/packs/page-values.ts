/**
 * Decodes the values of one page into the shapes that JSON is written from. Only the encodings of `layout.ts` occur;
 * `block-pages.ts` refuses all others. The fast readers handle what the pack builder writes and leave everything else
 * to hyparquet, against which the tests compare them.
 */
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { readDataPage } from "hyparquet/src/datapage.js";
import { readPlain } from "hyparquet/src/plain.js";
import type { Page } from "./block-pages.ts";
import { decompressPage } from "./decompress.ts";
import { PackFormatError } from "./errors.ts";
import { fastDelta } from "./fast-delta.ts";
import { fastIndex } from "./fast-index.ts";

/** The number of bytes that each time takes in a page: a u32 with the length, then nine digits. */
export const TIME_STRIDE = 13;
const TIME_DIGITS = 9;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the texts of a dictionary page, in the order to which the rows' indices refer. */
export function dictionaryTexts(page: Page): string[] {
  const view = plainView(page);
  const reader = { view, offset: 0 };
  const values = readPlain(reader, "BYTE_ARRAY", page.values, undefined);
  if (values.length !== page.values || reader.offset !== view.byteLength) throw notFilled(page);
  return Array.from(values, (value) => {
    if (!(value instanceof Uint8Array))
      throw new PackFormatError("a dictionary of texts holds a value that is not a text");
    return decoder.decode(value);
  });
}

/**
 * Returns the numbers of a dictionary page, in the order to which the rows' indices refer. Throws `PackFormatError` for
 * an INT64 below 0 or beyond 2^53, and for a DOUBLE that is not finite. A DOUBLE can be negative: Shenzhen sources give
 * market orders the price -1.
 */
export function dictionaryNumbers(page: Page, type: "DOUBLE" | "INT64"): Float64Array {
  const bytes = decompressPage(page.compressed, page.size);
  if (bytes.length !== page.values * 8) throw notFilled(page);
  const numbers = type === "DOUBLE" ? finiteDoubles(bytes, page.values) : counts(bytes, page.values);
  if (typeof numbers !== "number") return numbers;
  throw new PackFormatError(
    "a dictionary holds a count below 0 or beyond 2^53, or a number that is not finite",
  );
}

/**
 * Returns, for each of the first `rows` rows, the index into a dictionary of `tableSize` values. Throws
 * `PackFormatError` for an index out of range.
 */
export function dictionaryIndex(page: Page, tableSize: number, rows: number): Uint16Array {
  const bytes = decompressPage(page.compressed, page.size);
  const index =
    fastIndex(bytes, rows) ?? Uint16Array.from(generalValues(bytes, page, "RLE_DICTIONARY"), Number);
  let largest = 0;
  for (let row = 0; row < rows; row++) largest = Math.max(largest, index[row] ?? 0);
  if (largest >= tableSize) {
    throw new PackFormatError(`a row has the index ${largest} in a dictionary of size ${tableSize}`);
  }
  return index;
}

/**
 * Returns the integers of the first `rows` rows of a DELTA_BINARY_PACKED page. Throws `PackFormatError` for an integer
 * below 0 or beyond 2^53.
 */
export function deltaIntegers(page: Page, rows: number): Float64Array {
  const bytes = decompressPage(page.compressed, page.size);
  const values =
    fastDelta(bytes, rows) ?? Float64Array.from(generalValues(bytes, page, "DELTA_BINARY_PACKED"), Number);
  for (let row = 0; row < rows; row++) {
    if (!isCount(values[row] ?? -1))
      throw new PackFormatError(`the id of row ${row} of a block is below 0 or beyond 2^53`);
  }
  return values;
}

/**
 * Returns the integers of the first `rows` rows of a PLAIN page of INT64. Throws `PackFormatError` for an integer below
 * 0 or beyond 2^53.
 */
export function plainIntegers(page: Page, rows: number): Float64Array {
  const bytes = decompressPage(page.compressed, page.size);
  if (bytes.length !== page.values * 8) {
    throw new PackFormatError(
      `${page.values} integers take ${bytes.length} bytes; expected ${8 * page.values}`,
    );
  }
  const values = counts(bytes, rows);
  if (typeof values !== "number") return values;
  throw new PackFormatError(`the id of row ${values} of a block is below 0 or beyond 2^53`);
}

/** Returns the doubles of the first `rows` rows of a PLAIN page. Throws `PackFormatError` unless they are finite. */
export function plainDoubles(page: Page, rows: number): Float64Array {
  const bytes = decompressPage(page.compressed, page.size);
  if (bytes.length !== page.values * 8) {
    throw new PackFormatError(
      `${page.values} numbers take ${bytes.length} bytes; expected ${8 * page.values}`,
    );
  }
  const values = finiteDoubles(bytes, rows);
  if (typeof values !== "number") return values;
  throw new PackFormatError(`row ${values} of a block holds a number that is not finite`);
}

/** Returns the first `count` doubles of `bytes`, or the index of the first that is not finite. */
function finiteDoubles(bytes: Uint8Array, count: number): Float64Array | number {
  const from = aligned(bytes);
  const values = new Float64Array(from.buffer, from.byteOffset, count);
  // Zero times a number that is not finite is NaN.
  let zero = 0;
  for (let place = 0; place < count; place++) zero += 0 * (values[place] ?? 0);
  return zero === 0 ? values : values.findIndex((value) => !Number.isFinite(value));
}

/** Returns the first `count` INT64 of `bytes`, or the index of the first below 0 or beyond 2^53. */
function counts(bytes: Uint8Array, count: number): Float64Array | number {
  const from = aligned(bytes);
  const halves = new Uint32Array(from.buffer, from.byteOffset, 2 * count);
  const values = new Float64Array(count);
  let highs = 0;
  for (let place = 0; place < count; place++) {
    const high = halves[2 * place + 1] ?? 0;
    highs |= high;
    values[place] = high * 2 ** 32 + (halves[2 * place] ?? 0);
  }
  // 2^53 − 1 has 21 bits in its upper half, so only the bits above these need a check.
  return highs >>> 21 === 0 ? values : values.findIndex((value) => value >= 2 ** 53);
}

/**
 * Returns `bytes` if its byte offset is a multiple of eight, as a `Float64Array` over the same buffer requires;
 * otherwise returns a copy. The offset depends on the decompressor.
 */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}

function isCount(value: number): boolean {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/**
 * Returns the decompressed page of the time column, `TIME_STRIDE` bytes per row. Throws unless every time is nine
 * digits, because answers contain the digits unchanged.
 */
export function timeDigits(page: Page): Uint8Array {
  const bytes = decompressPage(page.compressed, page.size);
  if (bytes.length !== page.values * TIME_STRIDE) {
    throw new PackFormatError(
      `a page of ${page.values} time values has ${bytes.length} bytes; expected ${TIME_STRIDE * page.values}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += TIME_STRIDE) {
    const digits =
      areDigits(view.getUint32(at + 4, true)) &&
      areDigits(view.getUint32(at + 8, true)) &&
      areDigits(view.getUint32(at + 9, true));
    if (view.getUint32(at, true) !== TIME_DIGITS || !digits) {
      throw new PackFormatError(`the time of row ${at / TIME_STRIDE} of a block is not nine digits`);
    }
  }
  return bytes;
}

/**
 * Returns whether the four bytes of `word` are all 0x30 to 0x39. Adding 6 to a byte from 0x3a to 0x3f changes its upper
 * hex digit.
 */
function areDigits(word: number): boolean {
  return ((word | (word + 0x06060606)) & 0xf0f0f0f0) === 0x30303030;
}

function plainView(page: Page): DataView {
  const bytes = decompressPage(page.compressed, page.size);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function notFilled({ values, size }: Page): PackFormatError {
  return new PackFormatError(`a dictionary of ${values} values does not fill its ${size} bytes`);
}

/** Returns all values of a decompressed data page as hyparquet reads them. */
function generalValues(
  bytes: Uint8Array,
  page: Page,
  encoding: "RLE_DICTIONARY" | "DELTA_BINARY_PACKED",
): ArrayLike<unknown> {
  const header = {
    num_values: page.values,
    encoding,
    definition_level_encoding: "RLE",
    repetition_level_encoding: "RLE",
  } as const;
  const { dataPage } = readDataPage(bytes, header, columnDecoder());
  if (dataPage.length !== page.values) {
    throw new PackFormatError(`a page of ${page.values} values decoded to ${dataPage.length} values`);
  }
  return dataPage;
}

/**
 * Returns the description of a required INT64 column for hyparquet. It also serves for dictionary indices, because
 * hyparquet decodes them in the same way for every type except BOOLEAN.
 */
function columnDecoder(): Parameters<typeof readDataPage>[2] {
  const element = { name: "values", type: "INT64", repetition_type: "REQUIRED" } as const;
  const path = [element.name];
  return {
    pathInSchema: path,
    type: element.type,
    element,
    schemaPath: [{ children: [], count: 0, element, path }],
    codec: "ZSTD",
    parsers: DEFAULT_PARSERS,
  };
}
