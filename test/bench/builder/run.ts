/**
 * Runs one task in a separate process, so that only its own time and memory are measured. Arguments: the name of the
 * task, the trading day, the output folder, and the folders of the delivery. Prints JSON.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../../src/datasets/registry.ts";
import { writeAuctionPack } from "../../../src/pack-builder/auction-pack.ts";
import { buildPacks } from "../../../src/pack-builder/build.ts";
import { checkFolder } from "../../../src/pack-builder/check-packs.ts";
import { openPackFile, packName } from "../../../src/pack-builder/pack-file.ts";
import { CONTENDERS, type Task } from "./contenders.ts";

/** The packs that a build of a day wrote. */
export interface DayPacks {
  packs: { dataset: string; rows: number; securities: number; seconds: number; sizeBytes: number }[];
  /** The size of the auction pack; 0 without one. */
  auctionBytes: number;
}

/** Builds, verifies and checks the packs of `datasets`; by default, of all delivered datasets. */
const day =
  (datasets?: readonly DatasetName[]): Task<DayPacks> =>
  async ({ sources, tradedate, out }) => {
    const { packs, auction } = await buildPacks({
      ...{ sources, datasets, tradedate, outFolder: out, maxBroken: 0, verify: true },
      threads: availableParallelism(),
      onProgress: () => {},
    });
    return {
      packs: packs.map(({ dataset, rows, securities, seconds, packBytes }) => ({
        ...{ dataset, rows, securities, seconds, sizeBytes: packBytes },
      })),
      auctionBytes: auction === null ? 0 : statSync(auction.path).size,
    };
  };

/** Writes an auction pack from the quote pack in `out`, then deletes the auction pack. */
const auction: Task<void> = async ({ tradedate, out }) => {
  const opened = await openPackFile(join(out, packName("quotes", tradedate)), ["quotes"]);
  if (!opened.ok) throw new Error(`there is no quote pack: ${opened.refusal.reason}`);
  const path = join(out, "auction.parquet");
  await writeAuctionPack(opened.value, path);
  await opened.value.close();
  await rm(path);
};

/** Checks the day and writes its quality sheet. */
const quality: Task<void> = async ({ tradedate, out }) => {
  await checkFolder(out, tradedate);
};

/** The results are printed, so they must be short, however many securities and files the day has. */
const TASKS: ReadonlyMap<string, Task<unknown>> = new Map<string, Task<unknown>>([
  ...CONTENDERS,
  ["all", day()],
  ...DATASET_NAMES.map((name) => [name, day([name])] as const),
  ["auction", auction],
  ["quality", quality],
]);

/**
 * Returns the peak memory of this process in bytes. Linux gives it as `VmHWM`; on other systems `maxRSS` is used, which
 * starts at the memory of the parent process.
 */
function peakBytes(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}

const [name = "", tradedate = "", out = "", ...sources] = process.argv.slice(2);
const task = TASKS.get(name);
if (task === undefined) throw new Error(`there is no task ${name}`);
const beganMs = performance.now();
const result = await task({ sources, tradedate: tradedate as BeijingDate, out });
const ms = performance.now() - beganMs;
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakBytes: peakBytes(), result }));
