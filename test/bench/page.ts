/**
 * A page of 10,000 rows and ten fields out of a day of 9 million rows, from stored bytes to JSON bytes: decode,
 * JSON and the whole apart, against `JSON.stringify` of ready rows and against DuckDB on the same pack. The
 * pack's bytes are in memory for the page and in the file cache for DuckDB; what R2 takes is not in here.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { writeItems } from "../../src/orders/page-json.ts";
import type { Position } from "../../src/orders/page-plan.ts";
import { FIELDS } from "../../src/orders/record.ts";
import { writeSamplePack } from "../../src/pack-builder/sample/sample-pack.ts";
import { openBlock } from "../../src/packs/block-columns.ts";
import { blockEnd, blockRows, type SectionEntry } from "../../src/packs/layout.ts";
import { type OrderPage, readOrderPage } from "../../src/packs/order-page.ts";
import { memoryBucket, openTestPack, type TestPack } from "../support/packs.ts";
import { type BenchRow, median } from "./bench-row.ts";

const TRADEDATE = "20240102" as BeijingDate;
const PACK_ROWS = 9_000_000;
const PAGE_ROWS = 10_000;
const ROUNDS = 60;
const DUCKDB_ROUNDS = 7;

const columns = FIELDS.map((field) => ({ field, name: field }));
const decoder = new TextDecoder();

/** The figures of one page; throws when DuckDB's page is another one. Takes about half a minute. */
export async function benchPage(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bench-"));
  try {
    const { path } = await writeSamplePack({ tradedate: TRADEDATE, rows: PACK_ROWS }, folder);
    const pack = await openTestPack(new Uint8Array(await readFile(path)));
    const duckdb = await (await DuckDBInstance.create()).connect();
    await duckdb.run("SET parquet_metadata_cache = true");
    return await measure(pack, path, duckdb);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A page that is measured: where it begins, and what its parts do. */
interface Case {
  position: Position;
  whole: () => Promise<OrderPage>;
  decode: () => unknown;
  write: () => unknown;
}

async function measure(pack: TestPack, path: string, duckdb: DuckDBConnection): Promise<BenchRow[]> {
  const entry = pack.index.entries.reduce((largest, each) => (each.rows > largest.rows ? each : largest));
  const { bucket, object } = memoryBucket(pack.bytes);
  const pageAt = async (position: Position, pageSize = PAGE_ROWS): Promise<OrderPage> => {
    const page = await readOrderPage(bucket, object, entry, { position, endTime: null, pageSize, columns });
    if ("reason" in page) throw new Error(page.reason);
    return page;
  };
  const caseAt = (position: Position, from: number): Case => ({
    position,
    whole: () => pageAt(position),
    ...partsOf(pack, entry, from),
  });

  const middle = Math.floor(entry.blocks.length / 2);
  const alignedAt = startOfBlock(entry, middle);
  const halfway = (await pageAt(alignedAt, PAGE_ROWS / 2)).next;
  if (halfway === null) throw new Error("the middle of the day is its end");
  const aligned = caseAt(alignedAt, middle * PAGE_ROWS);
  const unaligned = caseAt(halfway, middle * PAGE_ROWS + PAGE_ROWS / 2);
  const lastFull = entry.blocks.length - 2;

  const rows: unknown[][] = JSON.parse(decoder.decode((await aligned.whole()).items));
  const times = await interleaved({
    stringify: () => JSON.stringify(rows),
    alignedDecode: aligned.decode,
    alignedJson: aligned.write,
    alignedWhole: aligned.whole,
    unalignedDecode: unaligned.decode,
    unalignedJson: unaligned.write,
    unalignedWhole: unaligned.whole,
    first: () => pageAt(startOfBlock(entry, 0)),
    last: () => pageAt(startOfBlock(entry, lastFull)),
  });
  const rival = await duckdbPage(duckdb, path, entry, alignedAt, rows);

  const against = "JSON.stringify of ready rows";
  const beside = (name: string, value: number): BenchRow => ({
    name,
    value,
    unit: "ms",
    ratio: value / times.stringify,
    against,
  });
  return [
    { name: `${against} (10,000 rows, ten fields)`, value: times.stringify, unit: "ms" },
    beside("page, aligned: decode", times.alignedDecode),
    beside("page, aligned: JSON", times.alignedJson),
    beside("page, aligned: whole", times.alignedWhole),
    beside("page, unaligned: decode", times.unalignedDecode),
    beside("page, unaligned: JSON", times.unalignedJson),
    beside("page, unaligned: whole", times.unalignedWhole),
    {
      name: `last page of ${entry.rows.toLocaleString("en")} rows`,
      value: times.last,
      unit: "ms",
      ratio: times.last / times.first,
      against: "the first page",
    },
    {
      name: "DuckDB, the same page of 9,000,000 rows",
      value: rival,
      unit: "ms",
      ratio: rival / times.alignedWhole,
      against: "the aligned page",
    },
  ];
}

function startOfBlock(entry: SectionEntry, number: number): Position {
  const block = entry.blocks[number];
  if (block === undefined) throw new Error(`there is no block ${number}`);
  return { time: block.t0, skip: block.k0 };
}

/** Decoding and writing the page that begins at row `from`, apart from finding it. */
function partsOf({ bytes }: TestPack, entry: SectionEntry, from: number): Pick<Case, "decode" | "write"> {
  const decode = () =>
    entry.blocks.flatMap((block, number) => {
      const startRow = Math.max(0, from - block.firstRow);
      const endRow = Math.min(blockRows(entry, number), from + PAGE_ROWS - block.firstRow);
      if (endRow <= startRow) return [];
      const blockBytes = bytes.subarray(entry.offset + block.offset, entry.offset + blockEnd(entry, number));
      const opened = openBlock(blockBytes, blockRows(entry, number));
      return [{ columns: opened.columns(FIELDS, endRow), startRow, endRow }];
    });
  const decoded = decode();
  return { decode, write: () => writeItems(decoded) };
}

/** Median milliseconds of each task, taken in turns so that a busy moment hits all of them. */
async function interleaved<Name extends string>(
  tasks: Record<Name, () => unknown>,
): Promise<Record<Name, number>> {
  const names = Object.keys(tasks) as Name[];
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const begun = performance.now();
      await tasks[name]();
      // The first third warms the compiler up.
      if (round >= ROUNDS / 3) samples.get(name)?.push(performance.now() - begun);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** Median milliseconds in which DuckDB, its metadata cached, gives the page as JavaScript rows. */
async function duckdbPage(
  duckdb: DuckDBConnection,
  path: string,
  entry: SectionEntry,
  { time, skip }: Position,
  expected: readonly unknown[][],
): Promise<number> {
  const from = String(time).padStart(9, "0");
  const sql = `SELECT * FROM '${path}' WHERE symbol = '${entry.symbol}' AND time >= '${from}'
    LIMIT ${PAGE_ROWS} OFFSET ${skip}`;
  const samples: number[] = [];
  for (let round = 0; round < DUCKDB_ROUNDS; round++) {
    const begun = performance.now();
    const result = await duckdb.runAndReadAll(sql);
    const rows = result.getRowsJson();
    if (round > 1) samples.push(performance.now() - begun);
    if (round === 0 && JSON.stringify(rows.map((row) => row.map(String))) !== asTexts(expected)) {
      throw new Error("DuckDB's page is not the same");
    }
  }
  return median(samples);
}

function asTexts(rows: readonly unknown[][]): string {
  return JSON.stringify(rows.map((row) => row.map(String)));
}
