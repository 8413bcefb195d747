import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyPack } from "../../../src/pack-builder/verify/verify-pack.ts";
import { BUILDER_VERSION, type PackOrigin } from "../../../src/packs/origin.ts";
import { burst, columnsOf } from "../../support/builders.ts";
import { sha256 } from "../../support/operator.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { bare } from "../../support/result.ts";
import { built, DAY, delivery, indexOf, temporaryFolder, vendorFile, vendorLine } from "./deliveries.ts";
import { zipOf } from "./zip-file.ts";

const shanghai = vendorFile(vendorLine(), vendorLine({ volume: "x" }), "", vendorLine());
const shenzhen = vendorFile(vendorLine({ code: "000001.SZ", exchangeCode: "000001", type: "0" }));

describe("the origin recorded in a pack", () => {
  it("contains the builder's version, each file read with its size and SHA-256, and the row accounting", async () => {
    const archive = zipOf([
      { name: "000001.SZ/逐笔委托.csv", content: shenzhen },
      { name: "000001.SZ/逐笔成交.csv", content: "x" },
    ]);
    const folder = delivery({
      "20230711/600519.SH/逐笔委托.csv": shanghai,
      "20230711/sz.zip": archive,
      "20230711/notes.txt": "x",
    });
    const { report, pack } = await built(folder, { maxBroken: 1 });
    const { origin } = await indexOf(pack);
    expect(origin).toEqual(report.origin);
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    const list = [
      {
        path: `${name}/20230711/600519.SH/逐笔委托.csv`,
        sizeBytes: Buffer.byteLength(shanghai),
        sha256: sha256(shanghai),
      },
      { path: `${name}/20230711/sz.zip`, sizeBytes: archive.length, sha256: sha256(archive) },
    ];
    expect(origin?.builderVersion).toBe(BUILDER_VERSION);
    expect(origin?.sources).toEqual(list);
    expect(origin?.sourcesSha256).toBe(sha256(list.map((each) => `${each.sha256}  ${each.path}\n`).join("")));
    expect(origin?.rows).toEqual({ read: 4, quarantined: 1, leftOut: {} });
    expect(origin?.files).toEqual({
      read: 2,
      quarantined: 0,
      leftOut: { unknown_layout: 1, other_dataset: 1 },
    });
  });

  it("contains the SHA-256 of the delivered file, even if it was read in chunks or is Parquet", async () => {
    const lines = Array.from({ length: 300 }, (_, i) => vendorLine({ exchangeOrderId: String(i) }));
    const file = vendorFile(...lines);
    const { report } = await built(delivery({ "600519.SH/逐笔委托.csv": file }), {
      chunkBytes: 500,
      threads: 2,
    });
    expect(report.origin?.sources).toMatchObject([
      { sizeBytes: Buffer.byteLength(file), sha256: sha256(file) },
    ]);
    const first = await built(delivery({ "600519.SH/逐笔委托.csv": vendorFile(vendorLine()) }));
    const bytes = readFileSync(first.pack);
    const again = await built(delivery({ "orders.parquet": bytes }));
    expect(again.report.origin?.sources).toMatchObject([{ sizeBytes: bytes.length, sha256: sha256(bytes) }]);
    expect(again.report.buildId).toBe(first.report.buildId);
  });
});

describe("a pack's origin", () => {
  const { symbol, market, orders } = burst({ symbol: "600519", time: "093000000", rows: 5 });
  const section = { symbol, market, columns: columnsOf(orders) };
  const path = () => join(temporaryFolder(), "pack.parquet");
  const origin: PackOrigin = {
    builderVersion: BUILDER_VERSION,
    sourcesSha256: sha256(""),
    sources: [],
    rows: { read: 6, quarantined: 1, leftOut: {} },
    files: { read: 1, quarantined: 0, leftOut: {} },
  };

  it("fails verification if its list of sources does not match its checksum", async () => {
    const file = path();
    writeFileSync(file, await buildPackBytes(DAY, [section], origin));
    expect(bare(await verifyPack(file))).toMatchObject({ rows: 5, index: { origin } });
    writeFileSync(file, await buildPackBytes(DAY, [section], { ...origin, sourcesSha256: sha256("x") }));
    expect(bare(await verifyPack(file))).toMatchObject({
      reason: "differs",
      difference: expect.stringContaining("list of source files"),
    });
  });

  it("may be absent, but cannot be written with row counts that do not add up", async () => {
    const file = path();
    writeFileSync(file, await buildPackBytes(DAY, [section], null));
    expect(bare(await verifyPack(file))).toMatchObject({ rows: 5, index: { origin: null } });
    const open = { ...origin, rows: { ...origin.rows, read: 7 } };
    await expect(buildPackBytes(DAY, [section], open)).rejects.toThrow(/the numbers do not add up/);
  });
});
