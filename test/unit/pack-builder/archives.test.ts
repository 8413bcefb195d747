import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isMissing } from "../../support/tools.ts";
import { built, countsOf, delivery, rowsOf, temporaryFolder, vendorFile, vendorLine } from "./deliveries.ts";
import { archive, sevenZip, substituteSevenZip, type ZipMember, zipOf } from "./zip-file.ts";

const FILE = vendorFile(vendorLine(), vendorLine({ time: "103000000" }));
const NAME = "20230711/600519.SH/逐笔委托.csv";
/** The same name as Chinese Windows writes it: GBK with backslashes. */
const GBK_NAME = Buffer.concat([
  Buffer.from("20230711\\600519.SH\\"),
  Buffer.from("d6f0b1caceafcdd02e637376", "hex"),
]);

/** Sets PATH to `folders` until the end of the test. */
function withPath(...folders: string[]): void {
  const before = process.env.PATH;
  process.env.PATH = folders.join(delimiter);
  onTestFinished(() => {
    process.env.PATH = before;
  });
}

const zipped = (...members: ZipMember[]) => archive("20230711.zip", zipOf(members));

describe("a ZIP archive in a delivery", () => {
  it("gives the same pack as a folder if its names are in GBK", async () => {
    const folder = await built(delivery({ [NAME]: FILE }));
    const { pack, report } = await built(zipped({ name: GBK_NAME, content: FILE, utf8: false }));
    expect(report.buildId).toBe(folder.report.buildId);
    expect(await rowsOf(pack)).toEqual(await rowsOf(folder.pack));
    expect(report.layouts).toEqual({ vendor: 1 });
  });

  it("may contain folders without an order file, which the report counts", async () => {
    const { report } = await built(
      zipped(
        { name: NAME, content: FILE },
        { name: "20230711/600000.SH/", content: "", stored: true },
        { name: "20230711/600001.SH/行情.csv", content: "x" },
      ),
    );
    expect(report).toMatchObject({ securities: 3, securitiesWithoutOrders: 2 });
    expect(countsOf(report)).toMatchObject({ no_order_file: 2 });
  });

  it.each<[string, ZipMember, RegExp, number?]>([
    [
      "has a wrong checksum",
      { name: NAME, content: FILE, crc: 1 },
      /逐笔委托\.csv is damaged in the archive/,
    ],
    ["has an encrypted member", { name: NAME, content: FILE, encrypted: true }, /逐笔委托\.csv is encrypted/],
    ["is truncated", { name: NAME, content: FILE }, /20230711\.zip cannot be read as a ZIP archive/, -30],
  ])("is refused if it %s", async (_, member, message, end) => {
    const bytes = zipOf([member]).subarray(0, end);
    await expect(built(archive("20230711.zip", bytes))).rejects.toThrow(message);
  });
});

describe("a 7z archive in a delivery", () => {
  it("is unpacked with the installed 7z program", async () => {
    const unpacked = delivery({ [NAME]: FILE });
    const listing = `----------\\nPath = ${NAME}\\nAttributes = A -rw-r--r--\\n`;
    // The substitute for 7z lists the delivered file, and copies the unpacked folder to the target of `-o…`.
    const programs = substituteSevenZip(
      `[ "$1" = l ] && printf '%b' '${listing}'`,
      `for word in "$@"; do case "$word" in -o*) cp -r "${unpacked}/." "\${word#-o}";; esac; done`,
    );
    withPath(programs, "/usr/bin", "/bin");
    const { report } = await built(archive("20230711.7z", Buffer.from("7z")));
    expect(report).toMatchObject({ rows: 2, layouts: { vendor: 1 } });
    expect(report.defects[0]?.first.file).toBe(`20230711.7z/${NAME}`);
  });

  it.skipIf(isMissing("7z"))("gives the same pack as a folder", async () => {
    const folder = delivery({
      [NAME]: FILE,
      "20230711/600000.SH/行情.csv": "x",
      "20230711/600519.SH/逐笔成交.csv": "x",
    });
    const path = join(temporaryFolder(), "20230711.7z");
    sevenZip(folder, "a", path, "20230711");
    const [packed, plain] = [await built(path), await built(folder)];
    expect(packed.report.buildId).toBe(plain.report.buildId);
    expect(await rowsOf(packed.pack)).toEqual(await rowsOf(plain.pack));
    expect(packed.report).toMatchObject({ securities: 2, securitiesWithoutOrders: 1, rows: 2 });
  });

  it("is refused if no 7z program is installed or 7z finds damage, and the message says what to do", async () => {
    const path = archive("20230711.7z", Buffer.from("7z"));
    withPath(temporaryFolder());
    await expect(built(path)).rejects.toThrow(
      /20230711\.7z is a 7z or tar archive .* install p7zip-full or 7zip/,
    );
    const programs = substituteSevenZip("echo 'ERROR: CRC Failed'", "echo 'Compressed: 0'", "exit 2");
    withPath(programs, "/usr/bin", "/bin");
    await expect(built(path)).rejects.toThrow(
      "20230711.7z is damaged: its content does not match its checksums; deliver it again",
    );
  });
});
