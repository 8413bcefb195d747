/** Verifies a pack: every byte, every row, by the eyes of a reader that is not ours. */
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex, SectionEntry } from "../../packs/layout.ts";
import { compareRows } from "./compare-rows.ts";
import { ForeignReader } from "./foreign-rows.ts";
import { PackBytes } from "./pack-bytes.ts";
import { servedFingerprint } from "./served-rows.ts";

/** What must hold beyond the pack's own word. */
export interface Expected {
  /**
   * Fingerprints of the source's rows in the order of the index. Absent: there is no source, and the rows that
   * DuckDB reads are compared with those that the service would answer with.
   */
  fingerprints?: readonly number[];
  /** Threads of the foreign reader. */
  threads?: number;
}

export type Verified = { index: DayIndex; rows: number } | { difference: string };

/**
 * Checks checksums, footers, the order and number of rows per security, every amount, and the rows themselves
 * against the source or a second reader. Gives the place of the first difference.
 */
export async function verifyPack(
  path: string,
  { fingerprints, threads = 2 }: Expected = {},
): Promise<Verified> {
  try {
    const pack = await PackBytes.open(path);
    try {
      const served: number[] = [];
      await pack.checkSections((entry, bytes, number) => {
        if (fingerprints === undefined) served[number] = servedFingerprint(entry, bytes);
      });
      await pack.checkFooters();
      const securities = await foreignSecurities(path, pack.index, threads);
      securities.forEach(({ fingerprint, times }, number) => {
        const { symbol, market, rows } = entryAt(pack.index, number);
        if (JSON.stringify(times) !== JSON.stringify(pack.times[number])) {
          throw new PackFormatError(`the footer of ${symbol}.${market} gives times its rows do not have`);
        }
        if (rows === 0 || fingerprint === (fingerprints ?? served)[number]) return;
        const others = fingerprints === undefined ? "those the service answers with" : "the source's";
        throw new PackFormatError(`the rows of ${symbol}.${market} are not ${others}`);
      });
      return { index: pack.index, rows: pack.index.entries.reduce((sum, { rows }) => sum + rows, 0) };
    } finally {
      await pack.close();
    }
  } catch (error) {
    if (error instanceof PackFormatError) return { difference: error.message };
    throw error;
  }
}

function entryAt(index: DayIndex, number: number): SectionEntry {
  const entry = index.entries[number];
  if (entry === undefined) throw new PackFormatError(`the index has no entry ${number}`);
  return entry;
}

async function foreignSecurities(path: string, index: DayIndex, threads: number) {
  let reader: ForeignReader | undefined;
  try {
    reader = await ForeignReader.open(path, threads);
    const strange = await reader.rowsOfOtherDays(index.tradedate);
    if (strange > 0) throw new PackFormatError(`${strange} rows are of another day than ${index.tradedate}`);
    return await compareRows(index, reader);
  } catch (error) {
    if (error instanceof PackFormatError) throw error;
    const sentence = error instanceof Error ? error.message : String(error);
    throw new PackFormatError(`DuckDB does not read it: ${sentence}`, { cause: error });
  } finally {
    reader?.close();
  }
}
