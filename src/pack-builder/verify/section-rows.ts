/** The rows of a section as columns, decoded as the service decodes them for its pages. */
import {
  type CodeColumn,
  type Dataset,
  type Rows,
  type RowsOf,
  type StoredOf,
  storedColumns,
} from "../../datasets/dataset.ts";
import type { JsonColumn } from "../../orders/row-template.ts";
import { openBlock } from "../../packs/block-columns.ts";
import { asFormat, PackFormatError } from "../../packs/errors.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../packs/layout.ts";

/**
 * Returns all rows in `bytes`, the whole section of `entry` in a pack of `dataset`. The columns with a key in `unread`
 * are left empty. Throws `PackFormatError`.
 */
export function sectionRows<D extends Dataset>(
  entry: SectionEntry,
  bytes: Uint8Array,
  dataset: D,
  unread: readonly string[] = [],
): RowsOf<D> {
  const stored = storedColumns(dataset).filter(({ key }) => !unread.includes(key));
  const time = new Int32Array(entry.rows);
  const columns = stored.map((column) => new SectionColumn(column, entry.rows));
  entry.blocks.forEach(({ offset, firstRow }, number) => {
    const count = blockRows(entry, number);
    asFormat(() => {
      const block = openBlock(bytes.subarray(offset, blockEnd(entry, number)), count, dataset);
      for (let row = 0; row < count; row++) time[firstRow + row] = block.timeAt(row);
      const names = stored.map(({ name }) => name);
      for (const [place, values] of block.columns(names, count).entries())
        columns[place]?.put(firstRow, values);
    });
  });
  const rows: Rows = { rows: entry.rows, time };
  const empty = storedColumns(dataset)
    .filter(({ key }) => unread.includes(key))
    .map((column) => new SectionColumn(column, 0));
  const members = [...columns, ...empty].map((column) => column.member());
  // Every key of the dataset got a column above, as `RowsOf` demands.
  return Object.assign(rows, Object.fromEntries(members)) as RowsOf<D>;
}

/** The values of one stored column, block after block. */
class SectionColumn {
  private readonly column: StoredOf;
  private readonly numbers: Float64Array;
  private readonly codes: CodeColumn;

  constructor(column: StoredOf, rows: number) {
    const isCode = column.kind === "code";
    this.column = column;
    this.numbers = new Float64Array(isCode ? 0 : rows);
    this.codes = { values: [], index: new Uint16Array(isCode ? rows : 0) };
  }

  put(firstRow: number, values: JsonColumn): void {
    if (values.kind === "integers") this.numbers.set(values.values, firstRow);
    else if (values.kind === "numbers") {
      const isPrice = this.column.kind === "price";
      const table = isPrice ? values.numbers.map((price) => Math.round(price * 10_000)) : values.numbers;
      values.index.forEach((place, row) => {
        this.numbers[firstRow + row] = table[place] ?? 0;
      });
    } else if (values.kind === "texts") {
      const table = values.texts.map((text) => this.placeOf(text));
      values.index.forEach((place, row) => {
        this.codes.index[firstRow + row] = table[place] ?? 0;
      });
    } else throw new PackFormatError("a stored column is of another kind");
  }

  member(): [string, Float64Array | CodeColumn] {
    return [this.column.key, this.column.kind === "code" ? this.codes : this.numbers];
  }

  private placeOf(text: string): number {
    const { values } = this.codes;
    const known = values.indexOf(text);
    return known >= 0 ? known : values.push(text) - 1;
  }
}
