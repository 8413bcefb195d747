/**
 * Finds the pages of one block (row group) by reading its page headers in order. No footer is needed, because the
 * dataset fixes the columns, their order, types and encodings. Any difference from the dataset is refused here, so
 * later code does not check again.
 */
import { parquetHeader } from "hyparquet/src/column.js";
import { PackFormatError } from "./errors.ts";
import { type ColumnSpec, encodingOf } from "./layout.ts";

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
  /** The dictionary, in PLAIN encoding; null when `data` has the values themselves. */
  dictionary: Page | null;
  data: Page;
  /** The encoding of `data`. */
  encoding: ReturnType<typeof encodingOf>;
}

/**
 * Returns the chunks of a block of `rows` rows in the order of `columns`. Throws `PackFormatError` when a page has a
 * wrong type, encoding or number of values, or the chunks do not fill `block` exactly.
 */
export function findChunkPages<Spec extends ColumnSpec>(
  block: Uint8Array,
  rows: number,
  columns: readonly Spec[],
): ChunkPages<Spec>[] {
  const reader = { view: new DataView(block.buffer, block.byteOffset, block.byteLength), offset: 0 };
  const next = (column: ColumnSpec): FoundPage => {
    const header = parquetHeader(reader);
    const content = header.dictionary_page_header ?? header.data_page_header;
    const from = reader.offset;
    reader.offset += header.compressed_page_size;
    if (!(header.compressed_page_size > 0) || reader.offset > block.length) {
      throw new PackFormatError(`a page of column ${column.name} reaches beyond its block`);
    }
    return {
      type: header.type,
      encoding: content?.encoding,
      page: {
        compressed: block.subarray(from, reader.offset),
        size: header.uncompressed_page_size,
        values: content?.num_values ?? 0,
      },
    };
  };
  const chunks = columns.map((column) => {
    const first = next(column);
    const hasDictionary =
      column.encoding === "PLAIN_OR_DICTIONARY"
        ? first.type === "DICTIONARY_PAGE"
        : column.encoding === "RLE_DICTIONARY";
    const dictionary = hasDictionary ? expected(column, first, "DICTIONARY_PAGE", "PLAIN") : null;
    const values = hasDictionary ? next(column) : first;
    const { formerEncoding } = column;
    const isFormer = !hasDictionary && values.encoding === formerEncoding;
    const encoding = isFormer && formerEncoding ? formerEncoding : encodingOf(column, hasDictionary);
    const data = expected(column, values, "DATA_PAGE", encoding);
    if (data.values !== rows) {
      throw new PackFormatError(`column ${column.name} has ${data.values} values in a block of ${rows} rows`);
    }
    return { column, dictionary, data, encoding };
  });
  if (reader.offset !== block.length) {
    throw new PackFormatError(`${block.length - reader.offset} bytes follow the last column of a block`);
  }
  return chunks;
}

interface FoundPage {
  type: string;
  encoding: string | undefined;
  page: Page;
}

/** Returns the found page; throws `PackFormatError` unless it has this type and encoding. */
function expected({ name }: ColumnSpec, found: FoundPage, type: string, encoding: string): Page {
  if (found.type === type && found.encoding === encoding) return found.page;
  throw new PackFormatError(
    `column ${name} has a ${found.type} in ${found.encoding}; expected a ${type} in ${encoding}`,
  );
}
