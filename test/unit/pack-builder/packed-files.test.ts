/** Tests packed files in a delivery: compressed files, nested and split archives, and files with equal names. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { sha256 as hashOf } from "../../support/operator.ts";
import { isMissing } from "../../support/tools.ts";
import {
  built,
  countsOf,
  delivery,
  entriesOf,
  indexOf,
  temporaryFolder,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";
import { archive, sevenZip, zipOf } from "./zip-file.ts";

const NAME = "逐笔委托.csv";
const PLAIN = "symbol,tradedate,time,order_id,exchange_order_id,order_type,order_code,price,volume";
const SHANGHAI = vendorFile(vendorLine({ time: "103000000" }));

/** Returns `count` orders of 600519 in the plain layout, numbered from `from`. */
function plainFile(from: number, count: number): string {
  const rows = Array.from(
    { length: count },
    (_, n) => `600519.SH,20230711,103000000,0,${from + n},A,B,1.5,100`,
  );
  return `${[PLAIN, ...rows].join("\n")}\n`;
}

describe("a compressed single file", () => {
  it("is read like the plain file, whether it is in a security's folder, in an archive or alone", async () => {
    const expected = await built(delivery({ [`600519.SH/${NAME}`]: SHANGHAI }));
    const packed = { gz: gzipSync(SHANGHAI), zst: zstdCompressSync(Buffer.from(SHANGHAI)) };
    for (const [ending, bytes] of Object.entries(packed)) {
      const zip = zipOf([{ name: `600519.SH/${NAME}.${ending}`, content: bytes }]);
      for (const source of [
        delivery({ [`600519.SH/${NAME}.${ending}`]: bytes }),
        archive("20230711.zip", zip),
        archive(`orders.csv.${ending}`, bytes),
      ]) {
        const { pack, report } = await built(source);
        expect(report).toMatchObject({ result: "whole", rows: 1, defects: [], layouts: { vendor: 1 } });
        expect((await entriesOf(pack)).map(({ symbol, rows }) => [symbol, rows])).toEqual([["600519", 1]]);
        expect(readdirSync(dirname(pack))).toEqual(["20230711.parquet"]);
      }
    }
    expect(expected.report.rows).toBe(1);
  });

  it("is read to its end when it has several zstd frames or gzip members", async () => {
    const more = [401, 801].map((from) => plainFile(from, 400).slice(PLAIN.length + 1));
    const pieces = [plainFile(1, 400), ...more];
    for (const source of [
      { "orders.csv.zst": Buffer.concat(pieces.map((text) => zstdCompressSync(Buffer.from(text)))) },
      { "orders.csv.gz": Buffer.concat(pieces.map((text) => gzipSync(text))) },
    ]) {
      expect((await built(delivery(source))).report).toMatchObject({ rows: 1200, result: "whole" });
    }
  });

  it("that is truncated or damaged is refused; the message names it and says what to do", async () => {
    const text = Buffer.from(plainFile(1, 500));
    for (const [name, bytes] of [
      ["orders.csv.gz", gzipSync(text)],
      ["orders.csv.zst", zstdCompressSync(text)],
    ] as const) {
      for (const wrong of [
        bytes.subarray(0, bytes.length - 9),
        Buffer.alloc(0),
        Buffer.concat([bytes, text]),
      ]) {
        await expect(built(delivery({ [name]: wrong }))).rejects.toThrow(
          new RegExp(`${name} is truncated or damaged: .*; deliver it again$`),
        );
      }
    }
  });
});

describe("an archive in a delivery", () => {
  const inner = zipOf([{ name: `600519.SH/${NAME}`, content: SHANGHAI }]);

  it("belongs to a security if its name is the security's code", async () => {
    const own = zipOf([{ name: NAME, content: vendorFile("") }]);
    const { report, pack } = await built(delivery({ "a.zip": inner, "b/600000.SH.zip": own }));
    expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["600000", "600519"]);
    expect(countsOf(report)).toMatchObject({ header_only: 1 });
  });

  it("is left out and named if it is nested too deep", async () => {
    let nested = inner;
    for (let depth = 0; depth < 6; depth++)
      nested = zipOf([{ name: "n.zip", content: nested, stored: true }]);
    const { report } = await built(
      delivery({ "day.zip": nested, [`600000.SH/${NAME}`]: "", "o.csv": plainFile(1, 1) }),
    );
    expect(report.leftOut).toEqual([
      { path: expect.stringMatching(/(\/n\.zip){5}$/), reason: "nested_too_deep" },
    ]);
    expect(report.result).toBe("degraded");
  });

  it.skipIf(isMissing("tar") || isMissing("7z"))("can be a tar archive, plain or compressed", async () => {
    const folder = delivery({ [`600519.SH/${NAME}`]: SHANGHAI });
    const tar = spawnSync("tar", ["-cf", "-", "600519.SH"], { cwd: folder }).stdout;
    for (const [name, bytes] of [
      ["20230711.tar", tar],
      ["20230711.tar.gz", gzipSync(tar)],
      ["20230711.tgz", gzipSync(tar)],
      ["20230711.tar.zst", zstdCompressSync(tar)],
    ] as const) {
      for (const source of [archive(name, bytes), archive("a.zip", zipOf([{ name, content: bytes }]))]) {
        expect((await built(source)).report).toMatchObject({ result: "whole", rows: 1, securities: 1 });
      }
    }
  });
});

describe("files with equal names in different folders", () => {
  it.skipIf(isMissing("7z"))("are both read if they are 7z archives", async () => {
    const folder = temporaryFolder();
    for (const [exchange, code] of Object.entries({ SH: "600519.SH", SZ: "000001.SZ" })) {
      mkdirSync(join(folder, exchange));
      const source = delivery({ "orders.csv": plainFile(1, 100).replaceAll("600519.SH", code) });
      sevenZip(source, "a", join(folder, exchange, "20230711.7z"), "orders.csv");
    }
    const given = ["SH", "SZ"].map((exchange) => join(folder, exchange, "20230711.7z"));
    for (const sources of [[folder], given]) {
      const { report, pack } = await built(sources);
      expect(report).toMatchObject({ rows: 200, result: "whole" });
      expect((await entriesOf(pack)).map(({ symbol, rows }) => [symbol, rows])).toEqual([
        ["000001", 100],
        ["600519", 100],
      ]);
    }
  });

  it("are both read if they are Parquet files of equal size, on disk or in an archive", async () => {
    const parquet = (symbol: string) => {
      const texts = { symbol, tradedate: "20230711", time: "103000000", order_type: "A", order_code: "B" };
      const numbers = { order_id: 0, exchange_order_id: 7, price: 1.5, volume: 100 };
      const columnsOf = (cells: object, type: "STRING" | "DOUBLE") =>
        Object.entries(cells).map(([name, value]) => ({ name, data: [value], type }));
      const columnData = [...columnsOf(texts, "STRING"), ...columnsOf(numbers, "DOUBLE")];
      return Buffer.from(parquetWriteBuffer({ columnData }));
    };
    const files = { "a/orders.parquet": parquet("600519.SH"), "b/orders.parquet": parquet("000001.SZ") };
    expect(files["a/orders.parquet"].length).toBe(files["b/orders.parquet"].length);
    const zip = zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
    for (const source of [delivery(files), archive("20230711.zip", zip)]) {
      const { report, pack } = await built(source);
      expect(report).toMatchObject({ rows: 2, result: "whole" });
      expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["000001", "600519"]);
    }
  });
});

it("A folder given under two paths is read once", async () => {
  const folder = delivery({ [`600519.SH/${NAME}`]: SHANGHAI });
  expect((await built([folder, `${folder}/.`])).report).toMatchObject({ rows: 1 });
});

describe.skipIf(isMissing("7z"))("a split 7z archive", () => {
  function volumes(): string {
    const folder = delivery({ "in/orders.csv": plainFile(1, 3000) });
    mkdirSync(join(folder, "drop"));
    sevenZip(join(folder, "in"), "a", "-v8k", "-mx0", join(folder, "drop", "20230711.7z"), "orders.csv");
    return join(folder, "drop");
  }

  it("is read as one archive, whether its folder, its first volume or another volume is given", async () => {
    const drop = volumes();
    const names = readdirSync(drop);
    expect(names.length).toBeGreaterThan(10);
    for (const source of [
      drop,
      join(drop, "20230711.7z.001"),
      join(drop, "20230711.7z.003"),
      names.map((name) => join(drop, name)),
    ]) {
      expect((await built(source)).report).toMatchObject({ rows: 3000, result: "whole", leftOut: [] });
    }
  });

  it("is recorded in the pack with the SHA-256 of each volume", async () => {
    const drop = volumes();
    const { pack } = await built(drop);
    const { origin } = await indexOf(pack);
    const sums = readdirSync(drop).map((name) => [`drop/${name}`, hashOf(readFileSync(join(drop, name)))]);
    expect(origin?.sources.map(({ path, sha256 }) => [path, sha256])).toEqual(sums.toSorted());
  });

  it("with a missing volume is refused, and the volume is named unless it is the last", async () => {
    const drop = volumes();
    for (const missing of ["001", "004"]) {
      const copy = temporaryFolder();
      cpSync(drop, copy, { recursive: true });
      rmSync(join(copy, `20230711.7z.${missing}`));
      await expect(built(copy)).rejects.toThrow(
        new RegExp(`20230711\\.7z\\.${missing}, a part of a split archive, is missing; deliver all parts$`),
      );
    }
    const last = readdirSync(drop).sort().at(-1) ?? "";
    rmSync(join(drop, last));
    await expect(built(drop)).rejects.toThrow(
      /20230711\.7z\.001 is truncated or damaged, or a part of it is missing/,
    );
  });

  it("with a symbolic link as a volume is refused", async () => {
    const drop = volumes();
    const moved = join(temporaryFolder(), "volume");
    cpSync(join(drop, "20230711.7z.002"), moved);
    rmSync(join(drop, "20230711.7z.002"));
    spawnSync("ln", ["-s", moved, join(drop, "20230711.7z.002")]);
    await expect(built(join(drop, "20230711.7z.001"))).rejects.toThrow(
      "002 is a link, and links are not followed",
    );
    await expect(built(drop)).rejects.toThrow("002, a part of a split archive, is missing");
  });
});

describe("an archive that cannot be read", () => {
  it.skipIf(isMissing("7z"))("is refused with a line that states the problem and what to do", async () => {
    const source = delivery({ "orders.csv": plainFile(1, 500) });
    const folder = temporaryFolder();
    sevenZip(source, "a", "-pabc", "-mhe=on", join(folder, "hidden.7z"), "orders.csv");
    sevenZip(source, "a", "-pabc", join(folder, "locked.7z"), "orders.csv");
    sevenZip(source, "a", join(folder, "half.7z"), "orders.csv");
    writeFileSync(join(folder, "half.7z"), readFileSync(join(folder, "half.7z")).subarray(0, 400));
    writeFileSync(join(folder, "a.rar"), "Rar!");
    for (const [name, problem] of [
      ["hidden.7z", "is protected with a password; unpack it and deliver the folder"],
      ["locked.7z", "is protected with a password; unpack it and deliver the folder"],
      ["half.7z", "is truncated or damaged, or a part of it is missing; deliver it again"],
      ["a.rar", "has a format that is not read; unpack it and deliver the folder"],
    ] as const) {
      const said = await built(join(folder, name)).then(String, (error: Error) => error.message);
      expect(said).toContain(`${name} ${problem}`);
      expect(said.split("\n")).toHaveLength(1);
    }
  });
});
