import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { dayOfName, isUnderWay } from "../../../../src/cli/nightly/delivery-names.ts";
import { cutFormat, deliveryProblem } from "../../../../src/cli/nightly/delivery-problem.ts";
import { isEmpty, namedDeliveries, readDelivery } from "../../../../src/cli/nightly/drop-folder.ts";
import { zipOf } from "../../pack-builder/zip-file.ts";

const DAY = "20260312" as BeijingDate;
const NOTHING = { marker: null, types: [] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "edgetape-drop-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string | Uint8Array = "x"): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const problem = async (expected: Parameters<typeof deliveryProblem>[2] = NOTHING) =>
  (await deliveryProblem(folder, await readDelivery(folder, DAY), expected))?.en ?? null;

describe("the day of a name", () => {
  it("is its one date, however it is written", () => {
    expect(dayOfName("20260312")).toBe(DAY);
    expect(dayOfName("SH_2026-03-12_orders.zip")).toBe(DAY);
    expect(dayOfName("20260312_20260312.7z")).toBe(DAY);
    for (const none of [
      "orders.zip",
      "2026",
      "20260230",
      "120260312",
      "20260311-20260312.zip",
      "202603120",
    ]) {
      expect(dayOfName(none)).toBeNull();
    }
  });

  it("says whether a transfer is under way", () => {
    for (const name of [
      "20260312.zip.part",
      "20260312.7z.PARTIAL",
      ".20260312.zip.Xa93Qz",
      "a.csv.filepart",
    ]) {
      expect(isUnderWay(name)).toBe(true);
    }
    for (const name of ["20260312.zip", "partial_20260312.csv", "20260312"])
      expect(isUnderWay(name)).toBe(false);
  });
});

describe("a drop folder", () => {
  it("sorts what it holds by day and by what it is for", async () => {
    const csv = put("20260312/600519.SH/逐笔委托.csv");
    const auction = put("20260312_aucde.parquet");
    const trades = put("level2/20260312_trades.zip");
    put("20260312.zip.sha256");
    put("20260312.done");
    put("readme 20260312.pdf");
    put("2026/202603/20260311.7z");
    put("2026/202603/deep/deeper/20260310.zip");
    put(".edgetape/days/20260312.json");
    const found = await namedDeliveries(folder);
    expect([...found.keys()].sort()).toEqual(["20260311", "20260312"]);
    expect(found.get(DAY)).toEqual({
      tradedate: DAY,
      orders: [dirname(dirname(csv))],
      files: [
        { dataType: "auction_tick", name: "20260312_aucde.parquet", path: auction },
        { dataType: "level2", name: "20260312_trades.zip", path: trades },
      ],
      underWay: [],
    });
  });

  it("looks through links to folders", async () => {
    const elsewhere = join(folder, "elsewhere");
    put("elsewhere/600519.SH/逐笔委托.csv");
    symlinkSync(elsewhere, join(folder, "20260312"));
    expect((await readDelivery(folder, DAY)).orders).toEqual([join(folder, "20260312")]);
  });

  it("has a fingerprint that every name, size and time of modification changes", async () => {
    expect(isEmpty(await readDelivery(folder, DAY))).toBe(true);
    const path = put("20260312/a.csv", "one");
    const seen = new Set([(await readDelivery(folder, DAY)).fingerprint]);
    const look = async () => seen.add((await readDelivery(folder, DAY)).fingerprint);
    await look();
    expect(seen.size).toBe(1);
    put("20260312/b.csv");
    await look();
    put("20260312/a.csv", "longer");
    await look();
    utimesSync(path, 1_000_000, 1_000_000);
    await look();
    put("20260311/a.csv");
    await look();
    expect(seen.size).toBe(4);
  });
});

describe("a delivery at rest", () => {
  it("is complete, or says what it lacks", async () => {
    const trades = { marker: null, types: ["level2" as const] };
    put("20260312_aucde.parquet", "PAR1 PAR1");
    expect(await problem()).toBe("there are files for shares and no orders");
    put("20260312/a.csv");
    expect(await problem()).toBeNull();
    expect(await problem({ marker: "{date}.done", types: [] })).toBe("20260312.done has not come");
    put("20260312.done");
    expect(await problem({ marker: "{date}.done", types: [] })).toBeNull();
    expect(await problem(trades)).toBe("no level2 file has come");
    put("level2/20260312.zip", "cut");
    expect(await problem(trades)).toBe("20260312.zip is not a whole ZIP file");
    put("20260312/.a.csv.k2J9dk");
    expect(await problem()).toBe(".a.csv.k2J9dk is still being written, by its name");
  });

  it("shows by their ends whether archives are whole", async () => {
    const zip = zipOf([{ name: "600519.SH/逐笔委托.csv", content: "x".repeat(500) }]);
    expect(await cutFormat(put("a.zip", zip))).toBeNull();
    expect(await cutFormat(put("a.zip", zip.subarray(0, zip.length - 30)))).toBe("ZIP");
    const sevenZip = Buffer.alloc(100);
    Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]).copy(sevenZip);
    expect(await cutFormat(put("a.7z", sevenZip))).toBe("7z");
    sevenZip.writeBigUInt64LE(40n, 12);
    sevenZip.writeBigUInt64LE(28n, 20);
    expect(await cutFormat(put("a.7z", sevenZip))).toBeNull();
    expect(await cutFormat(put("a.7z", sevenZip.subarray(0, 99)))).toBe("7z");
    expect(await cutFormat(put("a.parquet", "PAR1 PAR1"))).toBeNull();
    expect(await cutFormat(put("a.parquet", "PAR1 PAR"))).toBe("Parquet");
    expect(await cutFormat(put("empty.parquet", ""))).toBe("Parquet");
    expect(await cutFormat(put("a.csv", ""))).toBeNull();
  });
});
