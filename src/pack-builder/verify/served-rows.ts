/**
 * Reads the rows of a section as the service does for its pages. When this reader and DuckDB find the same rows, users
 * of JSON and of Parquet get the same data.
 */
import { type Dataset, type StoredOf, storedColumns } from "../../datasets/dataset.ts";
import type { JsonColumn } from "../../orders/row-template.ts";
import { type BlockColumns, openBlock } from "../../packs/block-columns.ts";
import { asFormat, PackFormatError } from "../../packs/errors.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../packs/layout.ts";
import { Fingerprint, TIME_COLUMN, textNumber } from "../fingerprint.ts";

/**
 * Returns the fingerprint of all rows in `bytes`, the whole section of `entry` in a pack of `dataset`. Throws
 * `PackFormatError`.
 */
export function servedFingerprint(entry: SectionEntry, bytes: Uint8Array, dataset: Dataset): number {
  const fingerprint = new Fingerprint(dataset);
  const stored = storedColumns(dataset);
  entry.blocks.forEach(({ offset }, number) => {
    const block = bytes.subarray(offset, blockEnd(entry, number));
    asFormat(() => {
      const opened = openBlock(block, blockRows(entry, number), dataset);
      if (opened.constant("symbol") !== entry.symbol) {
        throw new PackFormatError(
          `block ${number} of ${entry.symbol}.${entry.market} belongs to another security`,
        );
      }
      addBlock(fingerprint, opened, stored);
    });
  });
  return fingerprint.value();
}

function addBlock(fingerprint: Fingerprint, block: BlockColumns, stored: readonly StoredOf[]): void {
  const { rows } = block;
  const times = new Int32Array(rows);
  block.copyTimes(times);
  fingerprint.addNumbers(TIME_COLUMN, times, 0, rows);
  const names = stored.map(({ name }) => name);
  for (const [number, values] of block.columns(names, rows).entries()) {
    const column = TIME_COLUMN + 1 + number;
    const kind = stored[number]?.kind;
    if (values.kind === "integers") fingerprint.addNumbers(column, values.values, 0, rows);
    else if (values.kind === "doubles" && kind === "yuan")
      fingerprint.addDoubles(column, values.values, 0, rows);
    else if (values.kind === "doubles") fingerprint.addNumbers(column, pricesE4(values.values), 0, rows);
    else if (kind === "yuan") {
      fingerprint.addIndexedDoubles(column, tableOf(values, false), indexOf(values), 0, rows);
    } else fingerprint.addIndexed(column, tableOf(values, kind === "price"), indexOf(values), 0, rows);
  }
}

/** Returns the table that a column's indices refer to, as numbers for the fingerprint. */
function tableOf(column: JsonColumn, isPrice: boolean): ArrayLike<number> {
  if (column.kind === "texts") return column.texts.map(textNumber);
  if (column.kind !== "numbers") throw new PackFormatError("a stored column has an unexpected kind");
  return isPrice ? pricesE4(column.numbers) : column.numbers;
}

function pricesE4(prices: Float64Array): Float64Array {
  return prices.map((price) => Math.round(price * 10_000));
}

function indexOf(column: JsonColumn): Uint16Array {
  if ("index" in column) return column.index;
  throw new PackFormatError("a stored column has an unexpected kind");
}
