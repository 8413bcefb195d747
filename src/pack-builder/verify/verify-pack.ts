/** Verifies every byte and every row of a pack with an independent reader. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { ok, type Result, refused } from "../../base/result.ts";
import { DATASET_NAMES, DATASETS } from "../../datasets/registry.ts";
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex } from "../../packs/layout.ts";
import { accountingGap } from "../../packs/origin.ts";
import { originOf } from "../accounting.ts";
import { withDuckDB } from "../duckdb.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { openPackFile, type PackFile, type PackFileDenial } from "../pack-file.ts";
import { type ComparedSecurity, RowComparison } from "./compare-rows.ts";
import { foreignRows } from "./foreign-rows.ts";
import { PackBytes } from "./pack-bytes.ts";
import { sectionRows } from "./section-rows.ts";
import { slicesOf } from "./slices.ts";

/** What the pack is compared with, and how. */
export interface Expected {
  /**
   * Fingerprints of the source rows in the order of the index. When absent, the rows that DuckDB reads are compared
   * with the rows that the service would return.
   */
  fingerprints?: readonly number[];
  /** The number of threads that DuckDB uses. */
  threads?: number;
  /** The folder for the slices of a large pack; a temporary folder of the system when absent. */
  scratch?: string;
  /** The maximum number of column chunks in a slice of several sections (see `slicesOf`). */
  mostChunks?: number;
  /** Called with the share of completed work, from 0 to 1. */
  onProgress?: (share: number) => void;
}

/** The checksums take this share of the time; decoding and comparing the rows takes the rest. */
const BYTES_SHARE = 0.1;

export interface Verified {
  index: DayIndex;
  rows: number;
}

/** The reason why verification fails: the pack cannot be opened, or the bytes or rows at a named position differ. */
export type VerifyDenial = PackFileDenial | { reason: "differs"; difference: string };

/**
 * Checks the checksums, the footers, the order and number of each security's rows, and every amount. Compares the rows
 * with the source or with a second reader. Returns the place of the first difference.
 */
export async function verifyPack(
  path: string,
  expected: Expected = {},
): Promise<Result<Verified, VerifyDenial>> {
  const opened = await openPackFile(path, DATASET_NAMES);
  if (!opened.ok) return opened;
  const pack = opened.value;
  try {
    checkOrigin(pack.index);
    await verifyOpened(path, pack, expected);
    return ok({ index: pack.index, rows: rowsIn(pack.index) });
  } catch (error) {
    if (error instanceof PackFormatError) return refused({ reason: "differs", difference: error.message });
    throw error;
  } finally {
    await pack.close();
  }
}

function rowsIn({ entries }: DayIndex): number {
  return entries.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Throws `PackFormatError` when the row accounting does not add up or the list of sources does not match its checksum.
 */
function checkOrigin(index: DayIndex): void {
  const { origin } = index;
  if (origin === null) return;
  const gap = accountingGap(origin, rowsIn(index));
  if (gap !== null) throw new PackFormatError(gap);
  const { sourcesSha256 } = originOf(origin.sources, origin);
  if (sourcesSha256 !== origin.sourcesSha256) {
    throw new PackFormatError("the list of source files does not match its SHA-256");
  }
}

/** Throws `PackFormatError` with the place of the first difference. */
async function verifyOpened(
  path: string,
  pack: PackFile,
  { fingerprints, onProgress = () => {}, ...expected }: Expected,
): Promise<void> {
  const dataset = DATASETS[pack.index.dataset];
  const bytes = new PackBytes(pack);
  // The fingerprints of the rows that the service returns. They equal DuckDB's when JSON and Parquet have the same data.
  const served: number[] = [];
  await bytes.checkSections((entry, section, number) => {
    if (fingerprints === undefined)
      served[number] = fingerprintOf(sectionRows(entry, section, dataset), dataset);
    onProgress((BYTES_SHARE * (number + 1)) / pack.index.entries.length);
  });
  await bytes.checkFooters();
  const securities = await foreignSecurities(path, pack, bytes, {
    ...expected,
    onProgress: (share) => onProgress(BYTES_SHARE + (1 - BYTES_SHARE) * share),
  });
  for (const { entry, number, times } of bytes.sections) {
    const { symbol, market } = entry;
    const found = securities[number];
    if (JSON.stringify(found?.times) !== JSON.stringify(times)) {
      throw new PackFormatError(
        `the footer of ${symbol}.${market} has times that differ from those of its rows`,
      );
    }
    if (found?.fingerprint === (fingerprints ?? served)[number]) continue;
    const others = fingerprints === undefined ? "those that the service returns" : "the source's";
    throw new PackFormatError(`the rows of ${symbol}.${market} differ from ${others}`);
  }
}

/**
 * Reads the pack with DuckDB and returns the result for every security. DuckDB's own errors become `PackFormatError`.
 */
async function foreignSecurities(
  path: string,
  pack: PackFile,
  bytes: PackBytes,
  { threads = 2, scratch, mostChunks, onProgress = () => {} }: Omit<Expected, "fingerprints">,
): Promise<ComparedSecurity[]> {
  const { index } = pack;
  // Little of the pack is read twice, so a cache of its bytes would only take memory.
  const settings = { threads: String(threads), enable_external_file_cache: "false" };
  const total = rowsIn(index);
  const comparison = new RowComparison(index);
  let done = 0;
  const compare = async (connection: DuckDBConnection, slice: string) => {
    for await (const rows of foreignRows(connection, slice, index)) {
      comparison.take(rows);
      done += rows.rows;
      onProgress(Math.min(1, done / total));
    }
  };
  for await (const slice of slicesOf(path, pack, bytes, scratch, mostChunks)) {
    await withDuckDB((connection) => compare(connection, slice), settings).catch(asUnreadable);
  }
  return comparison.end();
}

/** Throws an error of DuckDB as `PackFormatError`. */
function asUnreadable(error: unknown): never {
  if (error instanceof PackFormatError) throw error;
  const sentence = error instanceof Error ? error.message : String(error);
  throw new PackFormatError(`DuckDB cannot read it: ${sentence}`, { cause: error });
}
