/**
 * The rows of a section as the service decodes them for its pages: the second reader beside DuckDB. Where both
 * find the same rows, callers get what bulk users read.
 */

import type { JsonColumn } from "../../orders/row-template.ts";
import { type BlockColumns, openBlock } from "../../packs/block-columns.ts";
import { asFormat, PackFormatError } from "../../packs/errors.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../packs/layout.ts";
import { Fingerprint, textNumber } from "../fingerprint.ts";

/** The fingerprint of all rows in `bytes`, the whole section of `entry`. Throws `PackFormatError`. */
export function servedFingerprint(entry: SectionEntry, bytes: Uint8Array): number {
  const fingerprint = new Fingerprint();
  entry.blocks.forEach(({ offset }, number) => {
    const blockBytes = bytes.subarray(offset, blockEnd(entry, number));
    asFormat(() => addBlock(fingerprint, openBlock(blockBytes, blockRows(entry, number)), entry, number));
  });
  return fingerprint.value();
}

const FIELDS = ["order_id", "exchange_order_id", "order_type", "order_code", "price", "volume"] as const;

function addBlock(
  fingerprint: Fingerprint,
  block: BlockColumns,
  { symbol, market }: SectionEntry,
  number: number,
): void {
  if (block.constant("symbol") !== symbol) {
    throw new PackFormatError(`block ${number} of ${symbol}.${market} is of another security`);
  }
  const [id, exchangeId, type, code, price, volume] = block.columns(FIELDS, block.rows);
  const orderId = integers(id);
  const exchangeOrderId = integers(exchangeId);
  const [types, typeOf] = texts(type);
  const [codes, codeOf] = texts(code);
  const [prices, priceOf] = numbers(price);
  const [volumes, volumeOf] = numbers(volume);
  const pricesE4 = prices.map((price) => Math.round(price * 10_000));
  for (let row = 0; row < block.rows; row++) {
    fingerprint.add(block.timeAt(row));
    fingerprint.add(orderId[row] ?? 0);
    fingerprint.add(exchangeOrderId[row] ?? 0);
    fingerprint.add(types[typeOf[row] ?? 0] ?? 0);
    fingerprint.add(codes[codeOf[row] ?? 0] ?? 0);
    fingerprint.add(pricesE4[priceOf[row] ?? 0] ?? 0);
    fingerprint.add(volumes[volumeOf[row] ?? 0] ?? 0);
  }
}

function integers(column: JsonColumn | undefined): ArrayLike<number> {
  if (column?.kind !== "integers") throw new PackFormatError("an id column is not of integers");
  return column.values;
}

function texts(column: JsonColumn | undefined): [number[], Uint16Array] {
  if (column?.kind !== "texts") throw new PackFormatError("a code column is not of texts");
  return [column.texts.map(textNumber), column.index];
}

function numbers(column: JsonColumn | undefined): [Float64Array, Uint16Array] {
  if (column?.kind !== "numbers") throw new PackFormatError("a number column is not of numbers");
  return [column.numbers, column.index];
}
