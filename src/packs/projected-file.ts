/**
 * Describes a file that has only some columns of a section: the bytes of each block to copy, and the footer of the new
 * file. Chunks and schema are in the requested order, and a field requested under two names is copied twice. Both are
 * necessary for readers that fetch all bytes from a row group's first column to its last.
 */
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { columnNamed, type Dataset } from "../datasets/dataset.ts";
import type { Field } from "../orders/record.ts";
import type { ChunkSizes } from "./chunk-table.ts";
import { PackFormatError } from "./errors.ts";
import { blockEnd, blockRows, encodingOf, PARQUET_MAGIC, type SectionEntry } from "./layout.ts";
import type { ByteRange } from "./read-range.ts";

/** A column of the answer: its field and the requested name. */
export interface AskedColumn<Name extends string = Field> {
  field: Name;
  name: string;
}

export interface ProjectedFile {
  sizeBytes: number;
  /** The parts of each block to copy, in this order; offsets are relative to the block. */
  keep: ByteRange[][];
  /** The footer, its length and `PAR1`; the file begins with `PAR1` and the copied parts. */
  tail: Uint8Array;
}

/**
 * Returns the file that has only `columns` (at least one, with unique names) of the section `entry`. The section is in
 * a pack of `dataset` and has chunks of these `sizes`.
 */
export function projectedFile(
  entry: SectionEntry,
  sizes: readonly (readonly ChunkSizes[])[],
  columns: readonly AskedColumn<string>[],
  dataset: Dataset,
): ProjectedFile {
  let at = PARQUET_MAGIC.length;
  const keep: ByteRange[][] = [];
  const rowGroups = entry.blocks.map((block, number) => {
    const length = blockEnd(entry, number) - block.offset;
    const chosen = chooseChunks(sizes[number] ?? [], columns, at, dataset);
    if (chosen.blockLength !== length) {
      throw new PackFormatError(
        `the chunks of block ${number} have ${chosen.blockLength} bytes, but the block has ${length}`,
      );
    }
    keep.push(chosen.keep);
    const group = rowGroup(chosen.moved, blockRows(entry, number), at, dataset);
    at = chosen.end;
    return group;
  });
  const tail = footer(entry.rows, columns, rowGroups, dataset);
  return { sizeBytes: at + tail.length, keep, tail };
}

/** A copied chunk and its start in the new file. */
interface MovedChunk {
  column: AskedColumn<string>;
  sizes: ChunkSizes;
  offset: number;
}

/**
 * Chooses the chunks of `columns` from a block whose chunks have these `sizes`. Returns the chosen chunks with their
 * places in the new file, which begin at byte `from`, and the byte ranges of the block to copy.
 */
function chooseChunks(
  sizes: readonly ChunkSizes[],
  columns: readonly AskedColumn<string>[],
  from: number,
  dataset: Dataset,
) {
  const place = new Map<string, ByteRange & { sizes: ChunkSizes }>();
  let blockLength = 0;
  for (const [number, { name }] of dataset.columns.entries()) {
    const chunk = sizes[number];
    if (chunk === undefined) throw new PackFormatError(`the chunk table has no column ${name}`);
    place.set(name, { offset: blockLength, length: chunk.total, sizes: chunk });
    blockLength += chunk.total;
  }
  const moved: MovedChunk[] = [];
  const keep: ByteRange[] = [];
  let end = from;
  for (const column of columns) {
    const found = place.get(column.field);
    if (found === undefined) throw new RangeError(`there is no column ${column.field}`);
    const { offset, length } = found;
    const last = keep.at(-1);
    if (last !== undefined && last.offset + last.length === offset) last.length += length;
    else keep.push({ offset, length });
    moved.push({ column, sizes: found.sizes, offset: end });
    end += length;
  }
  return { keep, moved, end, blockLength };
}

function rowGroup(moved: readonly MovedChunk[], rows: number, offset: number, dataset: Dataset) {
  return {
    columns: moved.map((chunk) => columnChunk(rows, chunk, dataset)),
    num_rows: BigInt(rows),
    total_byte_size: BigInt(moved.reduce((sum, { sizes }) => sum + sizes.uncompressed, 0)),
    total_compressed_size: BigInt(moved.reduce((sum, { sizes }) => sum + sizes.total, 0)),
    file_offset: BigInt(offset),
  };
}

function columnChunk(rows: number, { column, sizes, offset }: MovedChunk, dataset: Dataset) {
  const spec = columnNamed(dataset, column.field);
  const isDictionary = sizes.dictionary > 0;
  const encoding = encodingOf(spec, isDictionary);
  // The chunk table does not say which builder version wrote a chunk, so both encodings are listed.
  const former = spec.formerEncoding === undefined ? [] : [spec.formerEncoding];
  return {
    file_offset: BigInt(offset),
    meta_data: {
      type: spec.type,
      encodings: isDictionary ? (["PLAIN", encoding] as const).slice() : [encoding, ...former],
      path_in_schema: [column.name],
      codec: "ZSTD" as const,
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(sizes.uncompressed),
      total_compressed_size: BigInt(sizes.total),
      data_page_offset: BigInt(offset + sizes.dictionary),
      ...(isDictionary && { dictionary_page_offset: BigInt(offset) }),
    },
  };
}

function footer(
  rows: number,
  columns: readonly AskedColumn<string>[],
  rowGroups: ReturnType<typeof rowGroup>[],
  dataset: Dataset,
) {
  const writer = new ByteWriter();
  writeMetadata(writer, {
    version: 1,
    schema: [
      { name: dataset.name, num_children: columns.length },
      ...columns.map(({ field, name }) => ({
        name,
        type: columnNamed(dataset, field).type,
        repetition_type: "REQUIRED" as const,
        ...(columnNamed(dataset, field).type === "BYTE_ARRAY" && {
          converted_type: "UTF8" as const,
          logical_type: { type: "STRING" as const },
        }),
      })),
    ],
    num_rows: BigInt(rows),
    row_groups: rowGroups,
    created_by: "edgetape version 1",
    metadata_length: 0, // not written
  });
  writer.appendBytes(PARQUET_MAGIC);
  return writer.getBytes();
}
