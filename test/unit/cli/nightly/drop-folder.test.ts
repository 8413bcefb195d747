import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { openDailyFile } from "../../../../src/cli/file-commands.ts";
import {
  dayOfName,
  isEmpty,
  namedDeliveries,
  readDelivery,
  refuseAbsent,
} from "../../../../src/cli/nightly/drop-folder.ts";
import { cutFormat, deliveryProblem, type Expected } from "../../../../src/cli/nightly/wait-for-delivery.ts";
import { isUnderWay } from "../../../../src/pack-builder/delivery/file-names.ts";
import { isMissing } from "../../../support/tools.ts";
import { zipOf } from "../../pack-builder/zip-file.ts";

const DAY = "20260312" as BeijingDate;

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

const problem = async (expected: Expected = {}) =>
  (await deliveryProblem(folder, await readDelivery(folder, DAY), expected))?.en ?? null;

describe("the day in a file name", () => {
  it("is the name's only date, in any notation", () => {
    expect(dayOfName("20260312")).toBe(DAY);
    expect(dayOfName("SH_2026-03-12_orders.zip")).toBe(DAY);
    expect(dayOfName("20260312_20260312.7z")).toBe(DAY);
    for (const none of ["orders.zip", "20260230", "120260312", "202603120", "20260311-20260312.zip"])
      expect(dayOfName(none)).toBeNull();
  });
});

describe("the name of an unfinished transfer", () => {
  it("is recognised, and other names are not", () => {
    for (const name of [
      "20260312.zip.part",
      "20260312.7z.PARTIAL",
      ".20260312.zip.Xa93Qz",
      "a.csv.filepart",
      "20260312.csv.downloading",
      "20260312.7z.baiduyun.p.downloading",
      "a.zip.crdownload",
      "a.zip.aria2",
      "a.csv.tmp",
      "a.csv~",
    ]) {
      expect(isUnderWay(name)).toBe(true);
    }
    for (const name of ["20260312.zip", "partial_20260312.csv", "20260312", ".DS_Store"])
      expect(isUnderWay(name)).toBe(false);
  });
});

describe("a drop folder", () => {
  it("is read with its files grouped by day and purpose", async () => {
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
      links: [],
    });
  });

  it("is searched for every kind of file that may hold the day's orders", async () => {
    const names = [
      "20260312",
      "20260312.7z.001",
      "20260312.7z.002",
      "20260312.csv.gz",
      "20260312.rar",
      "20260312.tar",
    ];
    const paths = names.map((name) => put(name));
    expect((await readDelivery(folder, DAY)).orders).toEqual(paths);
  });

  it("is read without following symbolic links to a day, a file or a parent folder", async () => {
    put("elsewhere/20260312/600519.SH/逐笔委托.csv");
    put("secret.env");
    const from = join(folder, "elsewhere");
    mkdirSync(join(folder, "drop", "level2"), { recursive: true });
    const to = (name: string, target: string) => symlinkSync(target, join(folder, "drop", name));
    to("20260312", join(from, "20260312"));
    to("2026", from);
    to("level2/20260312_trades.csv", join(folder, "secret.env"));
    const drop = join(folder, "drop");
    const delivery = await readDelivery(drop, DAY);
    expect(delivery).toMatchObject({ orders: [], links: [join(drop, "20260312")], contents: [] });
    expect((await deliveryProblem(drop, delivery, {}))?.en).toBe(
      "20260312 is a link, and links are not followed; put the file itself there",
    );
    const [file] = delivery.files;
    const place = { dataType: "level2" as const, tradedate: DAY, name: "20260312_trades.csv" };
    await expect(openDailyFile(file?.path ?? "", place, drop)).rejects.toThrow(
      "20260312_trades.csv is a link, and links are not followed",
    );
    const behind = join(drop, "2026", "20260312", "600519.SH", "逐笔委托.csv");
    await expect(openDailyFile(behind, place, drop)).rejects.toThrow("is a link, and links are not followed");
  });

  it("has a fingerprint that changes with every name, size and modification time", async () => {
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

  it("has a mark that changes with the content, even when the modification time is restored", async () => {
    const path = put("20260312/a.csv", "one");
    utimesSync(path, 1_000_000, 1_000_000);
    const before = await readDelivery(folder, DAY);
    // File times may be coarse, so this writes again until the mark differs.
    while ((await readDelivery(folder, DAY)).mark === before.mark) {
      put("20260312/a.csv", "two");
      utimesSync(path, 1_000_000, 1_000_000);
    }
    expect((await readDelivery(folder, DAY)).fingerprint).toBe(before.fingerprint);
  });

  it("that does not exist or is a file makes the command fail", async () => {
    await expect(refuseAbsent(join(folder, "absent"))).rejects.toThrow(
      /^There is no drop folder .*absent\.$/,
    );
    await expect(refuseAbsent(put("file"))).rejects.toThrow("is not a folder");
    await refuseAbsent(folder);
  });
});

describe("a delivery that no longer changes", () => {
  it("is complete, or is reported with what is missing", async () => {
    const trades: Expected = { expect: ["level2"] };
    put("20260312_aucde.parquet", "PAR1 PAR1");
    expect(await problem()).toBe("there are files to be shared but no market data");
    put("20260312/a.csv");
    expect(await problem()).toBeNull();
    expect(await problem({ marker: "{date}.done" })).toBe("20260312.done has not arrived");
    put("20260312.done");
    expect(await problem({ marker: "{date}.done" })).toBeNull();
    expect(await problem(trades)).toBe("no level2 file has arrived");
    put("level2/20260312.zip", "cut");
    expect(await problem(trades)).toBe("20260312.zip is not a complete ZIP file");
    put("20260312/.a.csv.k2J9dk");
    expect(await problem()).toBe(".a.csv.k2J9dk is still being written, as its name says");
  });

  it("is incomplete while any of its files ends in NUL bytes", async () => {
    for (const [name, text] of [
      ["20260312/600519.SH/逐笔委托.csv", "a,b\r\n\0\0\0"],
      ["20260312/a.csv.gz", Buffer.concat([gzipSync("x"), Buffer.alloc(16)])],
      ["level2/20260312_trades.csv", "a\0"],
    ] as const) {
      put("20260312/b.csv", "b\n");
      const path = put(name, text);
      const named = name.startsWith("level2") ? basename(name) : name;
      expect(await problem()).toBe(`${named} ends in NUL bytes: it is still being written`);
      rmSync(path);
      expect(await problem()).toBeNull();
    }
    put("20260312/c.csv.gz", gzipSync("x"));
    put("20260312/d.tar", Buffer.alloc(1024));
    expect(await problem()).toBeNull();
  });

  it.skipIf(isMissing("7z"))("is incomplete until every part of a split archive has arrived", async () => {
    put("in/orders.csv", "x,y\n".repeat(2_000));
    const made = spawnSync("7z", ["a", "-v1k", "-mx0", join(folder, "20260312.7z"), join(folder, "in")]);
    expect(made.status).toBe(0);
    expect(await problem()).toBeNull();
    const parts = readdirSync(folder)
      .filter((name) => name.startsWith("20260312.7z"))
      .sort();
    const last = join(folder, parts.at(-1) ?? "");
    renameSync(last, join(folder, "kept"));
    expect(await problem()).toBe("20260312.7z.001 is not a complete 7z file");
    renameSync(join(folder, "kept"), last);
    rmSync(join(folder, "20260312.7z.002"));
    expect(await problem()).toBe("20260312.7z.002, a part of a split archive, has not arrived");
  });

  it("is checked for truncated ZIP, 7z and Parquet files", async () => {
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
