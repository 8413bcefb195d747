import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { built, countsOf, delivery, rowsOf, vendorFile, vendorLine } from "./deliveries.ts";
import { zipOf } from "./zip-file.ts";

const PATH = "20230711/600519.SH/逐笔委托.csv";
const OTHER = {
  "20230711/000001.SZ/逐笔委托.csv": vendorFile(
    vendorLine({ code: "000001.SZ", exchangeCode: "000001", type: "0", time: "103000000" }),
  ),
};

const lines = Array.from({ length: 6 }, (_, number) =>
  vendorLine({ time: String(103000000 + number * 10), exchangeOrderId: String(number + 1) }),
);

/**
 * Builds a pack from `file`, which holds the orders of 600519.SH, and from a file of another security. Returns the ids
 * of 600519.SH's stored orders as `numbers`.
 */
async function of(file: string | Uint8Array, maxBroken = 100) {
  const { report, pack, quarantine } = await built(delivery({ [PATH]: file, ...OTHER }), { maxBroken });
  const rows = (await rowsOf(pack)).filter(({ symbol }) => symbol === "600519");
  return { report, quarantine, numbers: rows.map(({ exchange_order_id }) => exchange_order_id) };
}

/** Returns the vendor's file with the bytes from `from` to `to` overwritten by NUL. */
function withHole(from: number, to: number): Buffer {
  return Buffer.from(vendorFile(...lines)).fill(0, from, to);
}

describe("NUL bytes", () => {
  const whole = Buffer.from(vendorFile(...lines));
  const starts = lines.map((line) => whole.indexOf(line));
  const startOf = (row: number) => starts[row] ?? 0;

  it.each([
    ["over the last three lines", startOf(3), whole.length, [1, 2, 3], 1],
    ["from the middle of a line to the end of the file", startOf(3) + 20, whole.length, [1, 2, 3], 1],
    [
      "from the middle of a line to the middle of a later line",
      startOf(1) + 20,
      startOf(3) + 30,
      [1, 5, 6],
      1,
    ],
    ["over two whole lines", startOf(1), startOf(3), [1, 5, 6], 1],
    [
      "from the start of a cell to the start of a cell in a later line",
      startOf(1) + 10,
      startOf(3) + 10,
      [1, 5, 6],
      1,
    ],
  ])("%s are quarantined as one broken line and degrade the pack", async (_, from, to, numbers, broken) => {
    const found = await of(withHole(from, to));
    expect(found.numbers).toEqual(numbers);
    expect(found.report).toMatchObject({ result: "degraded", broken: { rows: broken } });
    expect(found.report.broken.first?.reason).toMatch(/NUL bytes outside a value/);
    const { origin, rows } = found.report;
    expect(origin?.rows).toEqual({ read: rows + broken, quarantined: broken, leftOut: {} });
    await expect(built(delivery({ [PATH]: withHole(from, to), ...OTHER }))).resolves.toMatchObject({
      report: { result: "failed" },
    });
  });

  it("after the last comma or after the last line are quarantined as a broken line too", async () => {
    for (const tail of ["\0", "\0".repeat(5000)]) {
      expect(await of(vendorFile(...lines) + tail)).toMatchObject({ numbers: [1, 2, 3, 4, 5, 6] });
      expect((await of(vendorFile(...lines) + tail)).report.broken.rows).toBe(1);
      expect((await of(vendorFile(...lines).trimEnd() + tail)).numbers).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it.each([
    ["the comma between code and price", "B,17450000", 1],
    ["the comma between price and volume", ",100", 0],
    ["the volume and everything after it", "100,\r", 0],
  ])("written over %s move no value into another column", async (_, text, from) => {
    const at = whole.indexOf(text, startOf(2)) + from;
    const { numbers, report } = await of(withHole(at, at + text.length - from));
    expect(numbers).toEqual([1, 2, 4, 5, 6]);
    expect(report).toMatchObject({ result: "degraded", broken: { rows: 1, first: { line: 4 } } });
  });

  it("in a security's code never assign the row to another security", async () => {
    const header = "symbol,time,order_no,order_type,side,price,volume";
    const row = (code: string) => `${code},103000000,1,A,B,1.5,100`;
    for (const code of ["6\0\0\0\0\0\0\0\0", "\0\0\x299.SH"]) {
      const file = [header, row("600519.SH"), row(code), ""].join("\n");
      const { report, pack } = await built(delivery({ "orders.csv": file }), { maxBroken: 1 });
      expect((await rowsOf(pack)).map(({ symbol }) => symbol)).toEqual(["600519"]);
      expect(report.broken).toMatchObject({ rows: 1, first: { line: 3 } });
    }
    const padded = [header, row("600519\0\0\0"), row("600519.SH\0"), ""].join("\n");
    expect((await built(delivery({ "orders.csv": padded }))).report).toMatchObject({
      result: "whole",
      rows: 2,
    });
  });

  it.each([
    ["in the name of a column that not every file has", whole.indexOf("自然日"), whole.indexOf(",时间")],
    [
      "from the header's end to the end of the first row",
      whole.indexOf("\r"),
      whole.indexOf("\r\n", startOf(0)),
    ],
    ["from the header's line feed to the middle of the first row", whole.indexOf("\n"), startOf(0) + 20],
    ["from the header's end to the end of the file", whole.indexOf("\r"), whole.length],
  ])("quarantine the whole file if they reach the header line: %s", async (_, from, to) => {
    const { numbers, report } = await of(withHole(from, to));
    expect(numbers).toEqual([]);
    expect(report).toMatchObject({ result: "degraded", broken: { rows: 0, files: 1 } });
    expect(report.broken.first?.reason).toMatch(/NUL bytes in its header line/);
  });

  it("that form a run of 5 MiB break fewer than 10 rows, and the lines after the run are read", async () => {
    const hole = Buffer.concat([
      whole.subarray(0, startOf(3)),
      Buffer.alloc(5 << 20),
      whole.subarray(startOf(3)),
    ]);
    const { report, pack } = await built(delivery({ [PATH]: hole }), { maxBroken: 100, chunkBytes: 1 << 16 });
    expect(report.broken.rows).toBeLessThan(10);
    expect((await rowsOf(pack)).map((row) => row.exchange_order_id)).toEqual([1, 2, 3, 5, 6]);
  });
});

describe("a file of orders", () => {
  it.each([
    ["with trailing commas", vendorFile(...lines)],
    ["without trailing commas", vendorFile(...lines).replaceAll(",\r\n", "\r\n")],
  ])("%s is read if its lines end with CR", async (_, file) => {
    const { numbers, report } = await of(file.replaceAll("\r\n", "\r"));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    expect(countsOf(report)).toMatchObject({ cr_line_ends: 1 });
    expect(report.result).toBe("whole");
  });

  it.each([
    ["and one LF at its end", (file: string) => `${file}\n`],
    ["except for CRLF after its last line", (file: string) => `${file}\n`.replace(/\r\r\n$/, "\r\n")],
    [
      "after its header and LF after its rows",
      (file: string) => file.replace("\r", "\n").replaceAll("\r", "\n").replace("\n", "\r"),
    ],
  ])("is read with CR line ends %s", async (_, mixed) => {
    for (const file of [vendorFile(...lines), vendorFile(...lines).replaceAll(",\r\n", "\r\n")]) {
      const { numbers, report } = await of(mixed(file.replaceAll("\r\n", "\r")));
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
      expect(report.result).toBe("whole");
    }
  });

  it.each([
    ["little endian", true, "\uFEFF"],
    ["big endian", false, "\uFEFF"],
  ])("is read in UTF-16 (%s)", async (_, isLittle, mark) => {
    const bytes = Buffer.from(mark + vendorFile(...lines), "utf16le");
    const { numbers, report } = await of(isLittle ? bytes : bytes.swap16());
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    expect(countsOf(report)).toMatchObject({ utf16: 1 });
    expect(report.result).toBe("whole");
  });

  it.each([-1, 0, 1])("is read if it is as long as a chunk plus %i bytes", async (more) => {
    const file = vendorFile(...Array.from({ length: 20 }, (_, i) => vendorLine({ exchangeOrderId: `${i}` })));
    const chunkBytes = Buffer.byteLength(file) - more;
    const { report } = await built(delivery({ [PATH]: file }), { chunkBytes });
    expect(report).toMatchObject({ rows: 20, result: "whole" });
  });

  it("is read in UTF-16 without a byte order mark if its header is ASCII, even in small chunks", async () => {
    const header = "symbol,tradedate,time,order_id,exchange_order_id,order_type,order_code,price,volume";
    const rows = Array.from(
      { length: 50 },
      (_, n) => `600519.SH,20230711,0930000${10 + n},0,${n + 1},A,B,1.5,100`,
    );
    const file = Buffer.from(`${[header, ...rows].join("\r\n")}\r\n`, "utf16le");
    const { report } = await built(delivery({ "orders.csv": file }), { chunkBytes: 100 });
    expect(report).toMatchObject({ result: "whole", rows: 50 });
  });
});

describe("a file that cannot be read", () => {
  it.each<[string, Record<string, string | Uint8Array>, RegExp]>([
    ["an unknown header", { [PATH]: "a,b,c\r\n1,2,3\r\n" }, /has a header that matches no known layout/],
    ["a missing column", { [PATH]: "万得代码,交易所代码,自然日\r\n" }, /the column 时间 .* is missing/],
    ["damaged Parquet", { "20230711/orders.parquet": "PAR1 no PAR1" }, /./],
    [
      "encryption in its archive",
      { "20230711/a.zip": zipOf([{ name: "600519.SH/逐笔委托.csv", content: "x", encrypted: true }]) },
      /is encrypted/,
    ],
  ])(
    "because of %s is quarantined, and the build fails unless it allows a broken file or line",
    async (_, files, reason) => {
      const folder = delivery({ ...files, ...OTHER });
      const { report, pack, quarantine } = await built(folder, { maxBroken: 1 });
      expect(report).toMatchObject({
        result: "degraded",
        rows: 1,
        securities: 1,
        broken: { rows: 0, files: 1 },
      });
      expect(report.broken.first).toMatchObject({ line: 0, reason: expect.stringMatching(reason) });
      expect(await rowsOf(pack)).toHaveLength(1);
      expect(report.origin?.files).toMatchObject({ read: 1, quarantined: 1 });
      expect(report.origin?.sources).toHaveLength(1);
      expect(readFileSync(quarantine, "utf8").trimEnd().split("\n")).toHaveLength(2);
      const strict = await built(folder);
      expect(strict.report).toMatchObject({ result: "failed", pack: null });
    },
  );
});
