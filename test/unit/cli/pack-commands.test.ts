import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgetape } from "../../support/edgetape.ts";
import { contentOf, delivery, temporaryFolder, vendorFile, vendorLine } from "../pack-builder/deliveries.ts";

const PATH = "20230711/600519.SH/逐笔委托.csv";
const PACKS = ["20230711.parquet", "20230711_trades.parquet", "20230711_quotes.parquet"];
const SHEETS = ["20230711_quality.html", "20230711_quality.json"];
const TRADES_PATH = "20230711/600519.SH/逐笔成交.csv";
const vendorTrades =
  "万得代码,交易所代码,自然日,时间,成交编号,成交代码,委托代码,BS标志,成交价格,成交数量,叫卖序号,叫买序号,\r\n" +
  "600519.SH,600519,20230711,103000010,7,,,B,17450000,100,11,22,\r\n";
const good = vendorLine({ time: "103000000" });
const broken = vendorLine({ volume: "x" });

/** Builds without threads, because starting them takes longer than building a few rows. */
function build(source: string, out: string, ...args: string[]) {
  const threads = args.includes("--threads") ? [] : ["--threads", "0"];
  return edgetape(["pack", "build", source, "--date", "20230711", "--out", out, ...threads, ...args]);
}

describe("edgetape pack build", () => {
  it("exits with 0 and reports its work, as lines and as JSON", async () => {
    const source = delivery({ [PATH]: vendorFile(good, vendorLine(), vendorLine({ type: "D" })) });
    const out = join(temporaryFolder(), "made", "if", "absent");
    const lines = await build(source, out);
    expect(lines).toMatchObject({ status: 0 });
    expect(lines.stdout).toMatch(/result +whole, verified/);
    expect(lines.stdout).toMatch(/rows +3 \(1 cancel\)/);
    expect(lines.stdout).toMatch(/layouts +vendor \(1 file\)\n/);
    expect(lines.stdout).toMatch(/sources +1 file, SHA-256/);
    expect(lines.stdout).toMatch(/2 {2}time without its leading zero; first at .*逐笔委托\.csv:3/);
    const json = await build(source, out, "--json");
    const report = JSON.parse(json.stdout);
    expect(report).toMatchObject({
      tradedate: "20230711",
      result: "whole",
      absent: ["trades", "quotes"],
      refused: [],
    });
    expect(report.packs).toHaveLength(1);
    expect(report.packs[0]).toMatchObject({
      dataset: "orders",
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
        { kind: "time_zero_lost", count: 2 },
        { kind: "unsorted", count: 1 },
      ],
      broken: { rows: 0, first: null, quarantine: null },
    });
    expect(readdirSync(out).sort()).toEqual(["20230711.parquet", ...SHEETS]);
  });

  it("exits with 3 and reports a degraded day when the quarantined lines are within the limit", async () => {
    const source = delivery({ [PATH]: vendorFile(good, broken) });
    const out = temporaryFolder();
    const { status, stdout } = await build(source, out, "--max-broken", "1", "--json");
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      result: "degraded",
      packs: [{ result: "degraded", rows: 1, broken: { rows: 1, allowed: 1 } }],
    });
    expect(readdirSync(out).sort()).toEqual(["20230711.parquet", "20230711.quarantine.csv", ...SHEETS]);
    expect(readFileSync(join(out, "20230711.quarantine.csv"), "utf8")).toMatch(
      /逐笔委托\.csv",3,"has a 委托数量/,
    );
  });

  it("exits with 1 when more than one line in a million is quarantined, and names the first such line", async () => {
    const source = delivery({ [PATH]: vendorFile(good, broken, good, broken) });
    const out = temporaryFolder();
    const { status, stderr } = await build(source, out);
    expect(status).toBe(1);
    expect(stderr).toMatch(/600519\.SH\/逐笔委托\.csv:3: has a 委托数量 that is not a number\n$/);
    expect(readdirSync(out)).toEqual(["20230711.quarantine.csv"]);
  });

  it("exits with 1 and one sentence for a delivery of unknown files, and with 2 for a wrong command line", async () => {
    const nothing = await build(delivery({ "notes.txt": "x" }), temporaryFolder());
    expect(nothing.status).toBe(1);
    expect(nothing.stderr).toMatch(/^edgetape: no order file of a known layout .*notes\.txt\n$/);
    const wrong = await edgetape(["pack", "build", "x", "--date", "20230231", "--out", "y"]);
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("YYYYMMDD");
  });

  it("builds the same packs and the same reports from a generated day's CSV with 0 and with 2 threads", async () => {
    const folder = temporaryFolder();
    const day = ["sample", "--date", "20230711", "--rows", "20000", "--out"];
    await edgetape([...day, join(folder, "csv"), "--csv"]);
    await edgetape([...day, join(folder, "pack")]);
    const contents = (path: string) =>
      Promise.all(PACKS.map(async (name) => contentOf(readFileSync(join(folder, path, name)))));
    const expected = await contents("pack");
    const reports = [];
    for (const threads of ["0", "2"]) {
      const out = `out${threads}`;
      const args = ["--threads", threads, "--json"];
      const { status, stdout, stderr } = await build(join(folder, "csv"), join(folder, out), ...args);
      expect(status, stderr).toBe(0);
      expect(await contents(out)).toEqual(expected);
      const { packs, quality, auction, ...report } = JSON.parse(stdout);
      expect(quality.sheet).toBe(join(folder, out, "20230711_quality.json"));
      expect(auction.path).toBe(join(folder, out, "20230711_aucde.parquet"));
      reports.push({
        ...report,
        auction: { ...auction, path: "", bytes: readFileSync(auction.path).toString("hex") },
        sheet: readFileSync(quality.sheet, "utf8"),
        page: readFileSync(quality.page, "utf8"),
        quality: { ...quality, sheet: "", page: "" },
        packs: packs.map(({ seconds, rowsPerSecond, pack, ...each }: Record<string, unknown>) => each),
      });
    }
    expect(reports[0]).toMatchObject({
      result: "whole",
      absent: [],
      auction: { securities: 20, defects: 0 },
      quality: { verdict: "passed", summary: "passed" },
      packs: [
        { dataset: "orders", rows: 20_000, verified: true, sourceBytes: expect.any(Number) },
        { dataset: "trades", verified: true, layouts: { vendor: 20 } },
        { dataset: "quotes", verified: true, layouts: { vendor: 20 } },
      ],
      units: { shares: { median: 1 }, others: { median: 1 } },
    });
    expect(reports[1]).toEqual(reports[0]);
  });

  it("can build one dataset alone, and refuses a dataset in which a security is delivered twice", async () => {
    const orders = { [PATH]: vendorFile(good) };
    const source = delivery({ ...orders, [TRADES_PATH]: vendorTrades });
    const alone = temporaryFolder();
    expect(await build(source, alone, "--dataset", "trades")).toMatchObject({ status: 0 });
    expect(readdirSync(alone).sort()).toEqual([...SHEETS, "20230711_trades.parquet"]);
    const absent = await build(delivery(orders), temporaryFolder(), "--dataset", "trades");
    expect(absent).toMatchObject({ status: 1, stderr: expect.stringContaining("no trade of 20230711") });
    const out = temporaryFolder();
    const twice = delivery({ ...orders, [TRADES_PATH]: vendorTrades, [`b/${TRADES_PATH}`]: vendorTrades });
    const { status, stdout, stderr } = await build(twice, out);
    expect([status, readdirSync(out).sort()]).toEqual([1, ["20230711.parquet", ...SHEETS]]);
    expect(stdout).toMatch(/dataset +orders\n[\s\S]*dataset +trades\nrefused +600519\.SH is delivered twice/);
    expect(stderr).toContain("600519.SH is delivered twice");
    expect((await build(source, out, "--dataset", "queues")).status).toBe(2);
  });

  it("exits with 3 when the quality check fails, after which `day quality` shows the failure", async () => {
    const cancel = vendorLine({ type: "D", exchangeOrderId: "87" });
    const out = temporaryFolder();
    const source = delivery({ [PATH]: vendorFile(good, cancel), [TRADES_PATH]: vendorTrades });
    const { status, stdout } = await build(source, out);
    expect(status).toBe(3);
    expect(stdout).toMatch(/quality +failed: .*600519\.SH matching cancel_unknown × 1/);
    const shown = await edgetape(["day", "quality", "20230711", "--folder", out]);
    expect(shown.status).toBe(1);
    expect(shown.stdout).toMatch(/^verdict +failed$/m);
    expect(shown.stdout).toContain(`page        ${join(out, "20230711_quality.html")}`);
    expect(shown.stdout).toContain(
      "600519.SH  matching: cancel_unknown × 1: a cancel refers to no live order",
    );
    const json = await edgetape(["day", "quality", "20230711", "--folder", out, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual(
      JSON.parse(readFileSync(join(out, "20230711_quality.json"), "utf8")),
    );
    const none = await edgetape(["day", "quality", "20230712", "--folder", out]);
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining("there is no such file") });
  });

  it("marks a dataset as degraded if it covers far fewer securities than another dataset", async () => {
    const codes = ["600519", "600536", "601398"];
    const files = codes.map((code) => [
      `${code}.SH/逐笔委托.csv`,
      vendorFile(vendorLine({ code: `${code}.SH`, exchangeCode: code })),
    ]);
    const source = delivery({ ...Object.fromEntries(files), [TRADES_PATH]: vendorTrades });
    const { status, stdout } = await build(source, temporaryFolder());
    expect(status).toBe(3);
    expect(stdout).toContain("degraded    trades cover 1 SH security, but orders cover 3");
    expect(stdout.match(/^result .*$/gm)).toEqual([
      expect.stringMatching(/whole/),
      expect.stringMatching(/degraded/),
    ]);
  });
});

describe("edgetape pack", () => {
  it("verify accepts an intact pack, and names the block in which a pack is damaged", async () => {
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

  it("inspect prints day, build id, securities, rows, times and bytes per column", async () => {
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
    const source = delivery({ [PATH]: vendorFile(good), [TRADES_PATH]: vendorTrades });
    await build(source, out, "--dataset", "trades");
    const trades = join(out, "20230711_trades.parquet");
    const inspected = await edgetape(["pack", "inspect", trades]);
    expect(inspected.stdout).toMatch(/dataset +trades\n[\s\S]*1 \(0 without trades\)[\s\S]*buy_order_id/);
    const verified = await edgetape(["pack", "verify", trades, "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ whole: true, dataset: "trades", rows: 1 });
    const foreign = await edgetape(["pack", "inspect", "package.json"]);
    expect(foreign.status).toBe(1);
    expect(foreign.stderr).toContain("is not a complete day pack");
  });
});
