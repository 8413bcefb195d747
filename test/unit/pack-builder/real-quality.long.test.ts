import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { orders } from "../../../src/datasets/orders.ts";
import { trades } from "../../../src/datasets/trades.ts";
import { buildPacks } from "../../../src/pack-builder/build.ts";
import { checkFolder } from "../../../src/pack-builder/check-packs.ts";
import { openPackFile } from "../../../src/pack-builder/pack-file.ts";
import { sectionRows } from "../../../src/pack-builder/verify/section-rows.ts";
import { checkSecurity } from "../../../src/quality/check-security.ts";
import { replayShanghai } from "../../../src/quality/shanghai.ts";
import { readVendorQuotes } from "../../support/vendor-zip.ts";
import { temporaryFolder } from "./deliveries.ts";

const DATA = "../shared/data";
const JULY = "20230711" as BeijingDate;
const FEBRUARY = "20230201" as BeijingDate;
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real day was checked !!!\n`);

async function checkedDay(tradedate: BeijingDate, archives: readonly string[]) {
  const outFolder = temporaryFolder();
  await buildPacks({
    sources: archives.map((name) => join(DATA, name)),
    tradedate,
    outFolder,
    maxBroken: 0,
    threads: 2,
    verify: false,
    onProgress: () => {},
  });
  return { outFolder, ...(await checkFolder(outFolder, tradedate)) };
}

/** The rows of the only security of a pack. */
async function rowsOf<D extends typeof orders | typeof trades>(path: string, dataset: D) {
  const pack = await openPackFile(path, ["orders", "trades"]);
  if ("reason" in pack) throw new Error(`${path} is no pack`);
  const entry = pack.index.entries[0];
  if (entry === undefined) throw new Error(`${path} is empty`);
  const rows = sectionRows(entry, await pack.read(entry.offset, entry.length), dataset);
  await pack.close();
  return rows;
}

describe.skipIf(!existsSync(DATA))("the quality of real days", () => {
  it.each(["vendor", "insight"])("2023-07-11, %s: every provable check passes", async (layout) => {
    const { sheet } = await checkedDay(JULY, [
      `orders-20230711-${layout}.zip`,
      `trades-20230711-${layout}.zip`,
    ]);
    expect(sheet.verdict).toBe("passed");
    expect(sheet.counts).toEqual({
      cancels: 39_588,
      cancelsExact: 39_588,
      fills: 108_026,
      fillsFound: 108_026,
    });
    const passed = { passed: 5, failed: 0, notProvable: {} };
    expect(sheet.summary).toEqual({
      matching: passed,
      sequence: passed,
      priority: passed,
      calendar: passed,
      shape: passed,
      scale: passed,
      opening_auction: passed,
      closing_auction: passed,
      sums: { passed: 0, failed: 0, notProvable: { no_quotes: 5 } },
      other_days: { passed: 0, failed: 0, notProvable: { no_other_days: 5 } },
    });
    expect(sheet.day.coverage).toEqual({ verdict: "passed" });
  });

  it("2023-02-01, 600519: passes, also against its last snapshot", async () => {
    const archive = "full-20230201-600519-vendor.zip";
    const { sheet, outFolder } = await checkedDay(FEBRUARY, [archive]);
    expect(sheet.verdict).toBe("passed");
    expect(sheet.counts.cancelsExact).toBe(sheet.counts.cancels);
    expect(sheet.counts.fillsFound).toBe(sheet.counts.fills);
    const security = { symbol: "600519", market: "SH" } as const;
    const own = {
      orders: await rowsOf(join(outFolder, "20230201.parquet"), orders),
      trades: await rowsOf(join(outFolder, "20230201_trades.parquet"), trades),
    };
    const quotes = (await readVendorQuotes(join(DATA, archive))).get("600519") ?? [];
    const last = quotes.findLast(({ time }) => time < 150500000);
    if (last === undefined) throw new Error("no snapshot");
    const { checks } = checkSecurity({ ...security, ...own, lastSnapshot: last }, {}, []);
    expect(checks.sums).toEqual({ verdict: "passed" });
    const wrong = { ...last, amount: last.amount / 10_000 };
    expect(checkSecurity({ ...security, ...own, lastSnapshot: wrong }, {}, []).checks.sums.verdict).toBe(
      "failed",
    );
    const { priority } = replayShanghai(security, own.orders, own.trades);
    console.log(`600519: ${priority.passedOver} of ${priority.judged} fills pass over a better order`);
  });

  it("2023-02-01, 000001 in Shenzhen: trades alone are in sequence", async () => {
    const { sheet } = await checkedDay(FEBRUARY, ["trades-20230201-szse-vendor.zip"]);
    expect(sheet.summary.sequence).toEqual({ passed: 1, failed: 0, notProvable: {} });
    expect(sheet.summary.matching.notProvable).toEqual({ no_orders: 1 });
    expect(sheet.verdict).toBe("not_provable");
  });
});
