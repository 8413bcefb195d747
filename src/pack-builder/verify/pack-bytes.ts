/**
 * Checks a pack without decoding its rows. Every byte is covered by a checksum or can be derived from covered bytes.
 * The index has the checksums of the sections, and the index region has its own checksum. Every footer must equal the
 * one derived from the index, the chunk tables and the section footers. Only packs that pass are read with other
 * readers.
 */
import { crc32 } from "node:zlib";
import { parquetMetadata } from "hyparquet";
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { DATASETS } from "../../datasets/registry.ts";
import { chunkTableBytes, decodeChunkTable } from "../../packs/chunk-table.ts";
import { asFormat, PackFormatError } from "../../packs/errors.ts";
import { PARQUET_MAGIC, type SectionEntry } from "../../packs/layout.ts";
import type { PackFile } from "../pack-file.ts";
import { footerPieces, type RowGroup, rowGroupsMetadata } from "../parquet/footer.ts";

/** Returns the first damaged place of `pack` as a clause; `null` when every checksum and footer is right. */
export async function packDamage(pack: PackFile): Promise<string | null> {
  const bytes = new PackBytes(pack);
  try {
    await bytes.checkSections(() => undefined);
    await bytes.checkFooters();
    return null;
  } catch (error) {
    if (error instanceof PackFormatError) return error.message;
    throw error;
  }
}

/** The first and last time of every block of a section, nine digits. */
export type BlockTimes = readonly { first: string; last: string }[];

export interface CheckedSection {
  entry: SectionEntry;
  /** The section's number in the index, from 0. */
  number: number;
  /** The bytes of the chunk table. A whole market's quotes have half a million column chunks. */
  table: Uint8Array;
  /** The times in the section's footer. */
  times: BlockTimes;
  /** The dataset with the section's encodings. */
  encoded: Dataset;
}

export class PackBytes {
  private readonly pack: PackFile;
  private readonly dataset: Dataset;
  /** Every checked section with rows, in the order of the index. */
  readonly sections: CheckedSection[] = [];

  constructor(pack: PackFile) {
    this.pack = pack;
    this.dataset = DATASETS[pack.index.dataset];
  }

  /**
   * Throws `PackFormatError` with the place of the first section or block that differs from the index. `onSection`
   * receives the bytes of every section with rows.
   */
  async checkSections(
    onSection: (entry: SectionEntry, bytes: Uint8Array, number: number) => void,
  ): Promise<void> {
    for (const [number, entry] of this.pack.index.entries.entries()) {
      const bytes = await this.pack.read(entry.offset, entry.length);
      if (entry.rows === 0) continue;
      const table = checkSection(entry, bytes, this.dataset);
      const { times, dataset } = statedIn(entry, bytes, this.dataset);
      this.sections.push({ entry, number, table, times, encoded: dataset });
      onSection(entry, bytes, number);
    }
  }

  /** Throws `PackFormatError` when a footer differs from the one derived from the checked sections. */
  async checkFooters(): Promise<void> {
    for (const section of this.sections) {
      const { symbol, market, offset, length, footerLength } = section.entry;
      const at = offset + length - footerLength;
      await this.compare(at, this.footer([section]), `the footer of ${symbol}.${market}`);
    }
    await this.compare(this.pack.footerOffset, this.footer(this.sections), "the global footer");
  }

  /**
   * Yields, in pieces, the footer, with its length and magic, of a file that consists of consecutive checked sections,
   * followed by this footer.
   */
  footer(sections: readonly CheckedSection[]): Generator<Uint8Array> {
    const start = sections[0]?.entry.offset ?? 0;
    let [rows, count] = [0, 0];
    for (const { entry } of sections) {
      rows += entry.rows;
      count += entry.blocks.length;
    }
    const groups = sections
      .values()
      .map((each) => rowGroupsMetadata(rowGroupsOf(each), each.entry.offset - start, each.encoded));
    return footerPieces(rows, count, groups, this.dataset);
  }

  private async compare(offset: number, expected: Iterable<Uint8Array>, what: string): Promise<void> {
    let from = offset;
    for (const piece of expected) {
      const found = await this.pack.read(from, piece.length);
      const at = piece.findIndex((byte, i) => byte !== found[i]);
      if (at >= 0) throw new PackFormatError(`${what} differs at byte ${from + at}`);
      from += piece.length;
    }
  }
}

/** Returns the bytes of a section's chunk table. Throws `PackFormatError` when its bytes do not match the index. */
function checkSection(entry: SectionEntry, bytes: Uint8Array, { columns }: Dataset): Uint8Array {
  const code = `${entry.symbol}.${entry.market}`;
  entry.blocks.forEach((block, number) => {
    const to = entry.blocks[number + 1]?.offset ?? entry.length - entry.footerLength;
    if (crc32(bytes.subarray(block.offset, to)) !== block.crc) {
      throw new PackFormatError(
        `block ${number} of ${code} (byte ${entry.offset + block.offset}) is damaged`,
      );
    }
  });
  if (bytes.length !== entry.length || crc32(bytes) !== entry.crc) {
    throw new PackFormatError(`the section of ${code} (byte ${entry.offset}) is damaged`);
  }
  const ends = [bytes.subarray(0, 4), bytes.subarray(-4)];
  if (!ends.every((end) => PARQUET_MAGIC.every((byte, i) => byte === end[i]))) {
    throw new PackFormatError(`the section of ${code} does not begin and end with PAR1`);
  }
  const table = bytes.slice(4, 4 + chunkTableBytes(entry.blocks.length, columns.length));
  decodeChunkTable(table, entry.blocks.length, columns.length);
  return table;
}

/** Returns what the footer of a checked section states: the times of its blocks, and the encodings of its columns. */
function statedIn(
  entry: SectionEntry,
  bytes: Uint8Array<ArrayBuffer>,
  dataset: Dataset,
): { times: BlockTimes; dataset: Dataset } {
  const column = dataset.columns.findIndex(({ kind }) => kind === "time");
  const footer = bytes.slice(entry.length - entry.footerLength).buffer;
  const { row_groups } = asFormat(() => parquetMetadata(footer));
  const times = row_groups.map((group) => {
    const statistics = group.columns[column]?.meta_data?.statistics;
    return { first: String(statistics?.min_value), last: String(statistics?.max_value) };
  });
  const isFormer = dataset.columns.some(({ formerEncoding }, place) => {
    const stated = row_groups[0]?.columns[place]?.meta_data?.encodings ?? [];
    return formerEncoding !== undefined && stated.includes(formerEncoding);
  });
  return { times, dataset: isFormer ? formerly(dataset) : dataset };
}

/** Returns `dataset` with the encodings of earlier builders. */
function formerly(dataset: Dataset): Dataset {
  const columns = dataset.columns.map(
    (column): Column =>
      column.formerEncoding === undefined ? column : { ...column, encoding: column.formerEncoding },
  );
  return { ...dataset, columns };
}

function rowGroupsOf({ entry, table, times, encoded }: CheckedSection): RowGroup[] {
  const sizes = decodeChunkTable(table, entry.blocks.length, encoded.columns.length);
  return entry.blocks.map((block, number) => {
    let offset = block.offset;
    const chunks = (sizes[number] ?? []).map(({ dictionary, total, uncompressed }) => {
      const chunk = { offset, dataOffset: offset + dictionary, size: total, rawSize: uncompressed };
      offset += total;
      return chunk;
    });
    return {
      rows: (entry.blocks[number + 1]?.firstRow ?? entry.rows) - block.firstRow,
      symbol: entry.symbol,
      firstTime: times[number]?.first ?? "",
      lastTime: times[number]?.last ?? "",
      chunks,
    };
  });
}
