/** Writes and builds small deliveries, and reads the rows of a pack with hyparquet. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { onTestFinished } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import { madeOrigin } from "../../../src/pack-builder/accounting.ts";
import {
  type BuildOptions,
  buildPack,
  buildPacks,
  type DeliveryOptions,
} from "../../../src/pack-builder/build.ts";
import { type BuildReport, leftOutLines, packLines } from "../../../src/pack-builder/build-report.ts";
import { leftOutText } from "../../../src/pack-builder/delivery/source-file.ts";
import type { DeliveryReport } from "../../../src/pack-builder/delivery-report.ts";
import { packName } from "../../../src/pack-builder/pack-file.ts";
import { encodeIndexRegion } from "../../../src/packs/index-region.ts";
import type { DayIndex, SectionEntry } from "../../../src/packs/layout.ts";
import { locateIndex } from "../../../src/packs/locate.ts";

export const DAY = "20230711" as BeijingDate;

export const VENDOR_HEADER =
  "万得代码,交易所代码,自然日,时间,委托编号,交易所委托号,委托类型,委托代码,委托价格,委托数量,";

/** The vendor's header in GBK, which Node cannot encode. */
export const VENDOR_HEADER_GBK = Buffer.from(
  "cdf2b5c3b4fac2eb2cbdbbd2d7cbf9b4fac2eb2cd7d4c8bbc8d52ccab1bce42cceafcdd0b1e0bac52cbdbbd2d7cbf9ceafcdd0" +
    "bac52cceafcdd0c0e0d0cd2cceafcdd0b4fac2eb2cceafcdd0bcdbb8f12cceafcdd0cafdc1bf2c",
  "hex",
);

/** Returns a temporary folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "edgetape-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes `files`, by path, into a new folder. Returns the folder. */
export function delivery(files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Returns the vendor's file of 600519.SH with `lines` after the header, in UTF-8 with CRLF. */
export function vendorFile(...lines: string[]): string {
  return [VENDOR_HEADER, ...lines, ""].join("\r\n");
}

/** Returns a line of the vendor's layout, by default an ordinary order of 600519.SH. */
export function vendorLine(said: Partial<Record<keyof typeof USUAL, string>> = {}): string {
  return `${Object.values({ ...USUAL, ...said }).join(",")},`;
}

const USUAL = {
  code: "600519.SH",
  exchangeCode: "600519",
  date: "20230711",
  time: "93000010",
  orderId: "0",
  exchangeOrderId: "88",
  type: "A",
  side: "B",
  price: "17450000",
  volume: "100",
};

/** Returns an order of 002009 as a line of the Shenzhen exchange's file, which has tabs and no header. */
export function spotLine(time: string, number: number, side: string, type: string): string {
  const stamps = ["20230711", time, time, time, time];
  const order = ["2011", "011", number, "2009", "102 ", "12.340", "100", time, side, type];
  return [...stamps, ...order, "", "", "", "", ""].join("\t");
}

export interface Built {
  report: BuildReport;
  pack: string;
  quarantine: string;
}

/** Returns the options of a build of `DAY` that allows no broken line, does not verify and starts no thread. */
const usual = (sources: string | readonly string[]) => ({
  ...{ sources: [sources].flat(), tradedate: DAY, outFolder: temporaryFolder() },
  ...{ maxBroken: 0, threads: 0, verify: false },
  onProgress: () => {},
});

/** Builds the pack of `DAY` from `sources`. */
export async function built(
  sources: string | readonly string[],
  said: Partial<Omit<BuildOptions, "sources">> = {},
): Promise<Built> {
  const options = { ...usual(sources), ...said };
  const { outFolder, tradedate, dataset = "orders" } = options;
  return {
    report: await buildPack(options),
    pack: join(outFolder, packName(dataset, tradedate)),
    quarantine: join(outFolder, packName(dataset, tradedate).replace("parquet", "quarantine.csv")),
  };
}

/** Builds every pack of `DAY` from `sources`. */
export function builtDay(
  sources: string | readonly string[],
  said: Partial<Omit<DeliveryOptions, "sources">> = {},
): Promise<DeliveryReport> {
  return buildPacks({ ...usual(sources), ...said });
}

/** Returns the report as lines for a terminal. */
export function reportLines(report: BuildReport): string[] {
  return [
    ...packLines(report),
    ...leftOutLines(report.leftOut, (reason) => leftOutText(reason, report.dataset)),
  ];
}

/** Returns the counts of the report's defects by kind. */
export function countsOf({ defects }: BuildReport): Record<string, number> {
  return Object.fromEntries(defects.map(({ kind, count }) => [kind, count]));
}

/** Returns the pack's rows with ids and volumes as numbers. */
export async function rowsOf(pack: string): Promise<Record<string, string | number>[]> {
  const file = new Uint8Array(readFileSync(pack)).buffer;
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
  const rows = await parquetReadObjects({ file, compressors });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
    ),
  );
}

/** Returns the pack's index. */
export async function indexOf(pack: string): Promise<DayIndex> {
  return (await located(readFileSync(pack))).index;
}

/** Returns the entries of the pack's index. */
export async function entriesOf(pack: string): Promise<SectionEntry[]> {
  return (await indexOf(pack)).entries;
}

/** Returns the bytes of a pack with a fixed origin, so that they depend only on the rows. */
export async function contentOf(pack: Uint8Array): Promise<Buffer> {
  const { index, regionOffset, footerOffset } = await located(pack);
  const region = encodeIndexRegion({ ...index, origin: madeOrigin(0) });
  return Buffer.concat([pack.subarray(0, regionOffset), region, pack.subarray(footerOffset)]);
}

function located(bytes: Uint8Array) {
  return locateIndex(
    bytes.length,
    async (from, length) => bytes.subarray(from, from + length),
    DATASET_NAMES,
  );
}
