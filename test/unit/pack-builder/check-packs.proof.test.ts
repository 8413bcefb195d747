import { describe, expect, it, onTestFinished } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import { checkFolder, readSheet } from "../../../src/pack-builder/check-packs.ts";
import { writeSamplePacks } from "../../../src/pack-builder/sample/sample-pack.ts";
import { WorkerPool } from "../../../src/pack-builder/worker-pool.ts";
import { sheetLines } from "../../../src/quality/sheet-text.ts";
import { checkedTables, faultsOf, madeDay } from "../../support/checked-day.ts";
import { LAYOUTS, plainQuotes, SHANGHAI_ONLY, tablesOf } from "../../support/layout-sources.ts";
import { writeSamplePack } from "../../support/pack-bytes.ts";
import { proofSize } from "../../support/tier.ts";
import { temporaryFolder } from "./deliveries.ts";

const DAY = "20261127" as BeijingDate;

describe("the quality check of sample days", () => {
  it("finds no faults in clean days", async () => {
    for (let number = 0; number < proofSize(100); number++) {
      const folder = temporaryFolder();
      const day = { tradedate: DAY, rows: 20_000, seed: `clean ${number}` };
      // Quotes take more time to generate than the other datasets.
      const hasQuotes = number % 10 === 0;
      await writeSamplePacks(day, folder, hasQuotes ? DATASET_NAMES : ["orders", "trades"]);
      const { sheet, path } = await checkFolder(folder, DAY);
      expect(faultsOf({ reports: [], sheet })).toEqual([]);
      expect(sheet.verdict).toBe("passed");
      expect(sheet.counts.cancelsExact).toBe(sheet.counts.cancels);
      expect(sheet.counts.fillsFound).toBe(sheet.counts.fills);
      for (const check of ["matching", "opening_auction", "closing_auction"] as const) {
        expect(sheet.summary[check]).toMatchObject({ passed: 19, failed: 0 });
      }
      if (hasQuotes) expect(sheet.summary.sums).toMatchObject({ passed: 20, failed: 0 });
      expect(sheet.summary.priority.passed).toBeGreaterThan(3);
      expect(await readSheet(path)).toEqual(sheet);
    }
  });

  it.each(LAYOUTS)("finds no faults in a clean day in the layout %s", async (layout) => {
    const made = madeDay("clean", 900, { hasQuotes: true });
    const day = made.filter(({ market }) => market === "SH" || !SHANGHAI_ONLY.includes(layout));
    const tables = [...tablesOf(layout, "20230711", day), plainQuotes("20230711", day)];
    const checked = await checkedTables(tables);
    expect(checked.reports.map(({ result }) => result)).toEqual(["whole", "whole", "whole"]);
    expect(faultsOf(checked)).toEqual([]);
    const passed = { passed: day.length, failed: 0, notProvable: {} };
    expect(checked.sheet.summary).toMatchObject({ matching: passed, sums: passed });
  });

  it("has the same result when the securities are distributed over several threads", async () => {
    const folder = temporaryFolder();
    const day = { tradedate: DAY, rows: 6_000 };
    await writeSamplePacks(day, folder, ["orders", "trades"]);
    const { sheet } = await checkFolder(folder, DAY);
    const pool = new WorkerPool(3);
    onTestFinished(() => pool.close());
    expect((await checkFolder(folder, DAY, { pool, threadRows: 1 })).sheet).toEqual(sheet);
    expect((await checkFolder(folder, DAY, { pool, sliceCodes: 3 })).sheet).toEqual(sheet);
  });

  it("gives the verdict `not_provable` for a day without trades", async () => {
    const folder = temporaryFolder();
    await writeSamplePack({ tradedate: DAY, rows: 4_000 }, folder);
    const { sheet } = await checkFolder(folder, DAY);
    expect(sheet.verdict).toBe("not_provable");
    expect(sheet.packs.trades).toBeNull();
    expect(sheet.summary.matching).toEqual({ passed: 0, failed: 0, notProvable: { no_trades: 20 } });
    expect(sheet.day.coverage).toEqual({ verdict: "not_provable", reason: "no_trades" });
    expect(sheetLines(sheet).join("\n")).toContain("trades      no pack");
  });
});
