/**
 * Builds the auction pack of a day from its quote pack (contract 8.10), security by security in the order of the pack.
 * Memory holds a row group and the current section.
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

/** A written auction pack. */
export interface AuctionPack {
  path: string;
  /** Number of securities with rows, and of rows. */
  securities: number;
  rows: number;
  /** Snapshots that are impossible in an auction and gave no row. */
  defects: number;
}

/** Returns whether the file at `path` is the auction pack of `pack`, an older one, a foreign file, or absent. */
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
 * Writes the auction pack of the quote pack `pack` to `path` atomically; equal packs give equal bytes. `known` holds
 * auctions that were read before, by code with suffix; the others are read. Returns `null`, and leaves no file, when no
 * security has an auction.
 */
export async function writeAuctionPack(
  pack: Pick<PackFile, "index" | "read">,
  path: string,
  known?: ReadonlyMap<string, Auction>,
): Promise<AuctionPack | null> {
  const { tradedate, buildId, entries } = pack.index;
  const sink = await FileSink.create(path);
  try {
    const writer = new AuctionWriter(tradedate, buildId);
    const written = { path, securities: 0, rows: 0, defects: 0 };
    for (const entry of entries) {
      const code = `${entry.symbol}.${entry.market}`;
      const { rows, defects } = known?.get(code) ?? (await readAuction(pack, entry));
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
