/**
 * Checks the invariants of a day index. Paging relies on them and does not check them, so they are checked when an
 * index is written and whenever one is read from an object.
 */
import { chunkTableBytes } from "./chunk-table.ts";
import { PackFormatError } from "./errors.ts";
import { type Block, PARQUET_MAGIC, ROW_GROUP_ROWS, type SectionEntry } from "./layout.ts";

const MAX_TIME = 235_959_999;
/** Footer length (u32) and `PAR1` at a section's end, and at least one byte of footer. */
const SMALLEST_FOOTER = 9;

/**
 * Throws `PackFormatError` unless `entries` are sorted by symbol and market without repeats, their sections follow each
 * other without gaps from byte 0, and the blocks of every section are in order (see `checkBlocks`). A block has
 * `columnCount` columns.
 */
export function checkEntries(entries: readonly SectionEntry[], columnCount: number): void {
  let end = 0;
  let previous = "";
  for (const entry of entries) {
    const code = `${entry.symbol}.${entry.market}`;
    if (!/^\d{6}$/.test(entry.symbol))
      throw new PackFormatError(`the index names the symbol ${entry.symbol}; expected six digits`);
    if (code <= previous)
      throw new PackFormatError(`${code} comes after ${previous} in the index; entries must ascend`);
    previous = code;
    if (entry.rows === 0) {
      if (
        entry.length !== 0 ||
        entry.footerLength !== 0 ||
        entry.lastTime !== 0 ||
        entry.blocks.length !== 0
      ) {
        throw new PackFormatError(`${code} has a section but no rows`);
      }
      continue;
    }
    if (entry.offset !== end) {
      throw new PackFormatError(
        `the section of ${code} begins at byte ${entry.offset}, but the previous section ends at byte ${end}`,
      );
    }
    end = entry.offset + entry.length;
    checkBlocks(entry, code, columnCount);
  }
}

/**
 * Checks the blocks of `entry`, which has rows. Throws `PackFormatError` unless the first block starts at row 0, each
 * block has 1 to 10,000 rows, and the blocks follow each other from the end of the chunk table to the footer and ascend
 * in (t0, k0). The security's last row must not be earlier than the first row of the last block.
 */
function checkBlocks(entry: SectionEntry, code: string, columnCount: number): void {
  const blocksStart = PARQUET_MAGIC.length + chunkTableBytes(entry.blocks.length, columnCount);
  const blocksEnd = entry.length - entry.footerLength;
  let before: Block | undefined;
  if (entry.footerLength < SMALLEST_FOOTER || blocksEnd <= blocksStart) {
    throw new PackFormatError(
      `${code} has a section of ${entry.length} bytes with a footer of ${entry.footerLength}; its blocks do not fit`,
    );
  }
  entry.blocks.forEach((block, index) => {
    const where = `block ${index} of ${code}`;
    const rowsEnd = entry.blocks[index + 1]?.firstRow ?? entry.rows;
    const rows = rowsEnd - block.firstRow;
    if (rows < 1 || rows > ROW_GROUP_ROWS)
      throw new PackFormatError(`${where} has ${rows} rows; expected 1 to ${ROW_GROUP_ROWS}`);
    const isBehind = before === undefined ? block.offset === blocksStart : block.offset > before.offset;
    if (!isBehind || block.offset >= blocksEnd) {
      throw new PackFormatError(`${where} begins at the wrong byte of its section: ${block.offset}`);
    }
    if (block.t0 > MAX_TIME || block.k0 > block.firstRow || (before && !comesAfter(before, block))) {
      throw new PackFormatError(
        `${where} begins ${block.k0} rows into time ${block.t0}, which cannot follow the rows before it`,
      );
    }
    before = block;
  });
  if (entry.lastTime > MAX_TIME || entry.lastTime < (before?.t0 ?? 0)) {
    throw new PackFormatError(
      `${code} ends at time ${entry.lastTime}; expected ${before?.t0 ?? 0} to ${MAX_TIME}, inclusive`,
    );
  }
  if (entry.blocks[0]?.firstRow !== 0) throw new PackFormatError(`${code} has rows but no block with row 0`);
}

/**
 * Returns whether `block` can follow `before`. If both begin in the same millisecond, `k0` must grow by the number of
 * rows in between. If `block` begins later, its `k0` must be less than that number.
 */
function comesAfter(before: Block, block: Block): boolean {
  if (block.t0 === before.t0) return block.k0 - before.k0 === block.firstRow - before.firstRow;
  return block.t0 > before.t0 && block.k0 < block.firstRow - before.firstRow;
}
