import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgetape } from "../../support/edgetape.ts";
import { contentOf, delivery, temporaryFolder, vendorFile, vendorLine } from "../pack-builder/deliveries.ts";

const PATH = "20230711/600519.SH/逐笔委托.csv";
const good = vendorLine({ time: "103000000" });
const broken = vendorLine({ volume: "x" });

function build(source: string, out: string, ...args: string[]) {
  return edgetape(["pack", "build", source, "--date", "20230711", "--out", out, ...args]);
}

describe("edgetape pack build", () => {
  it("ends with 0 and reports what it did, as lines and as JSON", async () => {
    const source = delivery({ [PATH]: vendorFile(good, vendorLine(), vendorLine({ type: "D" })) });
    const out = join(temporaryFolder(), "made", "if", "absent");
    const lines = await build(source, out);
    expect(lines).toMatchObject({ status: 0 });
    expect(lines.stdout).toMatch(/result +whole, verified/);
    expect(lines.stdout).toMatch(/rows +3 \(1 cancels\)/);
    expect(lines.stdout).toMatch(/2 {2}time without its leading zero; first at .*逐笔委托\.csv:3/);
    const json = await build(source, out, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      tradedate: "20230711",
      result: "whole",
      pack: join(out, "20230711.parquet"),
      securities: 1,
      rows: 3,
      cancels: 1,
      verified: true,
      rowsPerSecond: expect.any(Number),
      layouts: { vendor: 1 },
      defects: [
        { kind: "unsorted", count: 1 },
        { kind: "time_zero_lost", count: 2 },
      ]
        .reverse()
        .map((defect) => expect.objectContaining(defect)),
      broken: { rows: 0, first: null, quarantine: null },
    });
    expect(readdirSync(out)).toEqual(["20230711.parquet"]);
  });

  it("ends with 3 when lines were left out within the bound, and says degraded", async () => {
    const source = delivery({ [PATH]: vendorFile(good, broken) });
    const out = temporaryFolder();
    const { status, stdout } = await build(source, out, "--max-broken", "1", "--json");
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      result: "degraded",
      rows: 1,
      broken: { rows: 1, allowed: 1 },
    });
    expect(readdirSync(out).sort()).toEqual(["20230711.parquet", "20230711.quarantine.csv"]);
    expect(readFileSync(join(out, "20230711.quarantine.csv"), "utf8")).toMatch(
      /逐笔委托\.csv",3,"has a 委托数量/,
    );
  });

  it("ends with 1 beyond the bound of one in a million, naming the first broken line on stderr", async () => {
    const source = delivery({ [PATH]: vendorFile(good, broken, good, broken) });
    const out = temporaryFolder();
    const { status, stderr } = await build(source, out);
    expect(status).toBe(1);
    expect(stderr).toMatch(/600519\.SH\/逐笔委托\.csv:3: has a 委托数量 that is not a number\n$/);
    expect(readdirSync(out)).toEqual(["20230711.quarantine.csv"]);
  });

  it("ends with 1 and one sentence for a delivery it knows nothing of, with 2 for a wrong command line", async () => {
    const nothing = await build(delivery({ "notes.txt": "x" }), temporaryFolder());
    expect(nothing.status).toBe(1);
    expect(nothing.stderr).toMatch(/^edgetape: no order file of a known layout .*notes\.txt\n$/);
    const wrong = await edgetape(["pack", "build", "x", "--date", "20230231", "--out", "y"]);
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("YYYYMMDD");
  });

  it("gives the pack of the generated day from its CSV, byte for byte, in the same report at any thread count", async () => {
    const folder = temporaryFolder();
    const day = ["sample", "--date", "20230711", "--rows", "60000", "--out"];
    await edgetape([...day, join(folder, "csv"), "--csv"]);
    await edgetape([...day, join(folder, "pack")]);
    const expected = await contentOf(readFileSync(join(folder, "pack", "20230711.parquet")));
    const reports = [];
    for (const threads of ["0", "2"]) {
      const out = join(folder, `out${threads}`);
      const { status, stdout, stderr } = await build(
        join(folder, "csv"),
        out,
        "--threads",
        threads,
        "--json",
      );
      expect(status, stderr).toBe(0);
      expect((await contentOf(readFileSync(join(out, "20230711.parquet")))).equals(expected)).toBe(true);
      const { seconds, rowsPerSecond, pack, ...report } = JSON.parse(stdout);
      reports.push(report);
    }
    expect(reports[0]).toMatchObject({ rows: 60_000, verified: true, sourceBytes: expect.any(Number) });
    expect(reports[1]).toEqual(reports[0]);
  });
});

describe("edgetape pack verify and inspect", () => {
  it("verify ends with 0 for a whole pack and with 1 and the place for a damaged one", async () => {
    const out = temporaryFolder();
    await build(delivery({ [PATH]: vendorFile(good) }), out);
    const pack = join(out, "20230711.parquet");
    const whole = await edgetape(["pack", "verify", pack, "--json"]);
    expect(whole.status).toBe(0);
    expect(JSON.parse(whole.stdout)).toMatchObject({
      whole: true,
      tradedate: "20230711",
      rows: 1,
      securities: 1,
    });
    const bytes = readFileSync(pack);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    writeFileSync(pack, bytes);
    const damaged = await edgetape(["pack", "verify", pack]);
    expect(damaged.status).toBe(1);
    expect(damaged.stderr).toMatch(/20230711\.parquet: block 0 of 600519\.SH \(byte \d+\) is damaged/);
    expect((await edgetape(["pack", "verify", join(out, "absent")])).stderr).toContain("ENOENT");
  });

  it("inspect says day, build id, securities, rows, times and bytes by column", async () => {
    const out = temporaryFolder();
    await build(delivery({ [PATH]: vendorFile(vendorLine(), good), "600000.SH/逐笔委托.csv": "" }), out);
    const pack = join(out, "20230711.parquet");
    const { status, stdout } = await edgetape(["pack", "inspect", pack, "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tradedate: "20230711",
      buildId: expect.stringMatching(/^[0-9a-f]{32}$/),
      securities: 2,
      securitiesWithoutOrders: 1,
      rows: 2,
      firstTime: "093000010",
      lastTime: "103000000",
      columnBytes: { time: expect.any(Number), amount: expect.any(Number) },
      largest: { code: "600519.SH", rows: 2 },
    });
    expect((await edgetape(["pack", "inspect", pack])).stdout).toMatch(
      /20230711, 09:30:00\.010 to 10:30:00\.000/,
    );
    const foreign = await edgetape(["pack", "inspect", "package.json"]);
    expect(foreign.status).toBe(1);
    expect(foreign.stderr).toContain("is not a whole day pack");
  });
});
