/** Decodes the rows of a section into columns, as the service does for its pages. */
import {
  type CodeColumn,
  type Dataset,
  type Rows,
  type RowsOf,
  type StoredOf,
  storedColumns,
} from "../../datasets/dataset.ts";
import type { JsonColumn } from "../../orders/row-template.ts";
import { type BlockColumns, openBlock } from "../../packs/block-columns.ts";
import { asFormat, PackFormatError } from "../../packs/errors.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../packs/layout.ts";

export interface SectionPart {
  /** Keys of columns that are left empty. */
  unread?: readonly string[];
  /** Rows at or after this time (HHMMSSmmm) are left out. */
  before?: number;
}

/**
 * Returns the rows in `bytes`, the section of `entry` in a pack of `dataset`. With `before`, `bytes` may end after the
 * last block that has a row before that time. Throws `PackFormatError`.
 */
export function sectionRows<D extends Dataset>(
  entry: SectionEntry,
  bytes: Uint8Array,
  dataset: D,
  { unread = [], before = Number.POSITIVE_INFINITY }: SectionPart = {},
): RowsOf<D> {
  const stored = storedColumns(dataset).filter(({ key }) => !unread.includes(key));
  const names = stored.map(({ name }) => name);
  const decoded = entry.blocks.flatMap(({ offset, firstRow, t0 }, number) => {
    if (t0 >= before) return [];
    const count = blockRows(entry, number);
    return asFormat(() => {
      const block = openBlock(bytes.subarray(offset, blockEnd(entry, number)), count, dataset);
      if (block.constant("symbol") !== entry.symbol) {
        throw new PackFormatError(
          `block ${number} of ${entry.symbol}.${entry.market} belongs to another security`,
        );
      }
      const end = rowsBefore(block, before);
      return { firstRow, block, end, columns: block.columns(names, end) };
    });
  });
  const rows = decoded.reduce((sum, { end }) => sum + end, 0);
  const time = new Int32Array(rows);
  const columns = stored.map((column) => new SectionColumn(column, rows));
  for (const { firstRow, block, end, columns: values } of decoded) {
    // Times are decoded when they are first requested.
    asFormat(() => block.copyTimes(time.subarray(firstRow, firstRow + end)));
    for (const [place, each] of values.entries()) columns[place]?.put(firstRow, each, end);
  }
  const empty = storedColumns(dataset)
    .filter(({ key }) => unread.includes(key))
    .map((column) => new SectionColumn(column, 0));
  const members = [...columns, ...empty].map((column) => column.member());
  // Every stored column of the dataset is a property now, as `RowsOf` requires.
  return Object.assign({ rows, time } satisfies Rows, Object.fromEntries(members)) as RowsOf<D>;
}

/** Returns how many rows of a block have a time before `before`. The rows are sorted by time. */
function rowsBefore(block: BlockColumns, before: number): number {
  let [low, high] = [0, block.rows];
  if (before === Number.POSITIVE_INFINITY) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (block.timeAt(middle) < before) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the values of one stored column, block after block. */
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

  /** Stores the first `count` values of a block, whose first row is `firstRow`. */
  put(firstRow: number, values: JsonColumn, count: number): void {
    if (values.kind === "integers") this.numbers.set(values.values.subarray(0, count), firstRow);
    else if (values.kind === "doubles") {
      this.numbers.set(this.numbersOf(values.values.subarray(0, count)), firstRow);
    } else if (values.kind === "numbers") {
      const table = this.numbersOf(values.numbers);
      const { index } = values;
      for (let row = 0; row < count; row++) this.numbers[firstRow + row] = table[index[row] ?? 0] ?? 0;
    } else if (values.kind === "texts") {
      const table = values.texts.map((text) => this.placeOf(text));
      const { index } = values;
      for (let row = 0; row < count; row++) this.codes.index[firstRow + row] = table[index[row] ?? 0] ?? 0;
    } else throw new PackFormatError("a stored column has an unexpected kind");
  }

  member(): [string, Float64Array | CodeColumn] {
    return [this.column.key, this.column.kind === "code" ? this.codes : this.numbers];
  }

  /** Returns decoded numbers in their form in memory: prices × 10000. */
  private numbersOf(values: Float64Array): Float64Array {
    return this.column.kind === "price" ? values.map((price) => Math.round(price * 10_000)) : values;
  }

  private placeOf(text: string): number {
    const { values } = this.codes;
    const known = values.indexOf(text);
    return known >= 0 ? known : values.push(text) - 1;
  }
}
