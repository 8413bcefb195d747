/**
 * Builds, verifies and checks market days from a vendor's CSV files. `benchWholeDay` builds each dataset alone, and all
 * datasets in one command. `benchTenthDay` builds a fortieth, a twentieth and a tenth of a full day, and extrapolates
 * the full day from them; these have fewer securities than a real day, but each security is as large as on a real day.
 * It also builds a day with every security of the market, each a tenth as large. `benchFullDay` builds a full day.
 */
import { mkdtempDisposable, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import { FULL_MARKET } from "../../src/pack-builder/sample/securities.ts";
import { type BenchOptions, type BenchRow, figuresIn, median } from "./bench-row.ts";
import { rowsOf, runTask, type Spent, sizeOf, writeDelivery } from "./builder/deliveries.ts";
import type { DayPacks } from "./builder/run.ts";

const TRADEDATE = "20220301" as BeijingDate;
type Run = Spent & { result: DayPacks };

/** The maximum number of rounds. A build takes seconds, so more rounds would add little precision. */
const MOST_ROUNDS = 2;

/** Returns the figures of each dataset and of the whole day. */
export async function benchWholeDay({ deliveryRows, rounds }: BenchOptions): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const sources = writeDelivery(folder.path, { tradedate: TRADEDATE, rows: deliveryRows }, 1);
  const runs = new Map<string, Run[]>([...DATASET_NAMES, "all"].map((name) => [name, []]));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    for (const [name, taken] of runs) {
      const out = join(folder.path, "out");
      taken.push(await runTask<DayPacks>(name, { tradedate: TRADEDATE, out, sources }));
      await rm(out, { recursive: true });
    }
  }
  return [...runs].flatMap(([name, taken]) => datasetFigures(name, taken));
}

function datasetFigures(dataset: string, taken: readonly Run[]): BenchRow[] {
  const [first] = taken;
  if (first === undefined) return [];
  const rows = rowsOf(first.result);
  const name = `${dataset}, ${rows.toLocaleString("en")} rows`;
  const figure = figuresIn("a vendor's day from CSV files, verified and checked", name);
  const of = (what: keyof Spent) => median(taken.map((run) => run[what]));
  return [
    figure("speed", rows / (of("ms") / 1000), "rows/s"),
    figure("on one core", rows / (of("cpuMs") / 1000), "rows/s"),
    figure("most memory", of("peakBytes") / 2 ** 20, "MiB"),
    figure("packs", sizeOf(first.result) / rows, "B/row"),
  ];
}

/** Rows of a full market day. */
const FULL_DAY: Record<DatasetName, number> = {
  orders: 132_000_000,
  trades: 100_000_000,
  quotes: 24_000_000,
};
/**
 * The delivery has four parts. The measured fractions of the day are the first part, the first two parts, and all four.
 */
const PARTS = 4;
const SHARES = [
  { name: "a fortieth of a day", parts: 1 },
  { name: "a twentieth of a day", parts: 2 },
  { name: "a tenth of a day", parts: PARTS },
];
const MOST_MEMORY_BYTES = 2 ** 30;
/** The maximum size of a full day's packs, including the auction pack. */
const MOST_DAY_BYTES = 3.2e9;

/**
 * Returns the figures of each of `SHARES`, and those of a tenth of the orders in all securities. Throws when a build
 * takes more than `MOST_MEMORY_BYTES`, or when a full day would take more than `MOST_DAY_BYTES`.
 */
export async function benchTenthDay(): Promise<BenchRow[]> {
  return [...(await benchShares(FULL_DAY.orders / 10, SHARES)), ...(await benchWholeMarket())];
}

/** Returns the figures of a full day. Throws as `benchTenthDay` does. */
export function benchFullDay(): Promise<BenchRow[]> {
  return benchShares(FULL_DAY.orders, [{ name: "a full day", parts: PARTS }]);
}

async function benchShares(orders: number, shares: typeof SHARES): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const sources = writeDelivery(folder.path, { tradedate: TRADEDATE, rows: orders }, PARTS);
  const rows: BenchRow[] = [];
  for (const { name, parts } of shares) {
    const built = await buildIn(folder.path, sources.slice(0, parts));
    rows.push(...builtFigures(name, built), ...fullDayFigures(name, built));
  }
  return rows;
}

/** Measures the memory that depends on the number of securities, not on their size. */
async function benchWholeMarket(): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const day = { tradedate: TRADEDATE, rows: FULL_DAY.orders / 10, securities: FULL_MARKET };
  const built = await buildIn(folder.path, writeDelivery(folder.path, day, 1));
  return builtFigures(`${FULL_MARKET.toLocaleString("en")} small securities`, built);
}

/** A built day, and its auction pack and quality check, each made again in a new process. */
interface Built {
  run: Run;
  auction: Spent;
  quality: Spent;
}

async function buildIn(folder: string, sources: readonly string[]): Promise<Built> {
  const out = join(folder, "out");
  const of = { tradedate: TRADEDATE, out, sources };
  const run = await runTask<DayPacks>("all", of);
  const auction = await runTask("auction", of);
  const quality = await runTask("quality", of);
  await rm(out, { recursive: true });
  return { run, auction, quality };
}

const titled = (name: string, { result }: Run) => `${name}, ${rowsOf(result).toLocaleString("en")} rows`;
const growth = (what: string, name: string) => figuresIn(`a market day's growth: ${what}`, name);
const seconds = ({ ms }: Spent) => ms / 1000;
const cpu = ({ cpuMs }: Spent) => cpuMs / 1000;
const STAGES = "auction pack and quality check, each alone in a new process";

function builtFigures(share: string, { run, auction, quality }: Built): BenchRow[] {
  const { packs, auctionBytes } = run.result;
  const rows = rowsOf(run.result);
  const name = titled(share, run);
  const built = growth("built, verified and checked", name);
  const stored = growth("bytes", name);
  const stage = growth(STAGES, name);
  const peakBytes = Math.max(run.peakBytes, auction.peakBytes, quality.peakBytes);
  if (peakBytes > MOST_MEMORY_BYTES) throw new Error(`${name} took ${peakBytes} bytes of memory`);
  return [
    built("time", seconds(run), "s"),
    built("processor", cpu(run), "s"),
    built("speed", rows / seconds(run), "rows/s"),
    built("on one core", rows / cpu(run), "rows/s"),
    ...packs.map((pack) => built(pack.dataset, pack.rows / pack.seconds, "rows/s")),
    built("most memory", run.peakBytes / 2 ** 20, "MiB"),
    ...packs.map(({ dataset, rows: of, sizeBytes }) => stored(dataset, sizeBytes / of, "B/row")),
    stored("all packs", (sizeOf(run.result) + auctionBytes) / 1e6, "MB"),
    stage("auction: time", seconds(auction), "s"),
    stage("processor", cpu(auction), "s"),
    stage("quality: processor", cpu(quality), "s"),
    stage("of the build's", (100 * cpu(quality)) / cpu(run), "%"),
  ];
}

/** Returns what a full day would take by the figures of a day whose securities are as large as on a full day. */
function fullDayFigures(share: string, { run, auction }: Built): BenchRow[] {
  const { packs, auctionBytes } = run.result;
  const name = titled(share, run);
  const securities = packs.find(({ dataset }) => dataset === "quotes")?.securities ?? 0;
  const wholeMarket = FULL_MARKET / securities;
  const fullBytes = fullDayBytes(run.result) + auctionBytes * wholeMarket;
  if (!(fullBytes <= MOST_DAY_BYTES)) throw new Error(`${name}: a full day would take ${fullBytes} bytes`);
  return [
    growth("bytes", name)("a full day", fullBytes / 1e9, "GB"),
    growth(STAGES, name)("whole market: time", seconds(auction) * wholeMarket, "s"),
  ];
}

/** Returns the bytes of a full day's packs, assuming that each row takes as many bytes as in `run`. */
function fullDayBytes({ packs }: DayPacks): number {
  return DATASET_NAMES.reduce((sum, name) => {
    const pack = packs.find(({ dataset }) => dataset === name);
    return pack === undefined ? Number.NaN : sum + (pack.sizeBytes / pack.rows) * FULL_DAY[name];
  }, 0);
}
