/**
 * A section reduced to chosen columns: which bytes of each block stay, and the footer of the file they make.
 * Chunks stay in the order of the section, the schema is in the order asked; a field asked for under two names
 * is one chunk that both columns point to.
 */
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import type { Field } from "../orders/record.ts";
import type { ChunkSizes } from "./chunk-table.ts";
import { PackFormatError } from "./errors.ts";
import { blockEnd, blockRows, COLUMNS, type ColumnSpec, PARQUET_MAGIC, type SectionEntry } from "./layout.ts";
import type { ByteRange } from "./read-range.ts";

/** A column of the answer: the field it holds and the name it was asked by. */
export interface AskedColumn {
  field: Field;
  name: string;
}

export interface ProjectedFile {
  sizeBytes: number;
  /** For each block the parts of it to copy, from its first byte, ascending and not touching each other. */
  keep: ByteRange[][];
  /** Footer, its length and `PAR1`; before it stand `PAR1` and the kept parts. */
  tail: Uint8Array;
}

/** The file that holds `columns` (at least one, names unique) of the section `entry` with these chunk `sizes`. */
export function projectedFile(
  entry: SectionEntry,
  sizes: readonly (readonly ChunkSizes[])[],
  columns: readonly AskedColumn[],
): ProjectedFile {
  let at = PARQUET_MAGIC.length;
  const keep: ByteRange[][] = [];
  const rowGroups = entry.blocks.map((block, number) => {
    const length = blockEnd(entry, number) - block.offset;
    const chosen = chooseChunks(sizes[number] ?? [], columns, at);
    if (chosen.blockLength !== length) {
      throw new PackFormatError(
        `the chunks of block ${number} fill ${chosen.blockLength} of its ${length} bytes`,
      );
    }
    keep.push(chosen.keep);
    const group = rowGroup(chosen.moved, columns, blockRows(entry, number), at);
    at = chosen.end;
    return group;
  });
  const tail = footer(entry.rows, columns, rowGroups);
  return { sizeBytes: at + tail.length, keep, tail };
}

/** A kept chunk and where it begins in the new file. */
interface MovedChunk {
  sizes: ChunkSizes;
  offset: number;
}

function chooseChunks(sizes: readonly ChunkSizes[], columns: readonly AskedColumn[], from: number) {
  const wanted = new Set(columns.map(({ field }) => field));
  const moved = new Map<Field, MovedChunk>();
  const keep: ByteRange[] = [];
  let at = from;
  let offset = 0;
  COLUMNS.forEach(({ name }, place) => {
    const chunk = sizes[place];
    if (chunk === undefined) throw new PackFormatError(`the chunk table has no column ${name}`);
    if (wanted.has(name)) {
      const last = keep.at(-1);
      if (last !== undefined && last.offset + last.length === offset) last.length += chunk.total;
      else keep.push({ offset, length: chunk.total });
      moved.set(name, { sizes: chunk, offset: at });
      at += chunk.total;
    }
    offset += chunk.total;
  });
  return { keep, moved, end: at, blockLength: offset };
}

function rowGroup(
  moved: ReadonlyMap<Field, MovedChunk>,
  columns: readonly AskedColumn[],
  rows: number,
  offset: number,
) {
  const chunks = [...moved.values()];
  return {
    columns: columns.map(({ field, name }) => {
      const chunk = moved.get(field);
      if (chunk === undefined) throw new RangeError(`there is no column ${field}`);
      return columnChunk(specOf(field), name, rows, chunk);
    }),
    num_rows: BigInt(rows),
    total_byte_size: BigInt(chunks.reduce((sum, { sizes }) => sum + sizes.uncompressed, 0)),
    total_compressed_size: BigInt(chunks.reduce((sum, { sizes }) => sum + sizes.total, 0)),
    file_offset: BigInt(offset),
  };
}

function columnChunk(spec: ColumnSpec, name: string, rows: number, { sizes, offset }: MovedChunk) {
  const isDictionary = spec.encoding === "RLE_DICTIONARY";
  return {
    file_offset: BigInt(offset),
    meta_data: {
      type: spec.type,
      encodings: isDictionary ? (["PLAIN", "RLE_DICTIONARY"] as const).slice() : [spec.encoding],
      path_in_schema: [name],
      codec: "ZSTD" as const,
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(sizes.uncompressed),
      total_compressed_size: BigInt(sizes.total),
      data_page_offset: BigInt(offset + sizes.dictionary),
      ...(isDictionary && { dictionary_page_offset: BigInt(offset) }),
    },
  };
}

function footer(rows: number, columns: readonly AskedColumn[], rowGroups: ReturnType<typeof rowGroup>[]) {
  const writer = new ByteWriter();
  writeMetadata(writer, {
    version: 1,
    schema: [
      { name: "orders", num_children: columns.length },
      ...columns.map(({ field, name }) => ({
        name,
        type: specOf(field).type,
        repetition_type: "REQUIRED" as const,
        ...(specOf(field).type === "BYTE_ARRAY" && {
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

function specOf(field: Field): ColumnSpec {
  const spec = COLUMNS.find(({ name }) => name === field);
  if (spec === undefined) throw new RangeError(`there is no column ${field}`);
  return spec;
}
