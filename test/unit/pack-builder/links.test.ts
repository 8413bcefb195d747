/**
 * Tests that nothing outside a delivery is read. Links of every kind, and archive members whose path leads outside, are
 * left out and named in the report.
 */
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BuildReport } from "../../../src/pack-builder/build-report.ts";
import { diskFile } from "../../../src/pack-builder/delivery/folder.ts";
import { isMissing } from "../../support/tools.ts";
import {
  built,
  delivery,
  entriesOf,
  reportLines,
  temporaryFolder,
  vendorFile,
  vendorLine,
} from "./deliveries.ts";
import { archive, sevenZip, zipOf } from "./zip-file.ts";

const NAME = "逐笔委托.csv";
const SHANGHAI = vendorFile(vendorLine());
const SHENZHEN = vendorFile(vendorLine({ code: "000001.SZ", exchangeCode: "000001", type: "0" }));

/** Returns a delivered folder with orders of 600519, and a folder outside the delivery with orders of 000001. */
function inAndOut(): { folder: string; outside: string } {
  const folder = delivery({ [`20230711/600519.SH/${NAME}`]: SHANGHAI });
  const outside = delivery({ [`000001.SZ/${NAME}`]: SHENZHEN });
  return { folder: join(folder, "20230711"), outside: join(outside, "000001.SZ") };
}

const linksOf = ({ leftOut }: BuildReport) =>
  leftOut.filter(({ reason }) => reason === "link").map(({ path }) => path);

async function expectOnlyInside(source: string, links: string[]): Promise<void> {
  const { report, pack } = await built(source);
  expect(report).toMatchObject({ rows: 1, securities: 1, result: "degraded" });
  expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["600519"]);
  expect(linksOf(report)).toEqual(links);
  for (const link of links) expect(reportLines(report).join("\n")).toContain(`${link} is a link`);
}

describe("symbolic links in a delivered folder", () => {
  it("are not followed to an archive or inside a security's folder, and each is named", async () => {
    const { folder, outside } = inAndOut();
    const zip = join(outside, "a.zip");
    writeFileSync(zip, zipOf([{ name: `000001.SZ/${NAME}`, content: SHENZHEN }]));
    symlinkSync(zip, join(folder, "a.zip"));
    mkdirSync(join(folder, "000001.SZ"));
    symlinkSync(join(outside, NAME), join(folder, "000001.SZ", NAME));
    await expectOnlyInside(folder, [`20230711/000001.SZ/${NAME}`, "20230711/a.zip"]);
  });

  it("are not followed when they replace a folder after it was listed", async () => {
    const { folder, outside } = inAndOut();
    const listed = await diskFile(join(folder, "600519.SH", NAME), NAME);
    renameSync(join(folder, "600519.SH"), join(folder, "moved"));
    symlinkSync(outside, join(folder, "600519.SH"));
    await expect(listed.open()).rejects.toThrow(`${NAME} changed while it was read`);
  });
});

describe("a named pipe in a delivered folder", () => {
  it.skipIf(isMissing("mkfifo"))("is left out, because reading it would block", async () => {
    const { folder } = inAndOut();
    expect(spawnSync("mkfifo", [join(folder, "orders.csv")]).status).toBe(0);
    const { report } = await built(folder);
    expect(report.leftOut).toEqual([{ path: "20230711/orders.csv", reason: "special" }]);
    expect(report.result).toBe("degraded");
  });
});

describe("a delivery", () => {
  it("is refused if it is a symbolic link, even to a missing target", async () => {
    const folder = temporaryFolder();
    for (const target of [inAndOut().folder, "/absent"]) {
      const link = join(folder, `to${target.length}`);
      symlinkSync(target, link);
      await expect(built(link)).rejects.toThrow(
        `${link} is a link, and links are not followed; name its target instead`,
      );
    }
  });

  it("is read if only its parent folders are symbolic links", async () => {
    const { folder } = inAndOut();
    const above = join(temporaryFolder(), "above");
    symlinkSync(dirname(folder), above);
    expect((await built(join(above, "20230711"))).report).toMatchObject({ rows: 1, result: "whole" });
  });
});

describe("links and paths that lead out of the archive", () => {
  it("in a ZIP archive are left out and named", async () => {
    const { outside } = inAndOut();
    const zip = zipOf([
      { name: `600519.SH/${NAME}`, content: SHANGHAI },
      { name: "000001.SZ", content: outside, link: true },
      { name: `../000002.SZ/${NAME}`, content: SHENZHEN },
      { name: `/000003.SZ/${NAME}`, content: SHENZHEN },
      { name: `C:\\000004.SZ\\${NAME}`, content: SHENZHEN },
    ]);
    const path = archive("20230711.zip", zip);
    await expectOnlyInside(path, ["20230711.zip/000001.SZ"]);
    const { report } = await built(path);
    expect(report.leftOut.filter(({ reason }) => reason === "outside").map((file) => file.path)).toEqual([
      `20230711.zip/../000002.SZ/${NAME}`,
      `20230711.zip//000003.SZ/${NAME}`,
      `20230711.zip/C:/000004.SZ/${NAME}`,
    ]);
  });

  it.skipIf(isMissing("7z"))("in a 7z archive are left out and named", async () => {
    const { folder, outside } = inAndOut();
    symlinkSync(outside, join(folder, "000001.SZ"));
    symlinkSync(join(outside, NAME), join(folder, "orders.csv"));
    const path = join(temporaryFolder(), "20230711.7z");
    sevenZip(folder, "a", "-snl", path, ".");
    await expectOnlyInside(path, ["20230711.7z/000001.SZ", "20230711.7z/orders.csv"]);
  });

  it.skipIf(isMissing("tar") || isMissing("7z"))(
    "in a tar archive cause no write outside the work folder",
    async () => {
      const { folder } = inAndOut();
      const target = temporaryFolder();
      const path = join(folder, "..", "20230711.tar");
      const tar = (mode: string, ...members: string[]) =>
        expect(spawnSync("tar", ["-P", mode, path, ...members], { cwd: folder }).status).toBe(0);
      // The archive contains a link, and a member that unpacking would write through the link.
      symlinkSync(target, join(folder, "way"));
      tar("-cf", "600519.SH", "way");
      rmSync(join(folder, "way"));
      mkdirSync(join(folder, "way"));
      writeFileSync(join(folder, "way", "written.csv"), SHENZHEN);
      mkdirSync(join(folder, "..", "evil"));
      writeFileSync(join(folder, "..", "evil", "orders.csv"), SHANGHAI);
      linkSync(join(folder, "600519.SH", NAME), join(folder, "hard.csv"));
      tar("-rf", "way/written.csv", "../evil/orders.csv");
      tar("-rf", "600519.SH", "hard.csv");
      const { report } = await built(path).catch((error: Error) => ({ report: error.message }));
      // The archive contains the security's file twice, which is ambiguous.
      expect(report).toBe(`20230711.tar holds 600519.SH/${NAME} twice; unpack it and deliver the folder`);
      rmSync(path);
      symlinkSync(target, join(folder, "link"));
      tar("-cf", "600519.SH", "hard.csv", "link", "../evil/orders.csv", "way");
      const { report: read } = await built(path);
      expect(read).toMatchObject({ rows: 2, securities: 2, result: "degraded" });
      expect(read.leftOut).toEqual([
        { path: "20230711.tar/../evil/orders.csv", reason: "outside" },
        { path: "20230711.tar/hard.csv", reason: "link" },
        { path: "20230711.tar/link", reason: "link" },
      ]);
      expect(readdirSync(target)).toEqual([]);
    },
  );
});

describe("the messages of a build", () => {
  it("never quote the content of a file that cannot be read", async () => {
    const secret = "S3CRET-0f9a";
    for (const [name, content] of [
      ["orders.parquet", `PAR1${secret}${secret}PAR1`],
      [`600519.SH/${NAME}`, `${secret},${secret}\r\n1,2\r\n`],
      ["600519.SH/notes.txt", secret],
      ["20230711.7z", secret],
      ["20230711.zip", secret],
      ["orders.csv.gz", secret],
      ["orders.csv.zst", secret],
      ["a.tar", secret],
    ] as const) {
      const folder = delivery({ [name]: content });
      const said = await built(folder).then(
        ({ report }) => JSON.stringify(report),
        (error: Error) => error.message,
      );
      expect(said).not.toContain(secret);
      expect(said.split("\n")).toHaveLength(1);
    }
  });
});
