/** Programs that read pieces of a share's Parquet files over HTTP, with the password. */
import { zstdDecompressSync } from "node:zlib";
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import { DAY, startDriveWorld } from "../conformance/drive-world.ts";
import { basic } from "../support/drive.ts";

const world = await startDriveWorld();
afterAll(() => world.stop());

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** Returns a file of the share for hyparquet. */
function open(path: string) {
  const { url, shareId, password } = world.share;
  return asyncBufferFromUrl({ url: url + path, requestInit: { headers: basic(shareId, password) } });
}

describe("hyparquet's asyncBufferFromUrl", () => {
  it("reads the rows of the day's pack by ranges", async () => {
    const before = world.service.logs.length;
    const file = await open(`${DAY}/${DAY}_orders.parquet`);
    const metadata = await parquetMetadataAsync(file);
    expect(metadata.row_groups.length).toBeGreaterThan(5);
    const rows = await parquetReadObjects({ file, metadata, compressors });
    expect(rows).toHaveLength(world.main.securities.reduce((sum, { orders }) => sum + orders.length, 0));
    const maotai = rows.filter(({ symbol }) => symbol === "600519");
    expect(maotai.map(({ time, volume }) => [time, Number(volume)])).toEqual(
      world.main.rowsOf("600519").map((row) => [row[2], row[8]]),
    );
    const parts = world.service.logs.slice(before).filter((line) => line.includes('"status":206'));
    expect(parts.length).toBeGreaterThan(0);
  });

  it("reads the file of one security in by-symbol", async () => {
    const file = await open(`${DAY}/by-symbol/600519.SH.parquet`);
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toHaveLength(world.main.rowsOf("600519").length);
    expect(new Set(rows.map(({ symbol }) => symbol))).toEqual(new Set(["600519"]));
  });

  it("is refused without the password", async () => {
    await expect(
      asyncBufferFromUrl({ url: `${world.share.url}${DAY}/${DAY}_orders.parquet` }),
    ).rejects.toThrow("401");
  });
});
