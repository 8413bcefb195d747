/** Measures minimum costs: single steps of an answer, each measured alone. */
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { DATASETS } from "../../../src/datasets/registry.ts";
import { type ChunkPages, findChunkPages } from "../../../src/packs/block-pages.ts";
import { decodeBlocks, encodeBlocks } from "../../../src/packs/blocks-blob.ts";
import { blockEnd, blockRows } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";
import { before, type RowsAsk } from "./rival.ts";

export interface Floor {
  name: string;
  task: () => unknown;
}

/** Returns the tasks that give the minimum costs of answering `ask`. `json` is the JSON text of the answer's rows. */
export async function rowFloors(day: BenchDay, ask: RowsAsk, json: string): Promise<Floor[]> {
  const { pack, entry } = day;
  const first = before(day, entry).rowGroups;
  const numbers = ask.told.rowGroups.map((group) => group - first);
  const start = entry.blocks[numbers[0] ?? 0]?.offset ?? 0;
  const end = blockEnd(entry, numbers.at(-1) ?? 0);
  const read = () => pack.read(entry.offset + start, end - start);
  const bytes = await read();
  const chunks = numbers.flatMap((number) => {
    const from = (entry.blocks[number]?.offset ?? 0) - start;
    const block = bytes.subarray(from, blockEnd(entry, number) - start);
    return findChunkPages(block, blockRows(entry, number), DATASETS[day.dataset].columns);
  });
  const rows: unknown = JSON.parse(json);
  return [
    { name: "floor: edgetape's look-up of the positions", task: lookUp(day) },
    { name: "floor: reading the bytes", task: read },
    { name: "floor: ZSTD alone", task: () => decompressAll(chunks) },
    { name: "floor: JSON.stringify of ready rows", task: () => JSON.stringify(rows) },
  ];
}

/** Reads a security's index row from SQLite, on which D1 is built, and decodes its blocks, as the service does. */
function lookUp({ pack, entry }: BenchDay): () => unknown {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE day_securities (symbol TEXT, market TEXT, section_offset INTEGER, section_length INTEGER,
    footer_length INTEGER, rows INTEGER, last_time INTEGER, crc INTEGER, blocks BLOB,
    PRIMARY KEY (symbol, market)) WITHOUT ROWID`);
  const insert = db.prepare("INSERT INTO day_securities VALUES (?,?,?,?,?,?,?,?,?)");
  for (const each of pack.index.entries) {
    const { symbol, market, offset, length, footerLength, rows, lastTime, crc, blocks } = each;
    insert.run(symbol, market, offset, length, footerLength, rows, lastTime, crc, encodeBlocks(blocks));
  }
  const select = db.prepare("SELECT * FROM day_securities WHERE symbol = ?");
  return () => select.all(entry.symbol).map(({ blocks }) => decodeBlocks(blocks as Uint8Array));
}

/** Returns the minimum cost of writing the whole section to a file at `path`. */
export function fileFloors({ pack, entry }: BenchDay, path: string): Floor[] {
  const read = () => pack.read(entry.offset, entry.length);
  return [{ name: "floor: reading the bytes", task: async () => writeFile(path, await read()) }];
}

function decompressAll(chunks: readonly ChunkPages[]): void {
  for (const { dictionary, data } of chunks) {
    if (dictionary !== null) zstdDecompressSync(dictionary.compressed);
    zstdDecompressSync(data.compressed);
  }
}
