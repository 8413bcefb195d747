/**
 * Changes packs at random positions and recomputes their checksums, as an untrusted source could, so that only a check
 * of the content can find the change. Verifying, publishing and reading refuse such a pack with a message or find it
 * valid. They never crash, hang or exhaust memory.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import { verifyPack } from "../../src/pack-builder/verify/verify-pack.ts";
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import { PackFormatError, PackReadError } from "../../src/packs/errors.ts";
import { blockEnd, type DayIndex, type SectionEntry } from "../../src/packs/layout.ts";
import { type LocatedIndex, locateIndex } from "../../src/packs/locate.ts";
import { readOrderPage } from "../../src/packs/order-page.ts";
import { burst, day, randomRows, randomSecurity } from "../support/builders.ts";
import { account, publishPack } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { memoryBucket, packOf } from "../support/packs.ts";
import { orderHistory } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { bare } from "../support/result.ts";
import { testService } from "../support/test-service.ts";
import { proofSize } from "../support/tier.ts";
import { temporaryFolder } from "../unit/pack-builder/deliveries.ts";

/** For each dataset: how many changed packs are tested, and the row counts of the two securities in a pack. */
const SIZES: Record<DatasetName, { packs: number; rows: [number, number] }> = {
  orders: { packs: proofSize(3_000), rows: [200, 10_050] },
  trades: { packs: proofSize(600), rows: [300, 10_050] },
  quotes: { packs: proofSize(150), rows: [50, 400] },
};
/** Verifying a pack opens DuckDB, so only every third pack is verified. */
const VERIFIED_EVERY = 3;
/** Publishing a pack takes three requests, so only every fifth pack is published. */
const PUBLISHED_EVERY = 5;
/** A slower page counts as hanging. A normal page takes milliseconds, or seconds on a busy machine. */
const HANGING_MS = 60_000;
const TRADEDATE = "20240102";
const ENTRY_BYTES = 40;
const SECTION_CRC_AT = 28;
const HEADER_BYTES = 24;
/** The size of the dataset's name in the index of a pack. Packs of orders have no name. */
const NAME_BYTES = 8;

/** A pack and the position of its index. */
interface Subject {
  dataset: DatasetName;
  pack: Buffer;
  located: LocatedIndex;
}
const random = printedRandom("mutated packs");
const service = await testService();
const apikey = (await account(service, { plan: "flagship", limits: { files: null } })).key;
const securities = [
  randomSecurity(random, { symbol: "000001", rows: SIZES.orders.rows[0], crowd: 3 }),
  { symbol: "300750", market: "SZ" as const, orders: [] },
  burst({ symbol: "600519", time: "093000000", rows: SIZES.orders.rows[1] }),
];
const orders = (await packOf(day({ tradedate: TRADEDATE, securities }))).bytes;
const subjects: Map<DatasetName, Subject> = new Map([["orders", await subjectOf("orders", orders)]]);
for (const dataset of DATASET_NAMES.filter((name) => name !== "orders")) {
  subjects.set(dataset, await subjectOf(dataset, await randomPack(dataset)));
}

function randomPack(dataset: DatasetName): Promise<Uint8Array> {
  const sections = SIZES[dataset].rows.map((rows, place) => ({
    symbol: `00000${place + 1}`,
    market: "SZ" as const,
    columns: randomRows(random, DATASETS[dataset], { rows, crowd: 3 }),
  }));
  return buildPackBytes(TRADEDATE as BeijingDate, sections, undefined, dataset);
}

async function subjectOf(dataset: DatasetName, bytes: Uint8Array): Promise<Subject> {
  const pack = Buffer.from(bytes);
  return { dataset, pack, located: await locateIndex(pack.length, rangeOf(pack), [dataset]) };
}

function rangeOf(bytes: Uint8Array) {
  return async (offset: number, length: number) => bytes.subarray(offset, offset + length);
}

/** Returns the positions of each entry's record and blocks in the index region. */
function recordsOf({ entries, dataset }: DayIndex, regionOffset: number): { at: number; blocksAt: number }[] {
  let at = regionOffset + HEADER_BYTES + (dataset === "orders" ? 0 : NAME_BYTES);
  return entries.map(({ blocks }) => {
    const place = { at, blocksAt: at + ENTRY_BYTES };
    at += ENTRY_BYTES + encodeBlocks(blocks).length;
    return place;
  });
}

/** Returns a value that often breaks arithmetic, loops and buffers. */
const oddValue = () =>
  random.pick([0, 1, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, random.integer(0, 2 ** 32 - 1)]);

/** Returns the pack with one to three changes, and mostly with correct checksums. */
function mutated(subject: Subject): Buffer {
  const bytes = Buffer.from(subject.pack);
  for (let changes = random.integer(1, 3); changes > 0; changes--) {
    const change = random.pick([
      changeSection,
      changeSection,
      changeSection,
      changeIndex,
      changeIndex,
      changeEnd,
    ]);
    change(bytes, subject);
  }
  return fixed(bytes, subject);
}

function changeSection(bytes: Buffer, { located }: Subject): void {
  const at = random.integer(0, located.regionOffset - 5);
  if (random.chance(0.6)) bytes[at] = random.integer(0, 255);
  else bytes.writeUInt32LE(oddValue(), at);
}

function changeIndex(bytes: Buffer, { located }: Subject): void {
  const at = random.integer(located.regionOffset, located.footerOffset - 4);
  if (random.chance(0.5)) bytes[at] = random.integer(0, 255);
  else bytes.writeUInt32LE(oddValue(), at);
}

function changeEnd(bytes: Buffer, { located }: Subject): void {
  const at = random.integer(located.footerOffset - 20, bytes.length - 4);
  bytes.writeUInt32LE(oddValue(), at);
}

/** Recomputes the checksums of blocks, sections and index region; a few random ones stay wrong. */
function fixed(bytes: Buffer, { located }: Subject): Buffer {
  const records = recordsOf(located.index, located.regionOffset);
  located.index.entries.forEach((entry, place) => {
    const { at, blocksAt } = records[place] ?? { at: 0, blocksAt: 0 };
    entry.blocks.forEach((block, number) => {
      const from = entry.offset + block.offset;
      const crc = crc32(bytes.subarray(from, entry.offset + blockEnd(entry, number)));
      if (random.chance(0.9)) bytes.writeUInt32LE(crc, blocksAt + 20 * number + 16);
    });
    const section = crc32(bytes.subarray(entry.offset, entry.offset + entry.length));
    if (entry.rows > 0 && random.chance(0.9)) bytes.writeUInt32LE(section, at + SECTION_CRC_AT);
  });
  const body = bytes.subarray(located.regionOffset, located.footerOffset - 16);
  if (random.chance(0.95)) bytes.writeUInt32LE(crc32(body), located.footerOffset - 12);
  return bytes;
}

/** Returns the number of rows before the last block if all blocks begin in the same millisecond; otherwise 0. */
function lastSkipOf({ blocks }: SectionEntry): number {
  const last = blocks.at(-1);
  return last !== undefined && last.t0 === blocks[0]?.t0 ? last.firstRow : 0;
}

/**
 * Reads two pages of every security, from its beginning and from its last block, and returns the outcome. Throws every
 * error that is not a refusal.
 */
async function read(bytes: Buffer, { dataset, located }: Subject): Promise<"refused" | "read"> {
  const columns = DATASETS[dataset].columns.map(({ name }) => ({ field: name, name }));
  let index: DayIndex;
  try {
    ({ index } = await locateIndex(bytes.length, rangeOf(bytes), [dataset]));
  } catch (error) {
    if (error instanceof PackFormatError) return "refused";
    throw error;
  }
  let outcome: "refused" | "read" = "read";
  const { bucket, object } = memoryBucket(new Uint8Array(bytes));
  for (const [number, entry] of index.entries.entries()) {
    const intact = located.index.entries[number];
    for (const position of [
      { time: 0, skip: 0 },
      { time: entry.blocks.at(-1)?.t0 ?? 0, skip: intact === undefined ? 0 : lastSkipOf(intact) },
    ]) {
      try {
        const ask = { position, endTime: null, pageSize: 10_000, columns };
        await readOrderPage(bucket, object, entry, ask, { dataset: DATASETS[dataset] });
      } catch (error) {
        if (!(error instanceof PackReadError)) throw error;
        outcome = "refused";
      }
    }
  }
  return outcome;
}

describe("packs from an untrusted source", () => {
  it.each(DATASET_NAMES)("(%s) are refused or found valid, without a crash or a hang", async (dataset) => {
    const subject = subjects.get(dataset);
    if (subject === undefined) throw new Error(`no pack of ${dataset}`);
    const { packs } = SIZES[dataset];
    const rows = subject.located.index.entries.reduce((sum, entry) => sum + entry.rows, 0);
    const path = join(temporaryFolder(), "pack.parquet");
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let number = 0; number < packs; number++) {
      const bytes = mutated(subject);
      const begunMs = performance.now();
      count(`reader: ${await read(bytes, subject)}`);
      expect(performance.now() - begunMs).toBeLessThan(HANGING_MS);
      if (number % VERIFIED_EVERY === 0) {
        await writeFile(path, bytes);
        const verdict = bare(await verifyPack(path));
        count(`verify: ${"reason" in verdict ? verdict.reason : "whole"}`);
        // A pack that passes the verification has the expected number of rows.
        if (!("reason" in verdict)) expect(verdict.rows).toBe(rows);
      }
      if (number % PUBLISHED_EVERY === 0) count(`publish: ${await publishOne(bytes, dataset)}`);
    }
    console.log(`mutated packs of ${dataset}:`, Object.fromEntries(seen));
    expect(seen.get("reader: refused") ?? 0).toBeGreaterThan(packs / 4);
  });

  /**
   * Requests the day as JSON and as Parquet. Asserts that each answer holds rows or is one of the expected refusals,
   * and returns the distinct outcomes.
   */
  async function askPages(dataset: DatasetName): Promise<string> {
    const seen = new Set<string>();
    for (const symbol of ["000001", dataset === "orders" ? "600519" : "000002"]) {
      for (const format of ["json", "parquet"]) {
        const params = { symbol, tradedate: TRADEDATE, format };
        // A body that breaks off counts as a refusal, because the client notices it.
        const answer = await service.post(orderHistory({ dataset, apikey, params })).catch(() => null);
        const outcome = answer === null ? "day_damaged" : (answer.reason ?? "read");
        expect(["read", "day_damaged", "unavailable", "security_unknown", "no_orders"]).toContain(outcome);
        seen.add(outcome);
      }
    }
    return [...seen].toSorted().join(" ");
  }

  /** Publishes a pack that the operator's command would have refused. The service must answer without a fault. */
  async function publishOne(bytes: Buffer, dataset: DatasetName): Promise<string> {
    const index = await locateIndex(bytes.length, rangeOf(bytes), [dataset]).catch(() => null);
    if (index === null) return "not sent";
    const faults = service.logs.length;
    try {
      await publishPack(service, TRADEDATE, bytes, { dataset });
      return `served, ${await askPages(dataset)}`;
    } catch (error) {
      const [, status = ""] = /HTTP (\d{3})/.exec(String(error)) ?? [];
      if (status.startsWith("4")) return `HTTP ${status}`;
      throw new Error(`${String(error)} ${service.logs.slice(faults).join("\n")}`);
    }
  }
});
