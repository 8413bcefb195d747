/**
 * Makes the auction pack of a day from its quote pack (contract 8.10): one security after the other, in the order of the
 * pack. Memory holds a row group and the section that is read.
 */
import { rm } from "node:fs/promises";
import { parquetMetadataAsync } from "hyparquet";
import { AUCTION_END, type Auction, auctionOf, UNNEEDED_COLUMNS } from "../auction/rows.ts";
import { quotes } from "../datasets/quotes.ts";
import { blockEnd, type SectionEntry } from "../packs/layout.ts";
import { AuctionWriter, QUOTES_KEY } from "./auction-writer.ts";
import { openLocalFile } from "./local-file.ts";
import type { PackFile } from "./pack-file.ts";
import { FileSink } from "./pack-sink.ts";
import { sectionRows } from "./verify/section-rows.ts";

/** Reads the auction of a security from its section of a quote pack; only the blocks that begin before its end are read. */
export async function readAuction(pack: Pick<PackFile, "read">, entry: SectionEntry): Promise<Auction> {
  const last = entry.blocks.findLastIndex(({ t0 }) => t0 < AUCTION_END);
  if (last < 0) return { rows: [], defects: [] };
  const bytes = await pack.read(entry.offset, blockEnd(entry, last));
  return auctionOf(sectionRows(entry, bytes, quotes, { unread: UNNEEDED_COLUMNS, before: AUCTION_END }));
}

/** An auction pack that was written. */
export interface AuctionPack {
  path: string;
  /** Number of securities with rows, and of rows. */
  securities: number;
  rows: number;
  /** Snapshots that the auction cannot have and that gave no row. */
  defects: number;
}

/** Whether the file at `path` is the auction pack of `pack`, another one, somebody else's file, or not there. */
export async function auctionFileAt(
  path: string,
  { index }: Pick<PackFile, "index">,
): Promise<"current" | "older" | "foreign" | "absent"> {
  const opened = await openLocalFile(path);
  if (!opened.ok) return opened.refusal.code === "ENOENT" ? "absent" : "foreign";
  const { sizeBytes, read, close } = opened.value;
  try {
    const metadata = await parquetMetadataAsync({
      byteLength: sizeBytes,
      slice: async (start, end = sizeBytes) => (await read(start, end - start)).buffer,
    });
    const made = metadata.key_value_metadata?.find(({ key }) => key === QUOTES_KEY);
    return made === undefined ? "foreign" : made.value === index.buildId ? "current" : "older";
  } catch {
    return "foreign";
  } finally {
    await close();
  }
}

/**
 * Writes the auction pack of `pack`, a quote pack, to `path`, whole or not at all; equal packs give equal bytes. `null`
 * when no security has an auction: then there is no file.
 */
export async function writeAuctionPack(
  pack: Pick<PackFile, "index" | "read">,
  path: string,
): Promise<AuctionPack | null> {
  const { tradedate, buildId, entries } = pack.index;
  const sink = await FileSink.create(path);
  try {
    const writer = new AuctionWriter(tradedate, buildId);
    const written = { path, securities: 0, rows: 0, defects: 0 };
    for (const entry of entries) {
      const { rows, defects } = await readAuction(pack, entry);
      written.defects += defects.length;
      written.securities += rows.length > 0 ? 1 : 0;
      written.rows += rows.length;
      writer.append(entry, rows);
      await sink.write(writer.take());
    }
    writer.finish();
    await sink.write(writer.take());
    if (written.rows > 0) {
      await sink.finish();
      return written;
    }
  } catch (error) {
    await sink.discard();
    throw error;
  }
  await sink.discard();
  await rm(path, { force: true });
  return null;
}
