/** The rows of one chunk as flat columns in the order of the file, with securities mixed. Reused for every chunk. */
import { type Dataset, storedColumns } from "../../datasets/dataset.ts";

export class RowTable {
  rows = 0;
  /** The `securityKey` of every row. */
  security = new Int32Array(0);
  time = new Int32Array(0);
  sequence = new Float64Array(0);
  /** The dataset's stored columns by key. A code column holds the numbers of texts in the parser's code tables. */
  readonly columns: Record<string, Float64Array | Uint16Array> = {};

  constructor(dataset: Dataset) {
    for (const { key, kind } of storedColumns(dataset)) {
      this.columns[key] = kind === "code" ? new Uint16Array(0) : new Float64Array(0);
    }
  }

  clear(): void {
    this.rows = 0;
  }

  /** Reserves space for one more row. Returns true when the columns are new arrays. */
  reserve(): boolean {
    if (this.rows < this.time.length) return false;
    const capacity = Math.max(4096, this.time.length * 2);
    this.security = grown(this.security, new Int32Array(capacity));
    this.time = grown(this.time, new Int32Array(capacity));
    this.sequence = grown(this.sequence, new Float64Array(capacity));
    for (const [key, column] of Object.entries(this.columns)) {
      const larger = column instanceof Float64Array ? new Float64Array(capacity) : new Uint16Array(capacity);
      this.columns[key] = grown(column, larger);
    }
    return true;
  }
}

function grown<T extends Int32Array | Float64Array | Uint16Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
