/**
 * Builds, verifies and checks the packs of a delivery in a separate process, so that only the memory of the build is
 * measured. Arguments: date, output folder, a dataset or `all`, then the delivery's folders; prints JSON.
 */
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { isDatasetName } from "../../../src/datasets/registry.ts";
import { buildPacks } from "../../../src/pack-builder/build.ts";
import { Meter, type Spent } from "./meter.ts";

/** The time and memory that building a day took, and the packs that it produced. */
export interface DayRun extends Spent {
  packs: { dataset: string; rows: number; securities: number; sizeBytes: number }[];
  /** The size of the auction pack; 0 without one. */
  auctionBytes: number;
}

const [tradedate = "", outFolder = "", wanted = "all", ...sources] = process.argv.slice(2);
const meter = new Meter();
const { packs, auction } = await buildPacks({
  sources,
  datasets: isDatasetName(wanted) ? [wanted] : undefined,
  tradedate: tradedate as BeijingDate,
  outFolder,
  maxBroken: 0,
  threads: availableParallelism(),
  verify: true,
  onProgress: () => {},
});
const run: DayRun = {
  ...meter.spent(),
  packs: packs.map(({ dataset, rows, securities, packBytes }) => ({
    dataset,
    rows,
    securities,
    sizeBytes: packBytes,
  })),
  auctionBytes: auction === null ? 0 : statSync(auction.path).size,
};
console.log(JSON.stringify(run));
