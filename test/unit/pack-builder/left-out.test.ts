/** Tests files of a delivery that are not read: each is reported with its reason, and some degrade the pack. */
import { describe, expect, it } from "vitest";
import { built, countsOf, delivery, entriesOf, reportLines, vendorFile, vendorLine } from "./deliveries.ts";

const SHANGHAI = vendorFile(vendorLine());
const READ = { "20230711/600519.SH/逐笔委托.csv": SHANGHAI };

describe("files that a build leaves out", () => {
  it("are each reported with the reason", async () => {
    const { report } = await built(
      delivery({
        ...READ,
        "20230711/600519.SH/行情.csv": "x",
        "20230711/600519.SH/逐笔成交.csv": "x",
        "20230711/430047.BJ/逐笔委托.csv": SHANGHAI,
        "20230710/600519.SH/逐笔委托.csv": SHANGHAI,
        "20230711/a.bin": "x",
        "20230711/b.bin": "x",
      }),
    );
    const named = report.leftOut.map(({ path, reason }) => [path.slice(path.indexOf("/") + 1), reason]);
    expect(named).toEqual([
      ["20230710/600519.SH/逐笔委托.csv", "other_day"],
      ["20230711/430047.BJ/逐笔委托.csv", "market_not_carried"],
      ["20230711/600519.SH/行情.csv", "other_dataset"],
      ["20230711/600519.SH/逐笔成交.csv", "other_dataset"],
      ["20230711/a.bin", "unknown_layout"],
      ["20230711/b.bin", "unknown_layout"],
    ]);
    const lines = reportLines(report).join("\n");
    expect(lines).toMatch(/not read {4}.*a\.bin has no known layout\n.*b\.bin has no known layout/);
    expect(lines).toContain("行情.csv holds trades or quotes, and 1 more (--json names each)");
  });

  it("degrade the pack only if they may hold records", async () => {
    const harmless = await built(delivery({ ...READ, "20230711/600519.SH/行情.csv": "x" }));
    expect(harmless.report.result).toBe("whole");
    const { report } = await built(delivery({ ...READ, "20230711/a.bin": "x" }));
    expect(report).toMatchObject({ result: "degraded", rows: 1, broken: { rows: 0 } });
  });

  it("keep a security out of the index if they may hold its orders", async () => {
    const { report, pack } = await built(
      delivery({ ...READ, "20230711/000001.SZ/逐笔委托.csv.bin": "x", "20230711/000002.SZ/行情.csv": "x" }),
    );
    expect((await entriesOf(pack)).map(({ symbol }) => symbol)).toEqual(["000002", "600519"]);
    expect(countsOf(report)).toMatchObject({ no_order_file: 1 });
    expect(report.result).toBe("degraded");
  });
});
