/**
 * Builds packs from random deliveries. Every file is read or named with the reason for leaving it out, and nothing
 * outside the delivery is read. All rows are accounted for, and the pack has the rows that an independent reader finds
 * in the same bytes.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { quotes } from "../../src/datasets/quotes.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { buildPack } from "../../src/pack-builder/build.ts";
import { type BuildReport, originLines } from "../../src/pack-builder/build-report.ts";
import {
  DeliveryError,
  type LeftOutFile,
  mayHoldRecords,
} from "../../src/pack-builder/delivery/source-file.ts";
import { packName } from "../../src/pack-builder/pack-file.ts";
import { verifyPack } from "../../src/pack-builder/verify/verify-pack.ts";
import { inTimeOrder, type NaiveReading, type NaiveRow, naiveReading } from "../support/naive-reader.ts";
import { printedRandom } from "../support/random.ts";
import {
  DELIVERY_KINDS,
  type DeliveryKind,
  generateDelivery,
  HEADERS,
  type MadeFile,
  type RandomDelivery,
  usualMakers,
} from "../support/random-deliveries.ts";
import { bare } from "../support/result.ts";
import { proofSize } from "../support/tier.ts";
import { entriesOf, reportLines, rowsOf } from "../unit/pack-builder/deliveries.ts";

const TRADEDATE = "20230711" as BeijingDate;
const QUOTES_ON_REQUEST = quotes.columns.flatMap((column) => ("onRequest" in column ? column.name : []));
const random = printedRandom("row accounting");

const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, each) => sum + each, 0);

type ReadFile = Omit<MadeFile, "rows"> & NaiveReading;

/** The expected result of a delivery, from the independent reading of its files. */
interface Expected {
  /** Files with a known header. */
  read: ReadFile[];
  leftOut: LeftOutFile[];
  /** `file,line` of every quarantined record; line 0 stands for a whole file. */
  quarantined: string[];
  /** Rows by security, without empty securities. */
  rows: Map<string, NaiveRow[]>;
}

function expectedOf(made: RandomDelivery, dataset: DatasetName): Expected {
  const expected: Expected = { read: [], leftOut: [...made.leftOut], quarantined: [], rows: new Map() };
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  for (const file of made.files.toSorted(byPath)) {
    const { path, layout, security, bytes } = file;
    const reading = naiveReading(file, TRADEDATE, dataset);
    if (file.isIntact) expect(reading.rows).toHaveLength(file.rows);
    if (layout === "plain" && bytes.length === 0) expected.leftOut.push({ path, reason: "empty" });
    else if (!reading.isRefused) expected.read.push({ ...file, ...reading });
    // A file of the vendor's layout is recognised by its name, any other by its header.
    else if (layout === "vendor" || isHeaderIntact(file, dataset)) expected.quarantined.push(`"${path}",0`);
    else expected.leftOut.push({ path, reason: "unknown_layout" });
    expected.quarantined.push(...reading.broken.map((line) => `"${path}",${line}`));
    const rows = [...(expected.rows.get(security) ?? []), ...reading.rows];
    if (rows.length > 0) expected.rows.set(security, inTimeOrder(rows));
  }
  expected.leftOut.sort(byPath);
  return expected;
}

/** Returns whether the header still has every column that the plain layout requires. */
function isHeaderIntact({ bytes }: MadeFile, dataset: DatasetName): boolean {
  const [header = ""] = bytes.toString("latin1").split("\n");
  const names = header.split(",").map((name) => name.replace(/^\0+|\0+$/g, ""));
  // The plain layout does not require the columns that only some sources have: the day, the order id, and the fields
  // that are returned only on request.
  const wanted = HEADERS[dataset].plain
    .split(",")
    .filter((name) => !["tradedate", "order_id", ...QUOTES_ON_REQUEST].includes(name));
  return wanted.every((name) => names.includes(name));
}

async function checkOne(kind: DeliveryKind, dataset: DatasetName): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "edgetape-random-"));
  try {
    const made = generateDelivery(random, {
      kind,
      place,
      tradedate: TRADEDATE,
      makers: usualMakers(TRADEDATE, dataset),
    });
    const outFolder = join(place, "out");
    const building = buildPack({
      dataset,
      sources: [made.folder],
      tradedate: TRADEDATE,
      outFolder,
      maxBroken: random.pick([0, 100]),
      threads: 0,
      verify: false,
      chunkBytes: random.pick([500, 1_000_000]),
      onProgress: () => {},
    });
    const report = await building.catch((error: unknown) => checkRefusal(error, made, outFolder));
    if (report === null) return;
    if (kind === "duplicated") expect(mustRefuse(made, dataset)).toBe(false);
    await checkReport(report, made, outFolder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Checks that a refusal names the security and both of its files and leaves no output. */
function checkRefusal(error: unknown, made: RandomDelivery, outFolder: string): null {
  if (!(error instanceof DeliveryError)) throw error;
  const [security] = made.duplicated;
  expect(error.message).toContain(`${security} is delivered twice: `);
  for (const { path } of made.files.filter((file) => file.security === security)) {
    expect(error.message).toContain(path);
  }
  expect(readdirSync(outFolder)).toEqual([]);
  return null;
}

/** Returns whether the two files of a duplicated security have different layouts or overlap in time. */
function mustRefuse(made: RandomDelivery, dataset: DatasetName): boolean {
  const files = made.files.filter(({ security }) => made.duplicated.includes(security));
  const [a, b] = files.map((file) =>
    naiveReading(file, TRADEDATE, dataset).rows.map(({ time }) => String(time)),
  );
  if (files[0]?.layout !== files[1]?.layout || a === undefined || b === undefined) return true;
  const follow = (first: string[], then: string[]) => (first.at(-1) ?? "") <= (then[0] ?? "");
  return follow(a, b) === follow(b, a);
}

async function checkReport(report: BuildReport, made: RandomDelivery, outFolder: string): Promise<void> {
  const { read, leftOut, quarantined, rows } = expectedOf(made, report.dataset);
  const path = join(outFolder, packName(report.dataset, TRADEDATE));
  const stored = sumOf([...rows.values()].map(({ length }) => length));
  const wholeFiles = quarantined.filter((each) => each.endsWith(",0")).length;
  const brokenRows = quarantined.length - wholeFiles;

  expect(report.leftOut).toEqual(leftOut);
  expect(report.rows).toBe(stored);
  expect(report.broken).toMatchObject({ rows: brokenRows, files: wholeFiles });
  expect(quarantineOf(path)).toEqual(quarantined.toSorted());
  const mayLack = quarantined.length > 0 || leftOut.some(({ reason }) => mayHoldRecords(reason));
  const isFailed = quarantined.length > report.broken.allowed;
  expect(report.result).toBe(isFailed ? "failed" : mayLack ? "degraded" : "whole");
  expect(existsSync(path)).toBe(!isFailed);
  if (isFailed) return;

  const repeated = sumOf(read.map((file) => file.repeated));
  const sum = { read: sumOf(read.map((file) => file.read)), quarantined: brokenRows };
  expect(report.origin?.rows).toEqual({
    ...sum,
    leftOut: repeated === 0 ? {} : { repeated_row: repeated },
  });
  expect(sum.read).toBe(stored + brokenRows + repeated);
  const files = report.origin?.files;
  expect(files).toMatchObject({ read: read.length, quarantined: wholeFiles });
  expect(sumOf(Object.values(files?.leftOut ?? {}))).toBe(leftOut.length);
  expect(read.length + wholeFiles + leftOut.length).toBe(made.files.length + made.leftOut.length);

  const verified = bare(await verifyPack(path));
  if ("reason" in verified) throw new Error(`the pack does not verify: ${JSON.stringify(verified)}`);
  expect(verified.index.origin).toEqual(report.origin);
  const repeatedLines = originLines(verified.index.origin, verified.rows);
  expect(reportLines(report)).toEqual(expect.arrayContaining(repeatedLines));

  const entries = (await entriesOf(path)).filter((entry) => entry.rows > 0);
  const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(entries.map(({ symbol, market }) => `${symbol}.${market}`)).toEqual(inOrder.map(([name]) => name));
  expect(await rowsOf(path)).toEqual(inOrder.flatMap(([, each]) => each));
}

/** Returns `"file",line` for every quarantined record, sorted; empty when there is no quarantine file. */
function quarantineOf(pack: string): string[] {
  const path = pack.replace(/parquet$/, "quarantine.csv");
  if (!existsSync(path)) return [];
  const records = readFileSync(path, "utf8").matchAll(/^("[^"]+",\d+),"(?:[^"]|"")*","(?:[^"]|"")*"$/gm);
  return Array.from(records, ([, place = ""]) => place).sort();
}

/**
 * The number of deliveries of each kind, by dataset. Trades and quotes need fewer than orders, because the datasets
 * share all code except layouts and row parsers.
 */
const DELIVERIES = { orders: proofSize(100), trades: proofSize(20), quotes: proofSize(10) } as const;

describe.each(DATASET_NAMES)("the rows and files of a random delivery of %s", (dataset) => {
  it.each(DELIVERY_KINDS)("(%s) are each stored, quarantined, or left out for a reason", async (kind) => {
    for (let n = DELIVERIES[dataset]; n > 0; n--) await checkOne(kind, dataset);
  });
});
