/** What nobody can do without: each floor is one part of an answer and nothing else. */
import { writeFile } from "node:fs/promises";
import { zstdDecompressSync } from "node:zlib";
import { type ChunkPages, walkBlock } from "../../../src/packs/block-pages.ts";
import { blockEnd, blockRows } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";
import { before, type RowsAsk } from "./rival.ts";

export interface Floor {
  name: string;
  task: () => unknown;
}

/** The floors of the rows of `ask`, whose JSON text is `json`. */
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
    return walkBlock(bytes.subarray(from, blockEnd(entry, number) - start), blockRows(entry, number));
  });
  const rows: unknown = JSON.parse(json);
  return [
    { name: "floor: reading the bytes", task: read },
    { name: "floor: ZSTD alone", task: () => decompressAll(chunks) },
    { name: "floor: JSON.stringify of ready rows", task: () => JSON.stringify(rows) },
  ];
}

/** The floors of the whole section as a file at `path`. */
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
