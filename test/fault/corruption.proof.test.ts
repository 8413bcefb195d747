/**
 * Corrupts stored packs without changing their checksums in the catalog. For each flipped byte and each truncation,
 * requests for JSON and for Parquet return 503, a broken body or exactly the published rows.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { packObjectKey } from "../../src/packs/layout.ts";
import { crowdedSection, priceField, publishSections, randomSection } from "../support/dataset-days.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { printedRandom, type Random } from "../support/random.ts";
import { testService } from "../support/test-service.ts";
import { proofSize } from "../support/tier.ts";

const TRADEDATE = "20260311";
/** The numbers of flips and of truncations for each dataset: 500 and 100, divided by the number of datasets. */
const FLIPS = proofSize(Math.ceil(500 / DATASET_NAMES.length));
const CUTS = proofSize(Math.ceil(100 / DATASET_NAMES.length));

/** The number of rows of the largest security. Quotes get fewer, because their rows are ten times as long. */
const LARGE_ROWS: Record<DatasetName, number> = { orders: 12_000, trades: 12_000, quotes: 1_500 };

/** A request and its answer from the intact pack. */
interface Asked {
  symbol: string;
  format: "json" | "parquet" | "fields";
  whole: Buffer;
}

interface Section {
  symbol: string;
  from: number;
  until: number;
}

/** A dataset's published pack and the answers from it. */
interface Published {
  pack: Buffer;
  asked: Asked[];
  sections: Section[];
  /** Removes the damage mark that an answer from corrupt bytes leaves on the day. */
  removeMark: () => Promise<unknown>;
}

const service = await testService();
const { key } = await account(service, { plan: "flagship", limits: { files: null } });

async function published(random: Random, dataset: DatasetName): Promise<Published> {
  const { bytes, index } = await publishSections(service, dataset, TRADEDATE, [
    randomSection(random, dataset, { symbol: "000001", rows: 3 }),
    randomSection(random, dataset, { symbol: "300750", rows: LARGE_ROWS[dataset], crowd: 40 }),
    crowdedSection(dataset, { symbol: "600519", time: "093000000", rows: 400 }),
  ]);
  const sections = index.entries.map(({ symbol, offset, length }) => ({
    symbol,
    from: offset,
    until: offset + length,
  }));
  const asked: Asked[] = [];
  for (const { symbol } of sections) {
    for (const format of ["json", "parquet", "fields"] as const) {
      const answer = await ask(dataset, symbol, format);
      if (answer?.status !== 200) throw new Error(`${symbol} as ${format}: ${answer?.text.slice(0, 200)}`);
      asked.push({ symbol, format, whole: answer.bytes });
    }
  }
  return { pack: Buffer.from(bytes), asked, sections, removeMark: await markRemoval(dataset) };
}

/** Returns the answer, or null when the connection broke before the answer was complete. */
async function ask(dataset: DatasetName, symbol: string, format: Asked["format"]): Promise<Answer | null> {
  const params = { symbol, tradedate: TRADEDATE, ...(format === "json" ? {} : { format: "parquet" }) };
  const fields = format === "fields" ? { fields: `${priceField(dataset)},time` } : {};
  const body = orderHistory({ dataset, apikey: key, params, ...fields });
  for (;;) {
    const answer = await call(`${service.baseUrl}/api`, { body }).catch(() => null);
    if (answer?.reason !== "slot_busy") return answer;
  }
}

/** Replaces the dataset's published pack with `bytes` and updates its etag in the catalog. */
async function store(dataset: DatasetName, bytes: Uint8Array): Promise<void> {
  const bucket = await service.mf.getR2Bucket("PACKS");
  const db = await service.mf.getD1Database("DB");
  const objectKey = packObjectKey(TRADEDATE as BeijingDate, 1, dataset);
  const { etag } = await bucket.put(objectKey, bytes);
  // `exec` takes one call into the runtime. A prepared statement would take two more.
  await db.exec(`UPDATE day_packs SET etag = '${etag}' WHERE object_key = '${objectKey}'`);
}

/** Prepares `removeMark` once, because preparing a statement from outside the runtime takes longer than running it. */
async function markRemoval(dataset: DatasetName): Promise<Published["removeMark"]> {
  const db = await service.mf.getD1Database("DB");
  const statement = db.prepare("UPDATE order_days SET state = 'available' WHERE dataset = ?").bind(dataset);
  return () => statement.run();
}

/**
 * Stores `bytes` and sends every request for the sections that `isTouched` selects. Expects 503, a broken body or the
 * published rows. Returns how many answers had the published rows.
 */
async function askAll(
  dataset: DatasetName,
  { asked, sections, removeMark }: Published,
  bytes: Uint8Array,
  isTouched: (section: Section) => boolean,
  about: string,
): Promise<number> {
  let whole = 0;
  await store(dataset, bytes);
  await removeMark();
  for (const section of sections.filter(isTouched)) {
    for (const each of asked.filter(({ symbol }) => symbol === section.symbol)) {
      const answer = await ask(dataset, each.symbol, each.format);
      if (answer?.status !== 200) await removeMark();
      if (answer === null) continue;
      if (answer.status === 503) {
        expect([answer.envelope.code, answer.envelope.data], about).toEqual([503, null]);
        continue;
      }
      expect(answer.status, about).toBe(200);
      expect(
        rowsIn(answer, each).equals(rowsIn({ bytes: each.whole }, each)),
        `${about}, ${each.format}`,
      ).toBe(true);
      whole++;
    }
  }
  return whole;
}

/** Returns the part of an answer that must not change: a file, or the rows of a page. */
function rowsIn({ bytes }: { bytes: Buffer }, { format }: Asked): Buffer {
  if (format !== "json") return bytes;
  const { data } = JSON.parse(bytes.toString("utf8")) as { data: { items: unknown[] } };
  return Buffer.from(JSON.stringify(data.items));
}

describe.each(DATASET_NAMES)("a pack of %s corrupted in R2", (dataset) => {
  let random: Random;
  let made: Published;
  beforeAll(async () => {
    random = printedRandom(`corruption of ${dataset}`);
    made = await published(random, dataset);
  });

  it(`gives 503, a broken body or the published rows for each of ${FLIPS} flipped bytes`, async () => {
    const { pack, sections } = made;
    let whole = 0;
    for (let round = 0; round < FLIPS; round++) {
      const at = random.integer(0, (sections.at(-1)?.until ?? 1) - 1);
      const bytes = Buffer.from(pack);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      const isTouched = ({ from, until }: Section) => from <= at && at < until;
      whole += await askAll(dataset, made, bytes, isTouched, `byte ${at} flipped`);
    }
    console.log(`flipped bytes: ${whole} answers did not need the byte and were whole`);
    // A page reads most bytes of a section, but not its chunk table, its footer or its second block.
    expect(whole).toBeLessThan(2.5 * FLIPS);
  });

  it(`gives 503, a broken body or the published rows for each of ${CUTS} truncations`, async () => {
    const { pack } = made;
    let whole = 0;
    for (let round = 0; round < CUTS; round++) {
      const length = random.integer(1, pack.length - 1);
      const isTouched = ({ until }: Section) => until > length;
      whole += await askAll(dataset, made, pack.subarray(0, length), isTouched, `cut at ${length}`);
    }
    console.log(`cuts: ${whole} answers lay before the cut and were whole`);
  });
});
