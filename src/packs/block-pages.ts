/**
 * Finds the pages of one block (row group) by reading its page headers in order. No footer is needed, because the
 * dataset fixes the columns, their order, types and encodings. Any difference is refused here, so that later code may
 * rely on them.
 */
import { parquetHeader } from "hyparquet/src/column.js";
import { PackFormatError } from "./errors.ts";
import type { ColumnSpec } from "./layout.ts";

/** One page of the block. */
export interface Page {
  /** The ZSTD frame. */
  compressed: Uint8Array;
  /** Size in bytes after decompression. */
  size: number;
  values: number;
}

/** The pages of one column chunk. */
export interface ChunkPages<Spec extends ColumnSpec = ColumnSpec> {
  column: Spec;
  /** PLAIN values; present exactly for columns with the encoding RLE_DICTIONARY. */
  dictionary: Page | null;
  data: Page;
}

/**
 * Returns the chunks of a block of `rows` rows in the order of `columns`. Throws `PackFormatError` when a page has
 * another kind, encoding or number of values, or the chunks do not fill `block` exactly.
 */
export function findChunkPages<Spec extends ColumnSpec>(
  block: Uint8Array,
  rows: number,
  columns: readonly Spec[],
): ChunkPages<Spec>[] {
  const reader = { view: new DataView(block.buffer, block.byteOffset, block.byteLength), offset: 0 };
  const page = (column: ColumnSpec, type: "DICTIONARY_PAGE" | "DATA_PAGE"): Page => {
    const header = parquetHeader(reader);
    const content = type === "DICTIONARY_PAGE" ? header.dictionary_page_header : header.data_page_header;
    const encoding = type === "DICTIONARY_PAGE" ? "PLAIN" : column.encoding;
    if (header.type !== type || content?.encoding !== encoding) {
      throw new PackFormatError(
        `column ${column.name} has a ${header.type} in ${content?.encoding} where a ${type} in ${encoding} belongs`,
      );
    }
    const from = reader.offset;
    reader.offset += header.compressed_page_size;
    if (!(header.compressed_page_size > 0) || reader.offset > block.length) {
      throw new PackFormatError(`a page of column ${column.name} reaches beyond its block`);
    }
    return {
      compressed: block.subarray(from, reader.offset),
      size: header.uncompressed_page_size,
      values: content.num_values,
    };
  };
  const chunks = columns.map((column) => {
    const dictionary = column.encoding === "RLE_DICTIONARY" ? page(column, "DICTIONARY_PAGE") : null;
    const data = page(column, "DATA_PAGE");
    if (data.values !== rows) {
      throw new PackFormatError(`column ${column.name} has ${data.values} values in a block of ${rows} rows`);
    }
    return { column, dictionary, data };
  });
  if (reader.offset !== block.length) {
    throw new PackFormatError(`${block.length - reader.offset} bytes follow the last column of a block`);
  }
  return chunks;
}
