/**
 * The runtime is killed while a day is published: when the upload begins, while parts are sent, when it completes.
 * After the restart the old or the new revision is served whole, and publishing again completes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaySummary } from "../../src/admin/wire.ts";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { buildPackBytes } from "../../src/pack-builder/pack-writer.ts";
import { columnsOf, day, noise, type Row, randomSecurity } from "../support/builders.ts";
import { type Killable, MOMENTS, startKillable } from "../support/killable.ts";
import { account, asOperator, publishPack } from "../support/operator.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";
/** Rows that give the pack two parts. */
const FILLING_ROWS = 350_000;
/** As the command does: content that is already served is not published again. */
const UNFORCED = { force: false };
const LONG_MS = 900_000;

const random = printedRandom("killed in mid-publish");
let folder: string;
let killable: Killable;
let apikey: string;
let contents: [Content, Content];

/** A day's pack with the rows of `SYMBOL` in it. */
interface Content {
  pack: Uint8Array;
  rows: Row[];
}

async function contentOf(filling: ReturnType<typeof noise>): Promise<Content> {
  const of = randomSecurity(random, { symbol: SYMBOL, rows: 2_000 });
  const pack = await buildPackBytes(TRADEDATE as BeijingDate, [
    { symbol: "300750", market: "SZ", columns: filling },
    { symbol: SYMBOL, market: "SH", columns: columnsOf(of.orders) },
  ]);
  return { pack, rows: day({ tradedate: TRADEDATE, securities: [of] }).rowsOf(SYMBOL) };
}

beforeAll(async () => {
  const filling = noise(random, FILLING_ROWS);
  contents = [await contentOf(filling), await contentOf(filling)];
  folder = await mkdtemp(join(tmpdir(), "edgetape-publishing-"));
  killable = await startKillable({}, folder);
  apikey = (await account(killable.service, { plan: "flagship", limits: { files: null } })).key;
});
afterAll(async () => {
  await killable[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function servedRows(): Promise<Row[]> {
  return (await readAllPages(killable.service, { apikey, params: { symbol: SYMBOL, tradedate: TRADEDATE } }))
    .rows;
}

/** Expects that the security's file equals its section in the pack. */
async function expectFileOf({ pack }: Content): Promise<void> {
  const params = { symbol: SYMBOL, tradedate: TRADEDATE, format: "parquet" };
  const { bytes } = await killable.service.post(orderHistory({ apikey, params }));
  expect(Buffer.from(pack).includes(bytes)).toBe(true);
}

const summary = async () =>
  (await asOperator<{ day: DaySummary }>(killable.service, "GET", `/admin/days/${TRADEDATE}`)).day;

describe(`the runtime killed at ${MOMENTS} random moments of a publish`, () => {
  it(
    "leaves one whole revision served, and publishing again completes",
    async () => {
      let [present, next] = contents;
      const startedMs = performance.now();
      await publishPack(killable.service, TRADEDATE, present.pack);
      const publishMs = performance.now() - startedMs;
      const seen = { before: 0, after: 0, told: 0 };
      for (let round = 0; round < MOMENTS; round++) {
        const { revision } = await summary();
        const publishing = publishPack(killable.service, TRADEDATE, next.pack, UNFORCED).then(
          () => true,
          () => false,
        );
        await new Promise((resolve) => setTimeout(resolve, random.next() * publishMs));
        await killable.kill();
        const wasTold = await publishing;
        await killable.restart(random.pick([0, 600_000]));

        const rows = await servedRows();
        const isNew = JSON.stringify(rows) === JSON.stringify(next.rows);
        if (!isNew) expect(rows).toEqual(present.rows);
        if (wasTold) expect(isNew).toBe(true);
        await expectFileOf(isNew ? next : present);
        expect((await summary()).revision).toBe(isNew ? revision + 1 : revision);
        seen[isNew ? "after" : "before"]++;
        if (wasTold) seen.told++;

        const published = await publishPack(killable.service, TRADEDATE, next.pack, UNFORCED);
        expect(published.newRevision).toBe(!isNew);
        expect(published.day.revision).toBe(revision + 1);
        expect(await servedRows()).toEqual(next.rows);
        await expectFileOf(next);
        [present, next] = [next, present];
      }
      console.log(`revision served after the kill: ${JSON.stringify(seen)}`);
      expect(seen.before).toBeGreaterThan(0);
    },
    LONG_MS,
  );
});
