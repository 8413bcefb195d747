/** Verifies a pack: every byte, every row, by the eyes of a reader that is not ours. */
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex } from "../../packs/layout.ts";
import { compareRows } from "./compare-rows.ts";
import { ForeignReader } from "./foreign-rows.ts";
import { PackBytes } from "./pack-bytes.ts";

/** What must hold beyond the pack's own word. */
export interface Expected {
  /** Fingerprints of the source's rows in the order of the index; absent: there is no source to compare with. */
  fingerprints?: readonly number[];
  /** Threads of the foreign reader. */
  threads?: number;
}

export type Verified = { index: DayIndex; rows: number } | { difference: string };

/**
 * Checks checksums, footers, the order and number of rows per security, every amount, and the rows against
 * the source's fingerprints where they are known. Gives the place of the first difference.
 */
export async function verifyPack(
  path: string,
  { fingerprints, threads = 2 }: Expected = {},
): Promise<Verified> {
  try {
    const pack = await PackBytes.open(path);
    try {
      await pack.checkSections();
      const securities = await foreignSecurities(path, pack.index, threads);
      securities.forEach(({ fingerprint }, number) => {
        const entry = pack.index.entries[number];
        if (fingerprints === undefined || entry === undefined || entry.rows === 0) return;
        if (fingerprint === fingerprints[number]) return;
        throw new PackFormatError(`the rows of ${entry.symbol}.${entry.market} are not the source's`);
      });
      await pack.checkFooters(securities.map(({ times }) => times));
      return { index: pack.index, rows: pack.index.entries.reduce((sum, { rows }) => sum + rows, 0) };
    } finally {
      await pack.close();
    }
  } catch (error) {
    if (error instanceof PackFormatError) return { difference: error.message };
    throw error;
  }
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
