/**
 * The rival hyparquet. It receives the numbers of the rows to read, and the day's footer is parsed in advance. For a
 * Parquet answer, it reads all rows of the security and hyparquet-writer writes them to a file.
 */
import { writeFile } from "node:fs/promises";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { DATASETS } from "../../../src/datasets/registry.ts";
import { before, type Rival, type RivalSetting, type RowsAsk } from "./rival.ts";

type Objects = Record<string, unknown>[];

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
const fromBigInt = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** Opens the day's file and returns a rival that receives the numbers of the rows to read. */
export async function hyparquetTold(setting: RivalSetting): Promise<Rival> {
  const source = await sourceOf(setting);
  const { entry, columns, dataset } = setting.day;
  const asJson = (rows: Objects) =>
    JSON.stringify(rows.map((row) => columns.map(({ field }) => fromBigInt(row[field]))));
  return {
    name: "hyparquet, told the row numbers",
    async rows({ told }: RowsAsk) {
      const { startRow: rowStart, endRow: rowEnd } = told;
      return asJson(await parquetReadObjects({ ...source, rowStart, rowEnd }));
    },
    async parquet(_symbol: string, path: string) {
      const rowStart = before(setting.day, entry).rows;
      const rows: Objects = await parquetReadObjects({ ...source, rowStart, rowEnd: rowStart + entry.rows });
      const columnData = DATASETS[dataset].columns.map(({ name, type }) => ({
        name,
        type: type === "BYTE_ARRAY" ? ("STRING" as const) : type,
        data: rows.map((row) => row[name]),
      }));
      const file = parquetWriteBuffer({
        columnData,
        codec: "ZSTD",
        compressors: { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdCompressSync(bytes)) },
        rowGroupSize: 10_000,
      });
      await writeFile(path, new Uint8Array(file));
    },
  };
}

async function sourceOf({ day }: RivalSetting) {
  const { pack } = day;
  const file = {
    byteLength: pack.sizeBytes,
    slice: async (start: number, end = pack.sizeBytes) => (await pack.read(start, end - start)).buffer,
  };
  return { file, compressors, metadata: await parquetMetadataAsync(file) };
}
