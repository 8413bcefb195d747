/** Writes a sample auction pack as operators publish it: `<YYYYMMDD>_aucde.parquet` (contract 8.7). */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { type AuctionTick, sampleAuction } from "./auction.ts";

const COLUMNS: readonly { name: keyof AuctionTick; type: "STRING" | "DOUBLE" | "INT64" }[] = [
  { name: "symbol", type: "STRING" },
  { name: "tradedate", type: "STRING" },
  { name: "time", type: "STRING" },
  { name: "m_price", type: "DOUBLE" },
  { name: "auc_vol", type: "INT64" },
  { name: "auc_amt", type: "DOUBLE" },
  { name: "um_vol", type: "INT64" },
  { name: "um_side", type: "STRING" },
];

/** Returns the Parquet bytes of `ticks`: ZSTD on every column, none of them optional. */
export function auctionPackBytes(ticks: AuctionTick[]): Uint8Array<ArrayBuffer> {
  const columnData = COLUMNS.map(({ name, type }) => ({
    name,
    type,
    nullable: false,
    data: ticks.map((tick) => (type === "INT64" ? BigInt(tick[name]) : tick[name])),
  }));
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) };
  return new Uint8Array(parquetWriteBuffer({ columnData, codec: "ZSTD", compressors }));
}

/** Writes the sample auction pack of `tradedate` into `folder` (created if absent) and returns its path. */
export async function writeAuctionPack(
  tradedate: BeijingDate,
  folder: string,
): Promise<{ path: string; name: string; rows: number; sizeBytes: number }> {
  await mkdir(folder, { recursive: true });
  const name = `${tradedate}_aucde.parquet`;
  const path = join(folder, name);
  const ticks = sampleAuction(tradedate);
  const bytes = auctionPackBytes(ticks);
  await writeFile(path, bytes);
  return { path, name, rows: ticks.length, sizeBytes: bytes.length };
}
