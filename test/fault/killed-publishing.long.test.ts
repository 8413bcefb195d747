/**
 * Kills the runtime while a day is published: when the upload begins, while parts are sent, or when it completes. After
 * the restart the old or the new revision is served whole, and publishing again completes.
 */
import { afterAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { Row } from "../support/builders.ts";
import { answerRows, noiseOf, randomSection } from "../support/dataset-days.ts";
import { MOMENTS, startKillable } from "../support/killable.ts";
import { account, dayAt, publishPack } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { testFolder } from "../support/test-folder.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";
/** The number of cells that makes a pack large enough for an upload in two parts. */
const FILLING_CELLS = 3_500_000;
/** The default of `edgetape publish`: content that is already served is not published again. */
const UNFORCED = { force: false };

const random = printedRandom("killed in mid-publish");
/** For each dataset, the content that is served first and the content that is published next. */
const contents = new Map<DatasetName, [Content, Content]>();

/** A pack of the day, and the rows that the service returns for `SYMBOL` from it. */
interface Content {
  dataset: DatasetName;
  pack: Uint8Array;
  rows: Row[];
}

async function contentOf(dataset: DatasetName): Promise<Content> {
  const section = randomSection(random, dataset, { symbol: SYMBOL, rows: 2_000 });
  const fillingRows = Math.ceil(FILLING_CELLS / DATASETS[dataset].columns.length);
  const columns = noiseOf(random, DATASETS[dataset], fillingRows);
  const sections = [{ symbol: "300750", market: "SZ" as const, columns }, section];
  const pack = await buildPackBytes(TRADEDATE as BeijingDate, sections, undefined, dataset);
  return { dataset, pack, rows: answerRows(DATASETS[dataset], section, TRADEDATE) };
}

for (const dataset of DATASET_NAMES) {
  contents.set(dataset, [await contentOf(dataset), await contentOf(dataset)]);
}
const folder = testFolder("edgetape-publishing-");
const killable = await startKillable(folder);
const apikey = (await account(killable.service, { plan: "flagship", limits: { files: null } })).key;
afterAll(() => killable[Symbol.asyncDispose]());

async function servedRows(dataset: DatasetName): Promise<Row[]> {
  const params = { symbol: SYMBOL, tradedate: TRADEDATE };
  return (await readAllPages(killable.service, { dataset, apikey, params })).rows;
}

/**
 * Expects that the security's file has all rows. A file of orders must also equal its section in the pack. The files of
 * other datasets contain only some columns of their sections.
 */
async function expectFileOf({ dataset, pack, rows }: Content): Promise<void> {
  const params = { symbol: SYMBOL, tradedate: TRADEDATE, format: "parquet" };
  const { bytes, headers } = await killable.service.post(orderHistory({ dataset, apikey, params }));
  if (dataset === "orders") expect(Buffer.from(pack).includes(bytes)).toBe(true);
  expect(headers["x-row-count"]).toBe(String(rows.length));
}

describe(`a publish cut off by killing the runtime at ${MOMENTS} random moments`, () => {
  it("leaves either the old or the new revision completely served, and succeeds when it is repeated", async () => {
    let publishMs = 0;
    for (const [dataset, [{ pack }]] of contents) {
      const startedMs = performance.now();
      await publishPack(killable.service, TRADEDATE, pack, { dataset });
      publishMs = performance.now() - startedMs;
    }
    const seen = { before: 0, after: 0, told: 0 };
    for (let round = 0; round < MOMENTS; round++) {
      const dataset = DATASET_NAMES[round % DATASET_NAMES.length] ?? "orders";
      const [present, next] = contents.get(dataset) ?? [];
      if (present === undefined || next === undefined) throw new Error(`no content of ${dataset}`);
      const { revision } = await dayAt(killable.service, TRADEDATE, dataset);
      const unforced = { ...UNFORCED, dataset };
      const publishing = publishPack(killable.service, TRADEDATE, next.pack, unforced).then(
        () => true,
        () => false,
      );
      await new Promise((resolve) => setTimeout(resolve, random.next() * publishMs));
      await killable.kill();
      const wasTold = await publishing;
      await killable.restart(random.pick([0, 600_000]));

      const rows = await servedRows(dataset);
      const isNew = JSON.stringify(rows) === JSON.stringify(next.rows);
      if (!isNew) expect(rows).toEqual(present.rows);
      if (wasTold) expect(isNew).toBe(true);
      await expectFileOf(isNew ? next : present);
      expect((await dayAt(killable.service, TRADEDATE, dataset)).revision).toBe(
        isNew ? revision + 1 : revision,
      );
      seen[isNew ? "after" : "before"]++;
      if (wasTold) seen.told++;

      const published = await publishPack(killable.service, TRADEDATE, next.pack, unforced);
      expect(published.newRevision).toBe(!isNew);
      expect(published.day.revision).toBe(revision + 1);
      expect(await servedRows(dataset)).toEqual(next.rows);
      await expectFileOf(next);
      contents.set(dataset, [next, present]);
    }
    console.log(`revision served after the kill: ${JSON.stringify(seen)}`);
    expect(seen.before).toBeGreaterThan(0);
  });
});
