/**
 * Builds a day's auction pack from its quote pack (contract 8.10), one security at a time in the quote pack's order.
 * Memory holds one row group and the current section.
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

/**
 * Reads a security's opening auction from its section of a quote pack. Only blocks that begin before the end of the
 * auction are read.
 */
export async function readAuction(pack: Pick<PackFile, "read">, entry: SectionEntry): Promise<Auction> {
  const last = entry.blocks.findLastIndex(({ t0 }) => t0 < AUCTION_END);
  if (last < 0) return { rows: [], defects: [] };
  const bytes = await pack.read(entry.offset, blockEnd(entry, last));
  return auctionOf(sectionRows(entry, bytes, quotes, { unread: UNNEEDED_COLUMNS, before: AUCTION_END }));
}

/** A written auction pack. */
export interface AuctionPack {
  path: string;
  /** The number of securities that have rows in the pack. */
  securities: number;
  rows: number;
  /** The number of snapshots that are impossible in an auction and were left out. */
  defects: number;
}

/**
 * Returns how the auction file at `path` relates to the quote pack with this index. `current`: it was made from this
 * pack. `older`: it was made from a different build of quotes. `foreign`: it is not a readable auction pack. `absent`:
 * there is no file.
 */
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
 * Writes the auction pack for the quote pack `pack` to `path` atomically. Equal quote packs give equal bytes. When no
 * security has an auction, removes any file at `path` and returns `null`.
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
