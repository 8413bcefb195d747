/** Makes synthetic days of a few securities, builds their packs from files of one layout, and checks them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { buildPacks } from "../../src/pack-builder/build.ts";
import type { BuildReport } from "../../src/pack-builder/build-report.ts";
import { checkFolder } from "../../src/pack-builder/check-packs.ts";
import { seededRandom } from "../../src/pack-builder/sample/random.ts";
import type { SampleSecurity } from "../../src/pack-builder/sample/securities.ts";
import { shanghaiDay } from "../../src/pack-builder/sample/shanghai.ts";
import { shenzhenOrders } from "../../src/pack-builder/sample/shenzhen.ts";
import { shenzhenTrades } from "../../src/pack-builder/sample/shenzhen-trades.ts";
import type { QualitySheet } from "../../src/quality/sheet.ts";
import { CHECKS } from "../../src/quality/sheet-messages.ts";
import type { FaultKind } from "../../src/quality/verdict.ts";
import { type DayOfSecurity, type Table, writeTables } from "./layout-sources.ts";

export const CHECKED_DAY = "20230711" as BeijingDate;

const SECURITIES = [
  { symbol: "000001", market: "SZ", priceE4: 114_200 },
  { symbol: "300750", market: "SZ", priceE4: 2_685_000 },
  { symbol: "600036", market: "SH", priceE4: 432_000 },
  { symbol: "600519", market: "SH", priceE4: 14_688_800 },
] as const;

/**
 * Returns four securities of both exchanges with `rows` orders each. Equal seeds give equal days; `hasQuotes` adds
 * snapshots.
 */
export function madeDay(seed: string, rows: number, { hasQuotes = false } = {}): DayOfSecurity[] {
  return SECURITIES.map((each) => {
    const security: SampleSecurity = { ...each, rows, tickE4: 100, lot: 100 };
    const random = seededRandom(`${seed} ${each.symbol}`);
    const { symbol, market } = security;
    if (market === "SH") return { symbol, market, ...shanghaiDay(security, random, { hasQuotes }) };
    const orders = shenzhenOrders(security, random);
    return { symbol, market, orders, ...shenzhenTrades(security, orders, random, { hasQuotes }) };
  });
}

export interface Checked {
  reports: BuildReport[];
  sheet: QualitySheet;
}

export interface Beside {
  /** Other days by date, which are built and checked first in the same folder. */
  before?: Readonly<Record<string, readonly Table[]>> | undefined;
}

/** Builds and checks `tables`. Throws if the build fails. */
export async function checkedTables(
  tables: readonly Table[],
  { before = {} }: Beside = {},
): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), "edgetape-"));
  try {
    const outFolder = join(folder, "packs");
    for (const [tradedate, rows] of Object.entries(before)) {
      await checkedIn({ folder, outFolder, tradedate: tradedate as BeijingDate }, rows);
    }
    return await checkedIn({ folder, outFolder, tradedate: CHECKED_DAY }, tables);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function checkedIn(
  { folder, outFolder, tradedate }: { folder: string; outFolder: string; tradedate: BeijingDate },
  tables: readonly Table[],
): Promise<Checked> {
  const source = join(folder, tradedate);
  writeTables(source, tables);
  const options = { tradedate, outFolder, maxBroken: 0, threads: 0, verify: false, onProgress: () => {} };
  const { packs: reports } = await buildPacks({ sources: [source], ...options });
  return { reports, sheet: (await checkFolder(outFolder, tradedate)).sheet };
}

/** Returns every fault of the sheet as `code check kind`, or `day check kind subject`. */
export function faultsOf({ sheet }: Checked): string[] {
  const ofDay = Object.entries(sheet.day).flatMap(([check, verdict]) =>
    verdict.verdict === "failed"
      ? verdict.faults.map(({ kind, subject }) => `day ${check} ${kind} ${subject}`)
      : [],
  );
  return [...ofDay, ...sheet.securities.flatMap((security) => faultsOfSecurity(security))];
}

function faultsOfSecurity({ symbol, market, checks }: QualitySheet["securities"][number]): string[] {
  return CHECKS.flatMap((check) => {
    const verdict = checks[check];
    if (verdict.verdict !== "failed") return [];
    return verdict.faults.map(({ kind }) => `${symbol}.${market} ${check} ${kind satisfies FaultKind}`);
  });
}
