/**
 * Builds the packs of a delivery in its own process, verified and checked, so that its memory is measured alone.
 * Arguments: folder, date, output folder and a dataset or `all`; prints JSON.
 */
import { availableParallelism } from "node:os";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { isDatasetName } from "../../../src/datasets/registry.ts";
import { buildPacks } from "../../../src/pack-builder/build.ts";
import { peakBytes } from "./peak-bytes.ts";

const [folder = "", tradedate = "", outFolder = "", wanted = "all"] = process.argv.slice(2);
const beganMs = performance.now();
const { packs } = await buildPacks({
  sources: [folder],
  datasets: isDatasetName(wanted) ? [wanted] : undefined,
  tradedate: tradedate as BeijingDate,
  outFolder,
  maxBroken: 0,
  threads: availableParallelism(),
  verify: true,
  onProgress: () => {},
});
const ms = performance.now() - beganMs;
// The processor time of all threads, which says more on a busy machine than the elapsed time.
const { user, system } = process.cpuUsage();
const rows = packs.reduce((sum, pack) => sum + pack.rows, 0);
const sizeBytes = packs.reduce((sum, { packBytes }) => sum + packBytes, 0);
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, rows, sizeBytes, peakBytes: peakBytes() }));
