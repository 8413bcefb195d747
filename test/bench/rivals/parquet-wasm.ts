/** parquet-wasm cannot search for rows, so the row groups and the number of rows to skip are given. */
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type Table, tableFromIPC } from "apache-arrow";
import * as wasm from "parquet-wasm/node";
import { ROW_GROUP_ROWS } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";
import { before, type Rival, type RivalSetting, type RowsAsk } from "./rival.ts";

export async function parquetWasm({ day }: RivalSetting): Promise<Rival> {
  const file = await wasm.ParquetFile.fromFile(await openAsBlob(day.path));
  return {
    name: "parquet-wasm, told the row groups",
    async rows({ told }: RowsAsk) {
      const table = await file.read({
        rowGroups: told.rowGroups,
        offset: told.startRow - told.rowsBeforeGroups,
        limit: told.endRow - told.startRow,
        batchSize: ROW_GROUP_ROWS,
      });
      return asJson(tableFromIPC(table.intoIPCStream()), day);
    },
    async parquet(_symbol: string, path: string) {
      const first = before(day, day.entry).rowGroups;
      const rowGroups = day.entry.blocks.map((_, number) => first + number);
      const table = await file.read({ rowGroups, batchSize: ROW_GROUP_ROWS });
      const properties = new wasm.WriterPropertiesBuilder()
        .setCompression(wasm.Compression.ZSTD)
        .setMaxRowGroupSize(ROW_GROUP_ROWS)
        .build();
      await writeFile(path, wasm.writeParquet(table, properties));
    },
  };
}

function asJson(table: Table, day: BenchDay): string {
  const columns = day.columns.map(({ field }) => {
    const values: Iterable<unknown> = table.getChild(field)?.toArray() ?? [];
    return Array.from(values, (value) => (typeof value === "bigint" ? Number(value) : value));
  });
  return JSON.stringify(
    Array.from({ length: table.numRows }, (_, row) => columns.map((values) => values[row])),
  );
}
